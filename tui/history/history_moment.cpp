#include "tui/history/history_moment.h"

#include <algorithm>

namespace drover::tui {
namespace {

// So many seconds are read ahead of those that are shown, where a person steps back in time.
constexpr int slack_seconds = 60;
constexpr int kept_seconds = recent_seconds + slack_seconds;
constexpr HistoryShape shape{sparkline_metric_count, {kept_seconds, 0, 0}};

}  // namespace

MomentHistory::MomentHistory(Duration wall, std::size_t bytes_max)
    : history_(wall, bytes_max, shape) {}

/// The last instant before so many bins of which the last holds `at`.
Instant MomentHistory::before_bins(Instant at, int bins) const {
  const std::int64_t last = history_.bin_of(HistoryRung::seconds, at);
  return history_.begin_of(HistoryRung::seconds, last - bins + 1) - Duration(1);
}

void MomentHistory::begin(const History& live, Instant now) {
  history_.copy_seconds(live);
  known_ = Known{before_bins(now, live.bins(HistoryRung::seconds)), now};
}

void MomentHistory::forget() {
  history_.clear();
  known_.reset();
}

void MomentHistory::read(const Timeline& timeline, Instant from, Instant to) {
  timeline.visit_batches("", from, to,
                         [&](Instant at, const SampleBatch& batch) { history_.take(at, batch); });
}

const History& MomentHistory::follow(const Timeline& timeline, Instant shown) {
  // More cannot be read than the timeline has, nor kept than there is room for; what the timeline
  // has forgotten since is still known here.
  const int bins = std::min(recent_seconds, history_.bins(HistoryRung::seconds));
  const Instant needed = std::max(before_bins(shown, bins), timeline.first() - Duration(1));
  const bool far_on = known_ && shown > known_->to && needed >= known_->to;
  if (far_on || !known_ || needed < known_->from) {
    history_.clear();
    known_ = Known{before_bins(shown, kept_seconds), shown};
    read(timeline, known_->from, shown);
  } else if (shown > known_->to) {
    // More may have been heard since in the instant that was read last.
    read(timeline, known_->to - Duration(1), shown);
    known_->to = shown;
  }
  known_->from =
      std::max(known_->from, before_bins(known_->to, history_.bins(HistoryRung::seconds)));
  return history_;
}

}  // namespace drover::tui
