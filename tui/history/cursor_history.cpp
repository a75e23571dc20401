#include "tui/history/cursor_history.h"

#include <algorithm>

namespace drover::tui {
namespace {

// Seconds that are read in addition, for steps back in time.
constexpr int slack_seconds = 60;
constexpr int kept_seconds = recent_seconds + slack_seconds;
constexpr HistoryShape shape{sparkline_metric_count, {kept_seconds, 0, 0}};

}  // namespace

CursorHistory::CursorHistory(Duration wall, std::size_t bytes_max)
    : history_(wall, bytes_max, shape) {}

/// The last instant before `bins` bins, the last of which contains `at`.
Instant CursorHistory::before_bins(Instant at, int bins) const {
  const std::int64_t last = history_.bin_of(HistoryResolution::seconds, at);
  return history_.begin_of(HistoryResolution::seconds, last - bins + 1) - Duration(1);
}

void CursorHistory::begin(const DeviceHistory& live, Instant now) {
  history_.copy_seconds(live);
  known_ = KnownRange{before_bins(now, live.bins(HistoryResolution::seconds)), now};
}

void CursorHistory::forget() {
  history_.clear();
  known_.reset();
}

void CursorHistory::read(const Timeline& timeline, Instant from, Instant to) {
  timeline.visit_batches("", from, to,
                         [&](Instant at, const SampleBatch& batch) { history_.take(at, batch); });
}

const DeviceHistory& CursorHistory::follow(const Timeline& timeline, Instant shown) {
  // Limited by the timeline and by memory; what the timeline has dropped since is still known here.
  const int bins = std::min(recent_seconds, history_.bins(HistoryResolution::seconds));
  const Instant needed = std::max(before_bins(shown, bins), timeline.first() - Duration(1));
  const bool far_ahead = known_ && shown > known_->to && needed >= known_->to;
  if (far_ahead || !known_ || needed < known_->from) {
    history_.clear();
    known_ = KnownRange{before_bins(shown, kept_seconds), shown};
    read(timeline, known_->from, shown);
  } else if (shown > known_->to) {
    // Further batches may have arrived since at the last instant that was read.
    read(timeline, known_->to - Duration(1), shown);
    known_->to = shown;
  }
  known_->from =
      std::max(known_->from, before_bins(known_->to, history_.bins(HistoryResolution::seconds)));
  return history_;
}

}  // namespace drover::tui
