// The whole fleet on one page: totals, the map of all devices, the device under the cursor, what
// is loaded where; curves, decisions, running jobs and events while there is room.
#include <algorithm>
#include <array>

#include "tui/canvas/layout.h"
#include "tui/panels/fleet_panels.h"
#include "tui/panels/news_panels.h"
#include "tui/panels/panels.h"
#include "tui/views/views.h"

namespace drover::tui {
namespace {

constexpr int summary_rows = 6;
constexpr int device_rows_least = 7;

/// The chosen device, or else the one with the highest share, so that the panel is never idle.
void draw_chosen(const Scene& scene, Pen pen) {
  if (scene.choices.device) {
    if (const auto row = scene.model.find(*scene.choices.device)) {
      draw_device(scene, pen, *row, "Device");
      return;
    }
  }
  const auto& rows = scene.choices.map.order.rows;
  if (rows.empty()) return;
  draw_device(scene, pen, hottest_of(scene.model, scene.now, scene.choices.metric, rows),
              "Top device");
}

}  // namespace

FleetLayout lay_out_fleet(const Rect& area, const Model& model, const HeatOrder& order,
                          const Narrowing& narrowing) {
  const int others = summary_rows + device_rows_least + 2;  // with the blanks between
  const HeatRows map =
      heat_map_rows(model, order, area.columns, std::max(0, area.rows - others - 1));
  const auto replicas = static_cast<int>(std::min<std::size_t>(model.replicas().size(), 12));
  const std::array<Wish, 4> rows = {
      Wish{summary_rows, summary_rows, 0},
      Wish{std::max(3, map.least + 1), std::max(4, map.wanted + 1), 3},
      Wish{device_rows_least, std::max(8, replicas + 2), 2}, Wish{8, 60, 1}};
  const std::vector<Rect> parts = cut_rows(area, rows, 1);
  FleetLayout layout;
  layout.summary = parts[0];
  layout.map = parts[1];
  // On wide screens events stand beside the replicas; else below, in what is left.
  const std::array<Wish, 3> middle = {Wish{30, 46, 2}, Wish{44, 76, 3},
                                      Wish{area.columns >= 160 ? 50 : 0, 100, 3}};
  const std::vector<Rect> columns = cut_columns(parts[2], middle, 2);
  layout.device = columns[0];
  layout.replicas = columns[1];
  layout.events = columns[2];
  const bool events_below = columns[2].columns == 0;
  const std::array<Wish, 2> lower = {Wish{40, 400, 1}, Wish{34, 400, 1}};
  const std::vector<Rect> bottom = cut_columns(parts[3], lower, 2);
  layout.curves = bottom[0];
  const int alerts = alert_rows(model, narrowing);
  const bool tall = bottom[1].rows >= 18;
  const std::array<Wish, 3> lists = {Wish{4, 60, 3}, Wish{tall ? 4 : 0, 60, 3},
                                     Wish{events_below ? 4 : 0, 14 + alerts, 2}};
  const std::vector<Rect> right = cut_rows(bottom[1], lists);
  layout.decisions = right[0];
  layout.running = right[1];
  if (events_below) layout.events = right[2];
  // What is raised stands above what happened.
  const std::array<Wish, 2> told = {Wish{std::min(alerts, 2), alerts, 3}, Wish{2, 400, 1}};
  const std::vector<Rect> news = cut_rows(layout.events, told);
  layout.alerts = news[0];
  layout.events = news[1];
  return layout;
}

Rect map_cells(const FleetLayout& layout) {
  return {layout.map.column, layout.map.row + 1, layout.map.columns,
          std::max(0, layout.map.rows - 1)};
}

void draw_fleet(const Scene& scene, const Pen& pen) {
  const FleetLayout layout =
      lay_out_fleet(pen.area(), scene.model, scene.choices.map.order, scene.choices.narrowing);
  const Totals totals = totals_of(scene.model, scene.now, scene.rows_shown());
  const std::array<Wish, 3> columns = {Wish{30, 70, 3}, Wish{17, 60, 2}, Wish{25, 60, 2}};
  const std::vector<Rect> panels = cut_columns(layout.summary, columns, 2);
  draw_totals(scene, pen.on(panels[0]), totals);
  draw_job_counts(scene, pen.on(panels[1]));
  draw_service(scene, pen.on(panels[2]), totals);
  draw_map(scene, pen.on(layout.map), pen.on(map_cells(layout)));
  if (layout.device.rows > 0) draw_chosen(scene, pen.on(layout.device));
  if (layout.replicas.rows > 0) draw_replicas(scene, pen.on(layout.replicas));
  if (layout.curves.rows > 0) draw_curves(scene, pen.on(layout.curves), totals);
  if (layout.decisions.rows > 0) draw_latest_decisions(scene, pen.on(layout.decisions));
  if (layout.running.rows > 0) draw_running(scene, pen.on(layout.running));
  if (layout.alerts.rows > 0) draw_alerts(scene, pen.on(layout.alerts));
  if (layout.events.rows > 0) draw_events(scene, pen.on(layout.events));
}

}  // namespace drover::tui
