#include "fleet/recording_journal.h"

#include "fleet/codec.h"
#include "fleet/recording_bytes.h"

namespace drover {
namespace {

constexpr std::string_view journal_magic = "DRVJRN01";
constexpr std::size_t entry_bytes = 17;  // before the message's own

}  // namespace

std::string RecordingJournal::begin(const Incarnation& identity) {
  recording::Bytes bytes;
  return bytes.raw(journal_magic).u64(identity.high).u64(identity.low).take();
}

std::string RecordingJournal::entry(std::uint64_t place, Instant arrived, RecordingChannel channel,
                                    std::string_view message) {
  recording::Bytes content;
  content.u64(place).u64(static_cast<std::uint64_t>(arrived.time_since_epoch().count()));
  content.u8(static_cast<std::uint8_t>(channel)).raw(message);
  recording::Bytes bytes;
  bytes.u32(static_cast<std::uint32_t>(content.size())).u32(recording::crc32_of(content.view()));
  return bytes.raw(content.view()).take();
}

RecordingJournal RecordingJournal::read(std::string_view bytes) {
  RecordingJournal journal;
  if (bytes.empty()) return journal;
  recording::Cursor cursor(bytes);
  const bool known = cursor.raw(journal_magic.size()) == journal_magic;
  journal.identity.high = cursor.u64();
  journal.identity.low = cursor.u64();
  if (!known || cursor.failed()) {
    journal.problem = "byte 0: found no journal of a recording";
    return journal;
  }
  while (journal.used_bytes = cursor.at(), !cursor.at_end()) {
    const std::uint32_t size = cursor.u32();
    const std::uint32_t crc = cursor.u32();
    const std::string_view content = cursor.raw(size);
    const auto stop = [&](std::string_view why) {
      journal.problem = fmt::format("byte {}: {}", journal.used_bytes, why);
      return journal;
    };
    if (cursor.failed()) return stop("found an entry cut short");
    if (size < entry_bytes || size > entry_bytes + message_bytes_max) {
      return stop(fmt::format("found an entry of {} bytes", size));
    }
    if (recording::crc32_of(content) != crc) return stop("found an entry whose CRC-32 differs");
    recording::Cursor fields(content);
    JournalEntry entry;
    entry.place = fields.u64();
    entry.arrived = Instant{Duration{static_cast<std::int64_t>(fields.u64())}};
    entry.channel = static_cast<RecordingChannel>(fields.u8());
    entry.bytes = fields.raw(fields.left());
    journal.entries.push_back(std::move(entry));
  }
  return journal;
}

}  // namespace drover
