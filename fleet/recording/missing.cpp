// The missing messages of a recording: their times, and when the state is complete again.
#include <algorithm>

#include "fleet/recording/reader.h"

namespace drover {
namespace {

using recording::OrdinalGaps;
using recording::SurveyedKeyframe;

// Gaps this close are reported as one: the messages in the chunks of a fold interleave, and the
// slowest source sends one per wall second.
Duration near_at(double speed) {
  return std::max<Duration>(std::chrono::minutes(1), from_seconds(std::max(speed, 1.0)));
}

}  // namespace

std::vector<OrdinalGaps::Gap> recording::gaps_of(FileIndex& index) {
  const Totals& totals = index.totals;
  std::optional<OrdinalGaps::End> end;
  if ((index.closed || index.ended) && totals.ordinals <= recording_messages_max) {
    end = {totals.ordinals, totals.last};
  }
  // A keyframe is written at once and may precede buffered rows, which are known to have existed.
  if (!index.keyframes.empty()) {
    const SurveyedKeyframe& last = index.keyframes.back();
    if (!end || last.ordinal > end->ordinal) end = {last.ordinal, last.at};
  }
  const Instant begun = index.start_known ? index.start.fleet_time : totals.first;
  return index.ordinals.find(begun, near_at(index.start.speed), end);
}

std::vector<DroppedMessages> RecordingReader::missing() {
  DROVER_REQUIRE(index_.surveyed);
  std::vector<DroppedMessages> all;
  for (const OrdinalGaps::Gap& gap : recording::gaps_of(index_)) all.push_back(gap.missing);
  if (info().is_end_unknown()) all.push_back({last(), last(), 1});
  return all;
}

Result<std::vector<RecordingGap>> RecordingReader::gaps() {
  DROVER_REQUIRE(index_.surveyed);
  const std::vector<SurveyedKeyframe>& keyframes = index_.keyframes;
  std::vector<RecordingGap> gaps;
  const auto add = [&](Instant from, const auto& known_again) {
    const auto next = std::find_if(keyframes.begin(), keyframes.end(), known_again);
    gaps.push_back({from, next == keyframes.end() ? never : std::max(from, next->at)});
  };
  for (const OrdinalGaps::Gap& gap : recording::gaps_of(index_)) {
    add(gap.missing.since,
        [&](const SurveyedKeyframe& keyframe) { return keyframe.ordinal >= gap.last; });
  }
  DROVER_ASSIGN(auto drops, this->drops());
  for (const DroppedMessages& drop : drops) {
    add(drop.since, [&](const SurveyedKeyframe& keyframe) { return keyframe.at >= drop.until; });
  }
  std::sort(gaps.begin(), gaps.end(),
            [](const RecordingGap& a, const RecordingGap& b) { return a.from < b.from; });
  std::vector<RecordingGap> apart;
  for (const RecordingGap& gap : gaps) {
    if (!apart.empty() && gap.from <= apart.back().end) {
      apart.back().end = std::max(apart.back().end, gap.end);
    } else {
      apart.push_back(gap);
    }
  }
  return apart;
}

}  // namespace drover
