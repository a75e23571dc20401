// A record is a length of eight bytes, little-endian, and that many bytes of MessagePack: an array
// of the record's kind (its index in JournalRecord) and a map of its fields, with the same kind of
// tables and the same reader as messages. Only the last record can be incomplete, if the writer
// ended while writing it.
#include "fleet/codec/journal.h"

#include <array>
#include <exception>
#include <limits>
#include <utility>

#include <fmt/format.h>

#include "fleet/base/fnv1a.h"
#include "fleet/codec/codec.h"
#include "fleet/codec/fields.h"
#include "fleet/codec/structs.h"

namespace drover {
namespace codec {

// The size of the file, which exists already, limits the records.
constexpr std::size_t whole_file = std::numeric_limits<std::uint32_t>::max();
constexpr Bytes any_bytes{whole_file};

template <>
inline constexpr Enumeration<Channel> enumeration<Channel>{"Channel", Channel::publish};
template <>
inline constexpr Enumeration<Transition> enumeration<Transition>{"Transition", Transition::sums};

template <>
inline constexpr auto layout<Peer> = structure("Peer", field("channel", &Peer::channel),
                                               field("number", &Peer::number));

template <>
inline constexpr auto layout<LedgerRow> =
    structure("LedgerRow", field("transition", &LedgerRow::transition), field("at", &LedgerRow::at),
              field("job", &LedgerRow::job), field("attempt", &LedgerRow::attempt),
              field("payload", &LedgerRow::payload, any_bytes));

template <>
inline constexpr auto layout<Write> = structure("Write", field("sequence", &Write::sequence),
                                                field("row", &Write::row));

template <>
inline constexpr auto layout<JournalStart> =
    structure("JournalStart", field("core", &JournalStart::core, any_bytes),
              field("settings", &JournalStart::settings, any_bytes));

template <>
inline constexpr auto layout<JournalReceive> = structure(
    "JournalReceive", field("now", &JournalReceive::now), field("from", &JournalReceive::from),
    field("bytes", &JournalReceive::bytes, any_bytes),
    field("key", &JournalReceive::key, any_bytes));

template <>
inline constexpr auto layout<JournalTick> = structure("JournalTick",
                                                      field("now", &JournalTick::now));

template <>
inline constexpr auto layout<JournalCommitted> = structure("JournalCommitted",
                                                           field("now", &JournalCommitted::now),
                                                           field("sequence",
                                                                 &JournalCommitted::sequence));

template <>
inline constexpr auto layout<JournalRestore> =
    structure("JournalRestore", field("rows", &JournalRestore::rows, up_to(whole_file)));

template <>
inline constexpr auto layout<JournalDropped> =
    structure("JournalDropped", field("now", &JournalDropped::now),
              field("from", &JournalDropped::from), field("why", &JournalDropped::why, any_bytes),
              field("sender", &JournalDropped::sender, any_bytes),
              field("key", &JournalDropped::key, any_bytes),
              field("address", &JournalDropped::address, any_bytes),
              field("asked", &JournalDropped::asked, any_bytes),
              field("retryable", &JournalDropped::retryable));

template <>
inline constexpr auto layout<JournalLeave> = structure("JournalLeave",
                                                       field("now", &JournalLeave::now),
                                                       field("why", &JournalLeave::why, any_bytes));

template <>
inline constexpr auto layout<JournalOutboxDigest> =
    structure("JournalSaid", field("digest", &JournalOutboxDigest::digest));

}  // namespace codec

namespace {

constexpr std::uint32_t record_parts = 2;
constexpr std::size_t kind_count = std::variant_size_v<JournalRecord>;

std::string length_prefix(std::uint64_t length) {
  std::string prefix;
  for (std::size_t i = 0; i < journal_prefix_bytes; ++i)
    prefix += static_cast<char>(length >> (8 * i));
  return prefix;
}

template <std::size_t kind>
bool read_body(codec::Reader& reader, JournalRecord& record) {
  using Body = std::variant_alternative_t<kind, JournalRecord>;
  if (read(reader, record.emplace<kind>(), codec::plain)) return true;
  reader.within(codec::layout<Body>.name);
  return false;
}

using ReadBody = bool (*)(codec::Reader&, JournalRecord&);

template <std::size_t... kinds>
constexpr std::array<ReadBody, kind_count> readers_of(std::index_sequence<kinds...>) {
  return {&read_body<kinds>...};
}

bool read_record(codec::Reader& reader, JournalRecord& record) {
  static constexpr auto readers = readers_of(std::make_index_sequence<kind_count>());
  std::size_t parts = 0;
  std::size_t kind = 0;
  if (!reader.array(record_parts, parts)) return false;
  if (parts != record_parts) return reader.fail(fmt::format("{} parts", parts), "2");
  if (!reader.integer<std::size_t>(kind, 0, kind_count - 1)) {
    reader.within("kind");
    return false;
  }
  if (!readers[kind](reader, record)) return false;
  return reader.left() == 0 ||
         reader.fail(fmt::format("{} bytes after the record", reader.left()), "none");
}

}  // namespace

std::string encode_record(const JournalRecord& record) {
  codec::Output output;
  codec::Packer packer(output);
  packer.pack_array(record_parts);
  packer.pack_uint8(static_cast<std::uint8_t>(record.index()));
  std::visit([&](const auto& body) { codec::write(packer, body, codec::plain); }, record);
  return length_prefix(output.bytes.size()) + output.bytes;
}

std::uint64_t journal_length(std::string_view prefix) {
  DROVER_REQUIRE(prefix.size() >= journal_prefix_bytes);
  std::uint64_t length = 0;
  for (std::size_t i = journal_prefix_bytes; i > 0; --i) {
    length = length << 8 | static_cast<unsigned char>(prefix[i - 1]);
  }
  return length;
}

Result<JournalRecord> decode_record(std::string_view bytes) {
  try {
    codec::Reader reader(bytes);
    JournalRecord record;
    if (!read_record(reader, record)) return error("{}", reader.problem().message);
    return record;
  } catch (const std::exception& problem) {
    return error("{}", problem.what());
  }
}

std::string outbox_bytes(const Outbox& outbox) {
  codec::Output output;
  codec::Packer packer(output);
  packer.pack_array(2);
  packer.pack_array(static_cast<std::uint32_t>(outbox.sends.size()));
  for (const Send& send : outbox.sends) {
    packer.pack_array(3);
    codec::write(packer, send.to, codec::plain);
    codec::write_binary(packer, encode(send.envelope));
    packer.pack_uint64(send.after_write);
  }
  codec::write(packer, outbox.writes, codec::up_to(codec::whole_file));
  return std::move(output.bytes);
}

JournalOutboxDigest outbox_digest(const Outbox& outbox) { return {fnv1a(outbox_bytes(outbox))}; }

}  // namespace drover
