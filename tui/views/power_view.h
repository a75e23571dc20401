// Power against caps and the spend rate against the budget over time; beside them the use of energy
// and cost, and devices that are hot or throttled. On low screens it scrolls as one page.
#pragma once

#include "tui/state/view.h"

namespace drover::tui {

/// The points of the fleet's curves that charts need: from an instant on, with bins that are not
/// longer than `bin`.
struct TrendRange {
  Instant from{};
  Duration bin{1};
};

class PowerView : public View {
 public:
  using View::View;

  /// REQUIRES a layout.
  TrendRange trend_range(const FrameContext& frame) const;

  void draw(const FrameContext& frame, const DrawRegion& region) const override;
  std::vector<CompactLine> compact_lines(const FrameContext& frame, int lines_max) const override;

  /// Rectangles relative to the page's corner.
  struct Page {
    std::vector<Rect> charts;  // the site, each pool, dollars per hour
    Rect costs, throttle_times, hottest, throttled;
    int rows = 0;
  };

 protected:
  ScrolledRows lay_out(const LayoutInput& input) override;

 private:
  Page page_;
};

}  // namespace drover::tui
