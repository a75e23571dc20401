// The fields of Drover's own messages in a recording; docs/recording.md lists them.
#pragma once

#include "fleet/codec/fields.h"
#include "fleet/codec/structs.h"
#include "fleet/recording/format/block.h"

namespace drover::recording {

/// Devices of one host, numbered from `first`.
struct NumberedDevices {
  std::string host;
  std::uint32_t first = 0;
  std::vector<std::uint16_t> devices;
  bool operator==(const NumberedDevices&) const = default;
};
struct Dictionary {
  std::vector<NumberedDevices> hosts;
};

inline constexpr std::size_t block_sources_max = 65'536;
inline constexpr std::size_t block_columns_max = 256;

}  // namespace drover::recording

namespace drover::codec {

template <>
inline constexpr auto layout<recording::NumberedDevices> =
    structure("NumberedDevices", field("host", &recording::NumberedDevices::host, as_name),
              field("first", &recording::NumberedDevices::first),
              field("devices", &recording::NumberedDevices::devices, Packed{65'536}));

template <>
inline constexpr auto layout<recording::Dictionary> =
    structure("Dictionary", field("hosts", &recording::Dictionary::hosts, up_to(1u << 20)));

template <>
inline constexpr auto layout<DroppedMessages> = structure("DroppedMessages",
                                                          field("since", &DroppedMessages::since),
                                                          field("until", &DroppedMessages::until),
                                                          field("count", &DroppedMessages::count));

template <>
inline constexpr auto layout<recording::ColumnFormat> =
    structure("ColumnForm", field("metric", &recording::ColumnFormat::metric),
              field("width", &recording::ColumnFormat::width),
              field("scale", &recording::ColumnFormat::scale));

template <>
inline constexpr auto layout<recording::ColumnFormatList> = structure(
    "FormList", field("columns", &recording::ColumnFormatList::columns, up_to(batch_columns_max)));

template <>
inline constexpr auto layout<recording::BlockSource> = structure(
    "BlockSource", field("sender", &recording::BlockSource::sender, Name{.or_nothing = true}),
    field("host", &recording::BlockSource::host, as_name),
    field("devices", &recording::BlockSource::devices, Packed{batch_rows_max}),
    field("numbers", &recording::BlockSource::numbers, up_to(2 * batch_rows_max)),
    field("form", &recording::BlockSource::form),
    field("batches", &recording::BlockSource::batches));

template <>
inline constexpr auto layout<recording::PackedColumn> =
    structure("PackedColumn", field("metric", &recording::PackedColumn::metric),
              field("order", &recording::PackedColumn::order),
              field("planes", &recording::PackedColumn::planes, up_to(recording::planes_max)),
              field("crc", &recording::PackedColumn::crc),
              field("bytes", &recording::PackedColumn::bytes, Bytes{recording::block_bytes_max}));

template <>
inline constexpr auto layout<recording::BlockMap> = structure(
    "Block", field("version", &recording::BlockHead::version),
    field("first", &recording::BlockHead::first), field("last", &recording::BlockHead::last),
    field("place", &recording::BlockHead::ordinal),
    field("batches", &recording::BlockHead::batches),
    field("values", &recording::BlockHead::values),
    field("forms", &recording::BlockMap::forms, up_to(recording::block_sources_max)),
    field("sources", &recording::BlockMap::sources, up_to(recording::block_sources_max)),
    field("facts", &recording::BlockMap::facts, up_to(4)),
    field("columns", &recording::BlockMap::columns, up_to(recording::block_columns_max)));

}  // namespace drover::codec

namespace drover::recording {

/// A struct as a MessagePack map of its fields.
template <codec::Structured T>
std::string packed_map(const T& value) {
  codec::Output output;
  codec::Packer packer(output);
  codec::write(packer, value, codec::plain);
  return std::move(output.bytes);
}

template <codec::Structured T>
Result<T> unpacked_map(std::string_view bytes) {
  codec::Reader reader(bytes);
  T value;
  if (!codec::read(reader, value, codec::plain)) {
    reader.within(codec::layout<T>.name);
    return reader.problem();
  }
  if (reader.left() > 0) return error("found {} bytes after the map, expected none", reader.left());
  return value;
}

}  // namespace drover::recording
