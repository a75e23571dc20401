// A recording as past moments of a fleet: what the dashboard's time cursor moves over.
//
// The model of a moment is made from a keyframe some minutes before it, so that curves and lists
// have filled by then. Which one follows from the moment alone, so nothing depends on the way by
// which one came there: playing goes over to the next one where its turn begins.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "fleet/base/result.h"
#include "fleet/recording/recording_index.h"
#include "fleet/recording/recording_reader.h"
#include "tui/history/timeline.h"

namespace drover::commands {

class ReplayTimeline final : public tui::Timeline {
 public:
  /// The reader must outlive it. REQUIRES a surveyed one.
  explicit ReplayTimeline(RecordingReader& reader);

  /// From the first whole state on.
  Instant first() const override { return first_; }
  Instant last() const override { return last_; }
  tui::Moment keyframe(Instant at) const override;
  Instant keyframe_before(Instant at) const override;
  std::uint64_t visit(std::uint64_t position, Instant to, const Visit& visit) const override;
  Duration reach() const override { return reach_; }
  bool leads_to(const tui::Moment& moment, Instant to) const override {
    return moment.keyframe == keyframe_before(to);
  }
  void visit_batches(const std::string& host, Instant from, Instant to,
                     const VisitBatch& visit) const override;
  const std::vector<tui::Mark>& marks() const override;
  const std::vector<tui::Gap>& gaps() const override { return gaps_; }

  /// What could not be read; then the moments shown miss something.
  Status problem() const { return problem_; }

 private:
  struct Place {
    Instant from{};              // nothing from the position on came earlier
    std::uint64_t sequence = 0;  // of the last published message before it
  };
  const Keyframe& start_for(Instant at) const;
  void find_first_state();
  void find_gaps();
  Keyframe read(const recording::SurveyedKeyframe& keyframe) const;
  std::vector<Recorded> found(Result<std::vector<Recorded>> messages) const;
  std::uint64_t show(const Keyframe& keyframe, const Visit& visit) const;
  Place place_of(std::uint64_t position) const;

  RecordingReader& reader_;
  Duration wall_{};     // one wall second of the recording
  Duration slice_{};    // is read at once
  Duration preroll_{};  // before a moment, where its model begins
  Duration reach_{};    // before a moment, where its longest curves may begin
  Instant first_{};
  Instant last_{};
  Keyframe first_keyframe_;
  std::vector<tui::Gap> gaps_;
  // The state anew, wherever there is one while messages are missing and right behind them.
  std::vector<recording::SurveyedKeyframe> repairs_;
  mutable Instant found_for_ = Instant::min();
  mutable Keyframe found_;
  mutable std::map<std::uint64_t, Place> places_;  // of positions that were answered
  mutable std::optional<std::vector<tui::Mark>> marks_;
  mutable Status problem_;
};

}  // namespace drover::commands
