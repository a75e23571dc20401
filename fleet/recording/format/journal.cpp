#include "fleet/recording/format/journal.h"

#include <utility>

#include "fleet/codec/codec.h"
#include "fleet/recording/format/bytes.h"

namespace drover {
namespace {

using recording::Bytes;
using recording::Cursor;

constexpr std::string_view journal_magic = "DRVJRN02";
constexpr std::size_t head_bytes = journal_magic.size() + 16;
constexpr std::size_t before_fields = 8;  // length and CRC
constexpr std::size_t entry_bytes = 17;   // before the message's bytes

std::uint32_t crc_of(const Incarnation& identity) {
  return recording::crc32_of(Bytes().u64(identity.high).u64(identity.low).view());
}

struct FoundEntry {
  JournalEntry entry;
  std::size_t bytes = 0;
};

// The intact entry at the beginning, if there is one. Fast checks come first: most offsets of a
// damaged journal are not the beginning of an entry.
std::optional<FoundEntry> entry_at(std::string_view bytes, std::uint32_t identity_crc) {
  Cursor cursor(bytes);
  const std::uint32_t size = cursor.u32();
  const std::uint32_t crc = cursor.u32();
  const std::string_view content = cursor.raw(size);
  if (cursor.failed() || size < entry_bytes || size > entry_bytes + message_bytes_max) return {};
  Cursor fields(content);
  JournalEntry entry;
  entry.ordinal = fields.u64();
  entry.arrived = Instant{Duration{static_cast<std::int64_t>(fields.u64())}};
  const std::uint8_t channel = fields.u8();
  const bool possible = entry.ordinal >= 1 && entry.ordinal <= recording_messages_max &&
                        channel >= 1 && channel <= recording_channel_count;
  if (!possible || recording::crc32_of(content, identity_crc) != crc) return {};
  entry.channel = static_cast<RecordingChannel>(channel);
  entry.bytes = fields.raw(fields.left());
  return FoundEntry{std::move(entry), before_fields + size};
}

// Why no entry begins there.
std::string why_none(std::string_view bytes) {
  Cursor cursor(bytes);
  const std::uint32_t size = cursor.u32();
  cursor.u32();
  if (cursor.failed() || size > cursor.left()) return "found an entry cut short";
  return "found a damaged entry";
}

}  // namespace

std::string RecordingJournal::begin(const Incarnation& identity) {
  return Bytes().raw(journal_magic).u64(identity.high).u64(identity.low).take();
}

std::string RecordingJournal::entry(const Incarnation& identity, std::uint64_t ordinal,
                                    Instant arrived, RecordingChannel channel,
                                    std::string_view message) {
  Bytes content;
  content.u64(ordinal).u64(static_cast<std::uint64_t>(arrived.time_since_epoch().count()));
  content.u8(static_cast<std::uint8_t>(channel)).raw(message);
  Bytes bytes;
  bytes.u32(static_cast<std::uint32_t>(content.size()));
  bytes.u32(recording::crc32_of(content.view(), crc_of(identity)));
  return bytes.raw(content.view()).take();
}

RecordingJournal RecordingJournal::read(std::string_view bytes,
                                        const std::optional<Incarnation>& identity) {
  RecordingJournal journal;
  if (bytes.empty()) return journal;
  Cursor head(bytes);
  const bool known = head.raw(journal_magic.size()) == journal_magic;
  journal.identity.high = head.u64();
  journal.identity.low = head.u64();
  const Incarnation expected_identity = identity.value_or(journal.identity);
  const std::uint32_t identity_crc = crc_of(expected_identity);
  if (begin(expected_identity) == bytes) return journal;  // no message waits for the next fold
  const bool head_cut_short = begin(expected_identity).starts_with(bytes);
  std::size_t at = 0;
  if (known && !head.failed() && journal.identity == expected_identity) at = head_bytes;
  while (at < bytes.size()) {
    const std::size_t damage = at;
    std::optional<FoundEntry> found;
    for (; at < bytes.size() && !found; at += found ? 0 : 1) {
      found = entry_at(bytes.substr(at), identity_crc);
    }
    if (at > damage) {
      LostRange lost{damage, at - damage, {}, {}, why_none(bytes.substr(damage))};
      if (damage == 0) {
        lost.why = head_cut_short ? "found a truncated header"
                                  : "found no journal header of this recording";
      }
      if (!journal.entries.empty()) lost.from = journal.entries.back().arrived;
      if (found) lost.to = found->entry.arrived;
      journal.lost.push_back(std::move(lost));
    }
    if (!found) break;
    at += found->bytes;
    journal.entries.push_back(std::move(found->entry));
  }
  journal.other =
      journal.entries.empty() && known && !head_cut_short && journal.identity != expected_identity;
  return journal;
}

}  // namespace drover
