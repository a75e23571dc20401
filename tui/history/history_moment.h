// The minute before the moment at which the time cursor stands, where that is not now: read from
// the cursor's timeline, and kept, so that steps to and fro are not read again.
#pragma once

#include <optional>

#include "tui/history/history.h"
#include "tui/history/timeline.h"

namespace drover::tui {

/// Wall seconds before a moment of which sparklines show something.
inline constexpr int recent_seconds = 60;

class MomentHistory {
 public:
  /// `wall` is one wall second in fleet time.
  MomentHistory(Duration wall, std::size_t bytes_max);

  /// The seconds up to `shown` as the timeline has them, and what lies before and after it is kept
  /// as well. It holds what sparklines show, and no longer rungs.
  const History& follow(const Timeline& timeline, Instant shown);
  /// Begins with what live history holds of the moments up to `now`: nothing of it is to be read.
  void begin(const History& live, Instant now);
  /// Gives its memory back.
  void forget();
  bool empty() const { return !known_; }

 private:
  struct Known {  // all in between was read: (from, to]
    Instant from{};
    Instant to{};
  };
  Instant before_bins(Instant at, int bins) const;
  void read(const Timeline& timeline, Instant from, Instant to);

  History history_;
  std::optional<Known> known_;
};

}  // namespace drover::tui
