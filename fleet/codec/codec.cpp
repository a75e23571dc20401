#include "fleet/codec/codec.h"

#include <array>
#include <exception>
#include <utility>

#include "fleet/codec/limits.h"
#include "fleet/codec/messages.h"
#include "fleet/codec/reader.h"
#include "fleet/codec/structs.h"

namespace drover {
namespace codec {
namespace {

constexpr std::uint32_t envelope_parts = 6;
// An envelope with more parts is of another version, and is refused for its version.
constexpr std::size_t any_envelope_parts_max = 64;
constexpr std::size_t kind_count = std::variant_size_v<AnyMessage>;
// Version and kind are one byte each, so that a subscriber can filter kinds by the first bytes.
static_assert(protocol_version < 0x80 && kind_count <= 0x80);

// A message up to this size is copied out of a buffer that is kept: it is allocated once, in its
// size. A larger one takes the buffer with it.
constexpr std::size_t usual_bytes = 4096;

template <typename T>
Status checked(const T&) {
  return {};
}

Status checked(const SampleBatch& batch) { return check(batch); }

/// A message that is larger than all may be together is sent by itself.
Status checked_together(std::string_view field, const std::vector<std::string>& messages,
                        std::size_t bytes_max) {
  std::size_t bytes = 0;
  for (const std::string& message : messages) bytes += message.size();
  if (bytes <= bytes_max || messages.size() == 1) return {};
  return error("{}: found {} bytes in {} messages, expected at most {}", field, bytes,
               messages.size(), bytes_max);
}

Status checked(const SnapshotPart& part) {
  return checked_together("SnapshotPart.messages", part.messages, snapshot_part_bytes_max);
}

Status checked(const Bundle& bundle) {
  return checked_together("Bundle.messages", bundle.messages, bundle_bytes_max);
}

Status checked(const HistoryReply& reply) {
  // Readers add bins to instants.
  constexpr Duration bin_max = std::chrono::hours(24 * 365);
  if (reply.bin > bin_max) {
    return error("HistoryReply.bin: found {} s, expected at most {}",
                 std::chrono::floor<std::chrono::seconds>(reply.bin).count(),
                 std::chrono::floor<std::chrono::seconds>(bin_max).count());
  }
  for (const HistorySeries& series : reply.series) {
    const std::size_t bytes = series.values.size();
    if (bytes == reply.series.front().values.size() && bytes % sizeof(float) == 0) continue;
    return error("HistoryReply.series: found {} bytes of values, expected {}", bytes,
                 reply.series.front().values.size() / sizeof(float) * sizeof(float));
  }
  return {};
}

/// Readers use the numbers of buckets as places on a scale.
Status checked(const Summary& summary) {
  for (const ClassReport& report : summary.classes) {
    const std::size_t end = report.first_bucket + report.buckets.size();
    if (end <= class_bucket_count) continue;
    return error("ClassReport.buckets: found {} from number {}, expected them to end before {}",
                 report.buckets.size(), report.first_bucket, class_bucket_count);
  }
  return {};
}

template <typename Body>
Status read_body(Reader& reader, Message& message) {
  Body& body = message.emplace<Body>();
  if (!read(reader, body, plain)) {
    reader.within(layout<Body>.name);
    return reader.problem();
  }
  return checked(body);
}

template <typename Body>
void write_body(Packer& packer, const Message& message) {
  write(packer, *std::get_if<Body>(&message), plain);
}

/// How the body of one kind of message is read and written.
struct BodyFunctions {
  Status (*read)(Reader&, Message&);
  void (*write)(Packer&, const Message&);
};

#define DROVER_BODY_FUNCTIONS(body, ...) {&read_body<body>, &write_body<body>},
constexpr std::array<BodyFunctions, kind_count> body_functions{
    {DROVER_MESSAGES(DROVER_BODY_FUNCTIONS)}};
#undef DROVER_BODY_FUNCTIONS

// A tool that is not a host may have no name.
constexpr Name sender_rule{.or_nothing = true};

bool read_cover(Reader& reader, Envelope& envelope, std::size_t& kind) {
  std::size_t parts = 0;
  if (!reader.array(any_envelope_parts_max, parts)) return false;
  const auto part = [&](std::string_view name, bool good) {
    if (!good) reader.within(name);
    return good;
  };
  std::uint8_t version = protocol_version;
  // The version is checked before the number of parts, which may differ between versions.
  if (parts > 0 && !part("version", reader.integer(version, protocol_version, protocol_version))) {
    return false;
  }
  if (parts != envelope_parts) {
    return reader.fail(fmt::format("{} parts", parts), fmt::format("{}", envelope_parts));
  }
  return part("kind", reader.integer<std::size_t>(kind, 0, kind_count - 1)) &&
         part("sender", read(reader, envelope.sender, sender_rule)) &&
         part("sequence", reader.integer(envelope.sequence)) &&
         part("at", read(reader, envelope.at, plain));
}

Status read_envelope(std::string_view bytes, Envelope& envelope) {
  if (bytes.size() > message_bytes_max) {
    return error("envelope: found {} bytes, expected at most {}", bytes.size(), message_bytes_max);
  }
  Reader reader(bytes);
  std::size_t kind = 0;
  if (!read_cover(reader, envelope, kind)) {
    reader.within("envelope");
    return reader.problem();
  }
  DROVER_TRY(body_functions[kind].read(reader, envelope.body));
  if (reader.left() > 0) {
    return error("envelope: found {} bytes after the body, expected none", reader.left());
  }
  return {};
}

}  // namespace
}  // namespace codec

std::string encode(const Envelope& envelope) {
  thread_local codec::Output output;
  output.bytes.clear();
  output.bytes.reserve(codec::usual_bytes);
  codec::Packer packer(output);
  packer.pack_array(codec::envelope_parts);
  packer.pack_uint8(protocol_version);
  packer.pack_uint8(static_cast<std::uint8_t>(envelope.body.index()));
  codec::write_text(packer, envelope.sender);
  packer.pack_uint64(envelope.sequence);
  packer.pack_int64(envelope.at.time_since_epoch().count());
  codec::body_functions[envelope.body.index()].write(packer, envelope.body);
  if (output.bytes.size() > codec::usual_bytes) return std::exchange(output.bytes, {});
  return output.bytes;
}

Result<Envelope> decode(std::string_view bytes) {
  Result<Envelope> decoded = Envelope();  // filled in place, as an envelope is large to move
  try {
    if (const Status read = codec::read_envelope(bytes, *decoded); !read) decoded = read.error();
  } catch (const std::exception& problem) {
    decoded = error("envelope: {}", problem.what());
  }
  return decoded;
}

}  // namespace drover
