// The whole fleet on one page: totals, the map of all devices, the selected device and replicas; if
// there is room, curves, decisions, running jobs and events.
#include <algorithm>
#include <array>

#include "tui/canvas/layout.h"
#include "tui/panels/fleet_panels.h"
#include "tui/panels/log_panels.h"
#include "tui/panels/panels.h"
#include "tui/views/views.h"

namespace drover::tui {
namespace {

constexpr int summary_rows = 6;
constexpr int device_rows_least = 7;

/// Draws the selected device; without one, the device with the highest value on the map.
void draw_chosen(const FrameContext& frame, DrawRegion region) {
  if (frame.ui.device) {
    if (const auto row = frame.model.find(*frame.ui.device)) {
      draw_device(frame, region, *row, "Device");
      return;
    }
  }
  const auto& rows = frame.ui.map.order.rows;
  if (rows.empty()) return;
  draw_device(frame, region, hottest_of(frame.model, frame.now, frame.ui.metric, rows),
              "Top device");
}

}  // namespace

FleetLayout lay_out_fleet(const Rect& area, const Model& model, const HeatOrder& order,
                          const FleetFilter& fleet_filter) {
  const int others = summary_rows + device_rows_least + 2;  // with blank rows between them
  const HeatRows map =
      heat_map_rows(model, order, area.columns, std::max(0, area.rows - others - 1));
  const auto replicas = static_cast<int>(std::min<std::size_t>(model.replicas().size(), 12));
  const std::array<SizeHint, 4> rows = {
      SizeHint{summary_rows, summary_rows, 0},
      SizeHint{std::max(3, map.least + 1), std::max(4, map.wanted + 1), 3},
      SizeHint{device_rows_least, std::max(8, replicas + 2), 2}, SizeHint{8, 60, 1}};
  const std::vector<Rect> parts = cut_rows(area, rows, 1);
  FleetLayout layout;
  layout.summary = parts[0];
  layout.map = parts[1];
  // On wide screens events are beside the replicas, else below, in the remaining rows.
  const std::array<SizeHint, 3> middle = {SizeHint{30, 46, 2}, SizeHint{44, 76, 3},
                                          SizeHint{area.columns >= 160 ? 50 : 0, 100, 3}};
  const std::vector<Rect> columns = cut_columns(parts[2], middle, 2);
  layout.device = columns[0];
  layout.replicas = columns[1];
  layout.events = columns[2];
  const bool events_below = columns[2].columns == 0;
  const std::array<SizeHint, 2> lower = {SizeHint{40, 400, 1}, SizeHint{34, 400, 1}};
  const std::vector<Rect> bottom = cut_columns(parts[3], lower, 2);
  layout.fleet_trend = bottom[0];
  const int alerts = alert_rows(model, fleet_filter);
  const bool tall = bottom[1].rows >= 18;
  const std::array<SizeHint, 3> lists = {SizeHint{4, 60, 3}, SizeHint{tall ? 4 : 0, 60, 3},
                                         SizeHint{events_below ? 4 : 0, 14 + alerts, 2}};
  const std::vector<Rect> right = cut_rows(bottom[1], lists);
  layout.decisions = right[0];
  layout.running = right[1];
  if (events_below) layout.events = right[2];
  // Raised alerts are above events.
  const std::array<SizeHint, 2> log_rows = {SizeHint{std::min(alerts, 2), alerts, 3},
                                            SizeHint{2, 400, 1}};
  const std::vector<Rect> log = cut_rows(layout.events, log_rows);
  layout.alerts = log[0];
  layout.events = log[1];
  return layout;
}

Rect map_cells(const FleetLayout& layout) {
  return {layout.map.column, layout.map.row + 1, layout.map.columns,
          std::max(0, layout.map.rows - 1)};
}

void draw_fleet(const FrameContext& frame, const DrawRegion& region) {
  const FleetLayout layout =
      lay_out_fleet(region.area(), frame.model, frame.ui.map.order, frame.ui.fleet_filter);
  const Totals totals = totals_of(frame.model, frame.now, frame.rows_shown());
  const std::array<SizeHint, 3> columns = {SizeHint{30, 70, 3}, SizeHint{17, 60, 2},
                                           SizeHint{25, 60, 2}};
  const std::vector<Rect> panels = cut_columns(layout.summary, columns, 2);
  draw_totals(region.on(panels[0]), totals);
  draw_job_counts(frame, region.on(panels[1]));
  draw_service(frame, region.on(panels[2]), totals);
  draw_map(frame, region.on(layout.map), region.on(map_cells(layout)));
  if (layout.device.rows > 0) draw_chosen(frame, region.on(layout.device));
  if (layout.replicas.rows > 0) draw_replicas(frame, region.on(layout.replicas));
  if (layout.fleet_trend.rows > 0) draw_trend_charts(frame, region.on(layout.fleet_trend), totals);
  if (layout.decisions.rows > 0) draw_latest_decisions(frame, region.on(layout.decisions));
  if (layout.running.rows > 0) draw_running(frame, region.on(layout.running));
  if (layout.alerts.rows > 0) draw_alerts(frame, region.on(layout.alerts));
  if (layout.events.rows > 0) draw_events(frame, region.on(layout.events));
}

}  // namespace drover::tui
