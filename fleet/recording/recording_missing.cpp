// What a recording has not: the times of which messages are missing, and when all is known again.
#include <algorithm>
#include <utility>

#include "fleet/recording/recording_reader_state.h"

namespace drover {
namespace {

using recording::PlaceGaps;
using recording::SurveyedKeyframe;

// Two gaps with as little between them are told as one: a fold's chunks hold messages by turns, and
// the slowest source sends one a wall second.
Duration near_at(double speed) {
  return std::max<Duration>(std::chrono::minutes(1), from_seconds(std::max(speed, 1.0)));
}

}  // namespace

std::vector<PlaceGaps::Gap> recording::gaps_of(FileIndex& index) {
  const Totals& totals = index.totals;
  std::optional<PlaceGaps::End> end;
  if ((index.closed || index.ended) && totals.places <= recording_places_max) {
    end = {totals.places, totals.last};
  }
  // A keyframe is written at once and may stand before rows that wait: those are known to have
  // been.
  if (!index.keyframes.empty()) {
    const SurveyedKeyframe& last = index.keyframes.back();
    if (!end || last.place > end->place) end = {last.place, last.at};
  }
  const Instant begun = index.start_known ? index.start.fleet_time : totals.first;
  return index.places.find(begun, near_at(index.start.speed), end);
}

std::vector<DroppedMessages> RecordingReader::missing() {
  DROVER_REQUIRE(state_->index.surveyed);
  std::vector<DroppedMessages> all;
  for (const PlaceGaps::Gap& gap : recording::gaps_of(state_->index)) all.push_back(gap.missing);
  if (info().is_end_unknown()) all.push_back({last(), last(), 1});
  return all;
}

Result<std::vector<RecordingGap>> RecordingReader::gaps() {
  State& state = *state_;
  DROVER_REQUIRE(state.index.surveyed);
  const std::vector<SurveyedKeyframe>& keyframes = state.index.keyframes;
  std::vector<RecordingGap> gaps;
  const auto add = [&](Instant from, const auto& known_again) {
    const auto next = std::find_if(keyframes.begin(), keyframes.end(), known_again);
    gaps.push_back({from, next == keyframes.end() ? never : std::max(from, next->at)});
  };
  for (const PlaceGaps::Gap& gap : recording::gaps_of(state.index)) {
    add(gap.missing.since,
        [&](const SurveyedKeyframe& keyframe) { return keyframe.place >= gap.last; });
  }
  Result<std::vector<DroppedMessages>> drops = this->drops();
  if (!drops) return drops.error();
  for (const DroppedMessages& drop : *drops) {
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
