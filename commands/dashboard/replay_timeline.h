// A recording as a timeline, over which the dashboard's time cursor moves.
//
// The model of a moment is built from a keyframe some minutes before it, so that curves and lists
// are filled. The keyframe depends only on the moment, so the result does not depend on how the
// cursor got there: playback switches to the next keyframe when its interval begins.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "fleet/base/result.h"
#include "fleet/recording/index.h"
#include "fleet/recording/reader.h"
#include "tui/history/timeline.h"

namespace drover::commands {

class ReplayTimeline final : public tui::Timeline {
 public:
  /// The reader must outlive the timeline. REQUIRES a reader that has surveyed its file.
  explicit ReplayTimeline(RecordingReader& reader);

  /// The time of the first complete state.
  Instant first() const override { return first_; }
  Instant last() const override { return last_; }
  tui::ModelSnapshot keyframe(Instant at) const override;
  Instant keyframe_before(Instant at) const override;
  std::uint64_t visit(std::uint64_t position, Instant to, const Visit& visit) const override;
  Duration reach() const override { return reach_; }
  bool can_advance_to(const tui::ModelSnapshot& moment, Instant to) const override {
    return moment.keyframe == keyframe_before(to);
  }
  void visit_batches(const std::string& host, Instant from, Instant to,
                     const VisitBatch& visit) const override;
  const std::vector<tui::TimelineMarker>& markers() const override;
  const std::vector<tui::Gap>& gaps() const override { return gaps_; }

  /// What could not be read; the moments shown then lack something.
  Status problem() const { return problem_; }

 private:
  struct ReadPoint {
    Instant from{};              // messages from the position on arrived at or after this
    std::uint64_t sequence = 0;  // of the last published message before the position
  };
  const Keyframe& start_for(Instant at) const;
  void find_first_state();
  void find_gaps();
  Keyframe read(const recording::SurveyedKeyframe& keyframe) const;
  std::vector<RecordedMessage> found(Result<std::vector<RecordedMessage>> messages) const;
  std::uint64_t show(const Keyframe& keyframe, const Visit& visit) const;
  ReadPoint read_point_of(std::uint64_t position) const;

  RecordingReader& reader_;
  Duration wall_{};     // one wall second of the recording
  Duration slice_{};    // the time span that is read at once
  Duration preroll_{};  // how long before a moment its model begins
  Duration reach_{};    // how long before a moment its longest curves may begin
  Instant first_{};
  Instant last_{};
  Keyframe first_keyframe_;
  std::vector<tui::Gap> gaps_;
  // The keyframes in and right after gaps, which restore the state.
  std::vector<recording::SurveyedKeyframe> repairs_;
  mutable Instant found_for_ = Instant::min();
  mutable Keyframe found_;
  mutable std::map<std::uint64_t, ReadPoint> read_points_;  // of returned positions
  mutable std::optional<std::vector<tui::TimelineMarker>> markers_;
  mutable Status problem_;
};

}  // namespace drover::commands
