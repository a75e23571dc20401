// The device history of the minute before the playback cursor when that is not live. It is read
// from the cursor's timeline and cached, so that steps back and forth do not read it again.
#pragma once

#include <optional>

#include "tui/history/device_history.h"
#include "tui/history/timeline.h"

namespace drover::tui {

/// Wall seconds that sparklines show.
inline constexpr int recent_seconds = 60;

class CursorHistory {
 public:
  /// `wall` is one wall second in fleet time.
  CursorHistory(Duration wall, std::size_t bytes_max);

  /// The seconds up to `shown`, read from the timeline unless cached. It has only the metrics and
  /// the resolution of sparklines.
  const DeviceHistory& follow(const Timeline& timeline, Instant shown);
  /// Starts with the live history's seconds up to `now`, which then need not be read.
  void begin(const DeviceHistory& live, Instant now);
  /// Frees its memory.
  void forget();
  bool empty() const { return !known_; }

 private:
  struct KnownRange {  // read completely: (from, to]
    Instant from{};
    Instant to{};
  };
  Instant before_bins(Instant at, int bins) const;
  void read(const Timeline& timeline, Instant from, Instant to);

  DeviceHistory history_;
  std::optional<KnownRange> known_;
};

}  // namespace drover::tui
