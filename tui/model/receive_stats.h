// Statistics of the samples received from one agent: messages and rows per second, and the offset
// of their timestamps from our clock.
#pragma once

#include <cstdint>
#include <limits>

#include "fleet/base/time.h"
#include "fleet/sample/sample.h"

namespace drover::tui {

/// Counts over windows of some wall seconds; the rates are those of the last complete window.
class ReceiveStats {
 public:
  /// Counts a batch of `rows` rows that arrived `now` with the agent's timestamp `stamped`.
  void count(Instant now, Instant stamped, std::size_t rows, Duration wall);
  /// Closes the window when it is due, so that the rates of a silent agent fall to zero.
  void tick(Instant now, Duration wall);

  /// Per fleet second, over the last complete window; NaN before the first.
  double batches_per_s() const { return batches_per_s_; }
  double rows_per_s() const { return rows_per_s_; }
  /// The least arrival time minus timestamp of the last two windows, s: the message's latency plus
  /// what the agent's clock is behind ours (negative: ahead). NaN before the first message.
  double offset_s() const;

 private:
  Instant window_ = Instant::min();  // begin of the current window
  std::uint64_t batches_ = 0, rows_ = 0;
  double batches_per_s_ = absent, rows_per_s_ = absent;
  double least_s_ = std::numeric_limits<double>::infinity();
  double least_before_s_ = std::numeric_limits<double>::infinity();
};

}  // namespace drover::tui
