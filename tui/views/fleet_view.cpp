// The whole fleet on one page: totals, the map of all devices, the selected device and replicas; if
// there is room, curves, decisions, running jobs and events.
#include <algorithm>
#include <span>
#include <utility>

#include "tui/canvas/layout.h"
#include "tui/panels/fleet_panels.h"
#include "tui/panels/log_panels.h"
#include "tui/panels/panels.h"
#include "tui/state/update.h"
#include "tui/tables/device_queries.h"
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
  const std::vector<Rect> parts =
      cut_rows(area,
               {{summary_rows, summary_rows, 0},
                {std::max(3, map.least + 1), std::max(4, map.wanted + 1), 3},
                {device_rows_least, std::max(8, replicas + 2), 2},
                {8, 60, 1}},
               1);
  FleetLayout layout;
  layout.summary = parts[0];
  layout.map = parts[1];
  // On wide screens events are beside the replicas, else below, in the remaining rows.
  const std::vector<Rect> columns =
      cut_columns(parts[2], {{30, 46, 2}, {44, 76, 3}, {area.columns >= 160 ? 50 : 0, 100, 3}}, 2);
  layout.device = columns[0];
  layout.replicas = columns[1];
  layout.events = columns[2];
  const bool events_below = columns[2].columns == 0;
  const std::vector<Rect> bottom = cut_columns(parts[3], {{40, 400, 1}, {34, 400, 1}}, 2);
  layout.fleet_trend = bottom[0];
  const int alerts = alert_rows(model, fleet_filter);
  const bool tall = bottom[1].rows >= 18;
  const std::vector<Rect> right = cut_rows(
      bottom[1], {{4, 60, 3}, {tall ? 4 : 0, 60, 3}, {events_below ? 4 : 0, 14 + alerts, 2}});
  layout.decisions = right[0];
  layout.running = right[1];
  if (events_below) layout.events = right[2];
  // Raised alerts are above events.
  const std::vector<Rect> log =
      cut_rows(layout.events, {{std::min(alerts, 2), alerts, 3}, {2, 400, 1}});
  layout.alerts = log[0];
  layout.events = log[1];
  return layout;
}

Rect map_cells(const FleetLayout& layout) {
  return {layout.map.column, layout.map.row + 1, layout.map.columns,
          std::max(0, layout.map.rows - 1)};
}

namespace {

void draw_fleet(const FrameContext& frame, const DrawRegion& region) {
  const FleetLayout layout =
      lay_out_fleet(region.area(), frame.model, frame.ui.map.order, frame.ui.fleet_filter);
  const Totals totals = totals_of(frame.model, frame.now, frame.rows_shown());
  const std::vector<Rect> panels =
      cut_columns(layout.summary, {{30, 70, 3}, {17, 60, 2}, {25, 60, 2}}, 2);
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

/// Determines the device and the level that each cell shows.
void colour(const LayoutInput& at, UiState& ui) {
  HeatMap& map = ui.map;
  if (!at.steady) ui.levels.forget();
  ui.levels.begin({at.model.structure(), static_cast<int>(ui.metric), static_cast<int>(ui.grouping),
                   map.per_cell},
                  at.model.devices().rows());
  for (HeatCell& cell : map.cells) {
    const auto rows = std::span(map.order.rows).subspan(cell.first, cell.count);
    cell.shown = hottest_of(at.model, at.now, ui.metric, rows);
    const MapValue reading = map_value(at.model, at.now, cell.shown, ui.metric);
    cell.level = ui.levels.settle(rows.front(), reading.known() ? reading.share : absent);
  }
}

ScrolledRows arrange_fleet(const LayoutInput& at, UiState& ui) {
  HeatOrder order = order_devices(at.model, at.now, ui.grouping, ui.fleet_filter);
  const Rect cells = map_cells(lay_out_fleet(at.body, at.model, order, ui.fleet_filter));
  ui.map = lay_out_heat_map(at.model, std::move(order), cells.columns, cells.rows);
  colour(at, ui);
  return {};
}

int count_cells(const UiState& ui) { return static_cast<int>(ui.map.cells.size()); }

int selected_cell(const Model& model, const UiState& ui) {
  if (!ui.device) return -1;
  const auto row = model.find(*ui.device);
  const HeatOrder& order = ui.map.order;
  if (!row || *row >= order.places.size()) return -1;
  const std::size_t cell = cell_of(ui.map, order.places[*row]);
  return cell < ui.map.cells.size() ? static_cast<int>(cell) : -1;
}

void select_cell(const Model& model, UiState& ui, int index, int) {
  const HeatMap& map = ui.map;
  const DeviceTable::Row row = map.order.rows[map.cells[static_cast<std::size_t>(index)].first];
  if (row < model.devices().rows()) ui.device = model.id_of(row);
}

std::string cell_text(const Model& model, const UiState& ui, int index) {
  const HeatMap& map = ui.map;
  const HeatCell& cell = map.cells[static_cast<std::size_t>(index)];
  std::string text;
  for (std::uint32_t place = cell.first; place < cell.first + cell.count; ++place) {
    const DeviceTable::Row row = map.order.rows[place];
    if (row < model.devices().rows()) text += device_search_text(model, row) + " ";
  }
  return text;
}

void open_selected_cell(const Model& model, UiState& ui) {
  if (!ui.device && !ui.map.cells.empty()) select_cell(model, ui, 0, 1);
  if (ui.device) show_view(ui, View::device);
}

}  // namespace

const ViewDefinition fleet_view = {.name = "fleet",
                                   .arrange = arrange_fleet,
                                   .draw = draw_fleet,
                                   .count = count_cells,
                                   .selected = selected_cell,
                                   .select = select_cell,
                                   .text = cell_text,
                                   .open = open_selected_cell,
                                   .back = deselect_device};

}  // namespace drover::tui
