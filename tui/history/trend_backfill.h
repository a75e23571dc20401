// The fleet's curves up to a moment, as far back as they are shown. The model of a past moment has
// only some minutes of them; earlier points are built from an earlier keyframe and cached for
// nearby moments.
#pragma once

#include <optional>
#include <vector>

#include "tui/history/timeline.h"

namespace drover::tui {

class TrendBackfill {
 public:
  /// The points from `from` on, as Trend::points_since gives them, limited by
  /// Timeline::reach(). `model` is that of the moment `to`.
  std::vector<TrendPoint> read(const Timeline& timeline, const Model& model, Instant from,
                               Instant to, Duration bin);

 private:
  void advance(const Timeline& timeline, Instant from, Instant to, Duration bin);
  bool knows(const Timeline& timeline, Instant from, Instant to, Duration bin) const;

  const Timeline* timeline_ = nullptr;
  Instant begun_{};
  std::optional<ModelSnapshot> past_;
};

}  // namespace drover::tui
