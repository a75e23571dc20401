// Finds out whether a journal belongs to a file whose identity is lost.
//
// The journal may be that of another fleet, whose messages must not get into this file. Two things
// prove that they belong together: messages that are in both, or a journal that begins with the
// ordinal after the file's last one and continues the sequence numbers of a sender. Ordinals alone
// are no proof: they count from 1 in every recording.
#include <algorithm>
#include <map>
#include <utility>

#include "fleet/codec/codec.h"
#include "fleet/recording/reader.h"

namespace drover {
namespace {

// The message as a reader returns it. Bookmarks and drops are returned differently and prove
// nothing here.
std::optional<RecordedMessage> recorded_of(const JournalEntry& entry) {
  if (entry.channel == RecordingChannel::bookmarks || entry.channel == RecordingChannel::drops) {
    return {};
  }
  Result<Envelope> envelope = decode(entry.bytes);
  if (!envelope) return {};
  return RecordedMessage{entry.arrived, std::move(*envelope), entry.ordinal};
}

}  // namespace

bool RecordingReader::is_continued_by(const std::vector<JournalEntry>& journaled) {
  std::vector<RecordedMessage> in_both;
  for (const JournalEntry& entry : journaled) {
    if (!index_.ordinals.contains(entry.ordinal)) continue;
    if (auto recorded = recorded_of(entry)) in_both.push_back(std::move(*recorded));
  }
  return in_both.empty() ? ends_before(journaled) : has(in_both);
}

bool RecordingReader::has(const std::vector<RecordedMessage>& messages) {
  const auto [earliest, latest] =
      std::minmax_element(messages.begin(), messages.end(),
                          [](const auto& a, const auto& b) { return a.arrived < b.arrived; });
  const auto there =
      read(earliest->arrived, saturating_add(latest->arrived, Duration{1}), Kinds::all);
  if (!there) return false;
  std::map<std::uint64_t, const RecordedMessage*> by_place;
  for (const RecordedMessage& one : *there) by_place[one.ordinal] = &one;
  return std::all_of(messages.begin(), messages.end(), [&](const RecordedMessage& wanted) {
    const auto found = by_place.find(wanted.ordinal);
    return found != by_place.end() && *found->second == wanted;
  });
}

bool RecordingReader::ends_before(const std::vector<JournalEntry>& journaled) {
  const std::uint64_t highest = index_.ordinals.last_ordinal();
  if (highest == 0 || journaled.empty() || journaled.front().ordinal != highest + 1) return false;
  const Instant until = index_.ordinals.last_arrived();
  if (journaled.front().arrived < until) return false;
  const auto latest =
      read(saturating_add(until, -index_.totals.longest_block), Instant::max(), Kinds::all);
  if (!latest) return false;
  std::map<std::string, std::uint64_t> numbers;  // last sequence number of each sender
  for (const RecordedMessage& one : *latest) numbers[one.envelope.sender] = one.envelope.sequence;
  for (const JournalEntry& entry : journaled) {
    const auto recorded = recorded_of(entry);
    const auto known = recorded ? numbers.find(recorded->envelope.sender) : numbers.end();
    if (known == numbers.end()) continue;
    if (recorded->envelope.sequence == known->second + 1) return true;
    numbers.erase(known);  // only the first message of a sender can continue its sequence
  }
  return false;
}

}  // namespace drover
