// What comes from one agent: how many messages and rows a second, and how far their stamps lie from
// our clock.
#pragma once

#include <cstdint>
#include <limits>

#include "fleet/base/time.h"
#include "fleet/sample/sample.h"

namespace drover::tui {

/// Counts over windows of some wall seconds: the last whole one is told.
class Traffic {
 public:
  /// A batch of so many rows arrived `now`, that its agent stamped at `stamped`.
  void count(Instant now, Instant stamped, std::size_t rows, Duration wall);
  /// Closes the window where it is time; rates of who is silent fall to zero.
  void tick(Instant now, Duration wall);

  /// Per fleet second, over the last whole window; NaN before there was one.
  double batches_per_s() const { return batches_per_s_; }
  double rows_per_s() const { return rows_per_s_; }
  /// Arrival minus stamp, s: the least of the last windows. The way of the message is in it, and so
  /// is what the agent's clock is behind (or, below zero, ahead of) ours. NaN: nothing came.
  double offset_s() const;

 private:
  Instant window_ = Instant::min();  // its beginning
  std::uint64_t batches_ = 0, rows_ = 0;
  double batches_per_s_ = absent, rows_per_s_ = absent;
  double least_s_ = std::numeric_limits<double>::infinity();
  double least_before_s_ = std::numeric_limits<double>::infinity();
};

}  // namespace drover::tui
