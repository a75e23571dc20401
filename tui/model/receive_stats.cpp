#include "tui/model/receive_stats.h"

#include <algorithm>

namespace drover::tui {
namespace {

constexpr int window_s = 5;  // wall time; long enough for agents that report every second or two

}  // namespace

void ReceiveStats::count(Instant now, Instant stamped, std::size_t rows, Duration wall) {
  tick(now, wall);
  if (window_ == Instant::min()) window_ = now;
  ++batches_;
  rows_ += rows;
  least_s_ = std::min(least_s_, to_seconds(now - stamped));
}

void ReceiveStats::tick(Instant now, Duration wall) {
  if (window_ == Instant::min()) return;
  const double passed_s = to_seconds(now - window_);
  if (now - window_ < window_s * wall || passed_s <= 0) return;
  batches_per_s_ = static_cast<double>(batches_) / passed_s;
  rows_per_s_ = static_cast<double>(rows_) / passed_s;
  batches_ = rows_ = 0;
  least_before_s_ = least_s_;
  least_s_ = std::numeric_limits<double>::infinity();
  window_ = now;
}

double ReceiveStats::offset_s() const {
  const double least_s = std::min(least_s_, least_before_s_);
  return least_s == std::numeric_limits<double>::infinity() ? absent : least_s;
}

}  // namespace drover::tui
