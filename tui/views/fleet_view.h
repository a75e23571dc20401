// The whole fleet on one page.
#pragma once

#include "tui/map/heat_levels.h"
#include "tui/map/heat_map.h"
#include "tui/map/map_metric.h"
#include "tui/state/view.h"

namespace drover::tui {

struct FleetLayout {
  Rect summary, map, device, replicas, fleet_trend, decisions, running, alerts, events;
};
/// The map gets enough rows for one cell per device, unless that would take rows from the panel of
/// the selected device.
FleetLayout lay_out_fleet(const Rect& area, const Model& model, const HeatOrder& order,
                          const FleetFilter& fleet_filter);
/// The map's cells without its heading.
Rect map_cells(const FleetLayout& layout);

class FleetView : public View {
 public:
  using View::View;

  MapMetric metric = MapMetric::utilization;  // shown by the map's colours
  Grouping grouping = Grouping::host;         // of the map

  void step_metric(int step) { advance(metric, map_metric_count, step); }
  void step_grouping() { advance(grouping, grouping_count, 1); }
  /// The colours of the next layout do not depend on those before.
  void forget_colours() { levels_.forget(); }

  void forget_layout() override { map_ = HeatMap{}; }
  void draw(const FrameContext& frame, const DrawRegion& region) const override;
  std::vector<CompactLine> compact_lines(const FrameContext& frame, int lines_max) const override;
  /// One character per device.
  void draw_below_lines(const FrameContext& frame, DrawRegion region) const override;
  int selected(const Model& model) const override;
  void move(const KeyContext& context, Move direction) override;
  bool back() override;

 protected:
  ScrolledRows lay_out(const LayoutInput& input) override;
  std::optional<int> count() const override { return static_cast<int>(map_.cells.size()); }
  void select(const Model& model, int index, int direction) override;
  std::string search_text(const Model& model, int index) const override;
  std::optional<ViewId> open_selected(const KeyContext& context) override;
  void move_on(const KeyContext& context) override { move(context, Move::right); }

 private:
  void colour(const LayoutInput& input);
  void step_in_map(const Model& model, int columns, int rows);
  /// The selected device; without one, the device with the highest value on the map.
  void draw_chosen(const FrameContext& frame, DrawRegion region) const;

  FleetLayout layout_;
  HeatMap map_;
  HeatLevels levels_;  // of the map's cells
};

/// The heat map: its heading with the scale, and its cells. `selected`: a cell; -1: none.
void draw_map(const FrameContext& frame, const HeatMap& map, MapMetric metric, int selected,
              DrawRegion heading, DrawRegion cells);

}  // namespace drover::tui
