// Whether a journal is that of the file beside it, where the file's identity is lost.
//
// Anybody's journal may lie there, and its messages in another fleet's file would be wrong
// pictures. Two things prove that they belong together: messages that stand in both, or a journal
// that begins with the place behind the file's last one and goes on with the numbers of a sender.
// Places alone do not: they count from 1 in every recording.
#include <algorithm>
#include <map>
#include <utility>

#include "fleet/codec/codec.h"
#include "fleet/recording/recording_reader_state.h"

namespace drover {
namespace {

// As a reader gives it. Bookmarks and drops it tells in other ways: they prove nothing here.
std::optional<Recorded> recorded_of(const JournalEntry& entry) {
  if (entry.channel == RecordingChannel::bookmarks || entry.channel == RecordingChannel::drops) {
    return {};
  }
  Result<Envelope> envelope = decode(entry.bytes);
  if (!envelope) return {};
  return Recorded{entry.arrived, std::move(*envelope), entry.place};
}

}  // namespace

bool RecordingReader::State::is_continued_by(const std::vector<JournalEntry>& journaled) {
  std::vector<Recorded> in_both;
  for (const JournalEntry& entry : journaled) {
    if (!index.places.contains(entry.place)) continue;
    if (auto recorded = recorded_of(entry)) in_both.push_back(std::move(*recorded));
  }
  return in_both.empty() ? ends_before(journaled) : has(in_both);
}

bool RecordingReader::State::has(const std::vector<Recorded>& messages) {
  const auto [earliest, latest] =
      std::minmax_element(messages.begin(), messages.end(),
                          [](const auto& a, const auto& b) { return a.arrived < b.arrived; });
  const auto there =
      read(earliest->arrived, saturating_add(latest->arrived, Duration{1}), Kinds::all);
  if (!there) return false;
  std::map<std::uint64_t, const Recorded*> by_place;
  for (const Recorded& one : *there) by_place[one.place] = &one;
  return std::all_of(messages.begin(), messages.end(), [&](const Recorded& wanted) {
    const auto found = by_place.find(wanted.place);
    return found != by_place.end() && *found->second == wanted;
  });
}

bool RecordingReader::State::ends_before(const std::vector<JournalEntry>& journaled) {
  const std::uint64_t highest = index.places.last_place();
  if (highest == 0 || journaled.empty() || journaled.front().place != highest + 1) return false;
  const Instant until = index.places.last_arrived();
  if (journaled.front().arrived < until) return false;
  const auto latest =
      read(saturating_add(until, -index.totals.longest_block), Instant::max(), Kinds::all);
  if (!latest) return false;
  std::map<std::string, std::uint64_t> numbers;  // the last of each sender
  for (const Recorded& one : *latest) numbers[one.envelope.sender] = one.envelope.sequence;
  for (const JournalEntry& entry : journaled) {
    const auto recorded = recorded_of(entry);
    const auto known = recorded ? numbers.find(recorded->envelope.sender) : numbers.end();
    if (known == numbers.end()) continue;
    if (recorded->envelope.sequence == known->second + 1) return true;
    numbers.erase(known);  // of the journal's messages its first one would have to go on
  }
  return false;
}

}  // namespace drover
