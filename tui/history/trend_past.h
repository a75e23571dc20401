// The fleet's curves of a moment, as far back as they are shown. The model of a moment that was
// made anew knows some minutes; what lies before is made from a keyframe as far back, and kept for
// as long as one looks at moments near by.
#pragma once

#include <optional>
#include <vector>

#include "tui/history/timeline.h"

namespace drover::tui {

/// What the model itself has of them.
std::vector<TrendPoint> points_from(const Model& model, Instant from, Duration bin);

class TrendPast {
 public:
  /// The points of the longest bins that are no longer than `bin`, from `from` on, as far as the
  /// timeline reaches without long work. `model` is that of the moment `to`.
  std::vector<TrendPoint> read(const Timeline& timeline, const Model& model, Instant from,
                               Instant to, Duration bin);

 private:
  void go_on(const Timeline& timeline, Instant from, Instant to, Duration bin);
  bool knows(const Timeline& timeline, Instant from, Instant to, Duration bin) const;

  const Timeline* timeline_ = nullptr;
  Instant begun_{};
  std::optional<Moment> past_;
};

}  // namespace drover::tui
