// The whole fleet on one page: totals, the map of all devices, the selected device and replicas; if
// there is room, curves, decisions, running jobs and events.
#include <algorithm>
#include <cmath>
#include <optional>
#include <span>
#include <utility>

#include <fmt/format.h>

#include "fleet/base/units.h"
#include "tui/canvas/layout.h"
#include "tui/map/map_groups.h"
#include "tui/model/alert_words.h"
#include "tui/panels/panels.h"
#include "tui/tables/device_queries.h"
#include "tui/views/view_layouts.h"
#include "tui/views/views.h"

namespace drover::tui {
namespace {

constexpr int summary_rows = 6;
constexpr int device_rows_least = 7;
constexpr int bottom_rows_least = 8;
constexpr int tall_rows_least = 3;
constexpr int readable_rows_least = 10;
constexpr int map_page_rows = 5;

/// Rows that the map may take. It leaves room for the panels below, unless the screen is so low
/// that only a map of a few rows would.
HeatRowLimits map_limits(int rows) {
  constexpr int gaps = 2, heading = 1;
  // On low screens the panels below are left out.
  const int others = device_rows_least + gaps;
  const bool alone = rows < summary_rows + 1 + 3 + others;
  const int spare = std::max(0, rows - summary_rows - heading - (alone ? 1 : others));
  const int above_others = spare - bottom_rows_least - 1;
  const int tall = above_others >= tall_rows_least ? above_others : spare;
  return {std::min(tall, rows * 2 / 5),
          std::min(above_others >= readable_rows_least ? above_others : spare, rows / 2), spare};
}

/// What the map's layout depends on. Until it changes, the map stays as it is.
struct MapSubject {
  std::uint64_t structure = 0;  // of the model
  std::uint64_t filter = 0;     // FleetFilter::result()
  Grouping grouping = Grouping::host;
  Rect body;
  std::vector<std::uint8_t> states;  // of the devices, if they are grouped by state
  bool operator==(const MapSubject&) const = default;
};

MapSubject subject_of(const LayoutInput& at, const UiState& ui) {
  MapSubject subject{at.model.structure(), ui.fleet_filter.result(), ui.map_grouping, at.body, {}};
  if (ui.map_grouping != Grouping::state) return subject;
  for (DeviceTable::Row row = 0; row < at.model.devices().rows(); ++row) {
    subject.states.push_back(
        static_cast<std::uint8_t>(most_severe_state(standing_of(at.model, at.now, row))));
  }
  return subject;
}

class FleetView : public View {
 public:
  using View::View;

  void forget_layout() override {
    map_ = HeatMap{};
    laid_out_.reset();
  }
  void draw(const FrameContext& frame, const DrawRegion& region) const override {
    const FleetLayout& layout = layout_;
    const Totals totals = totals_of(frame.model, frame.now, frame.rows_shown());
    const std::vector<Rect> panels =
        cut_columns(layout.summary, {{30, 70, 3}, {17, 60, 2}, {25, 60, 2}}, 2);
    draw_totals(region.on(panels[0]), totals);
    draw_job_counts(frame, region.on(panels[1]));
    draw_service(frame, region.on(panels[2]), totals);
    draw_map(frame, map_, ui_.map_metric, selected(frame.model), top_, region.on(layout.map),
             region.on(map_cells(layout)));
    if (layout.device.rows > 0) draw_chosen(frame, region.on(layout.device));
    if (layout.replicas.rows > 0) draw_replicas(frame, region.on(layout.replicas));
    if (layout.fleet_trend.rows > 0)
      draw_fleet_charts(frame, region.on(layout.fleet_trend), totals);
    if (layout.decisions.rows > 0) draw_latest_decisions(frame, region.on(layout.decisions));
    if (layout.running.rows > 0) draw_running(frame, region.on(layout.running));
    if (layout.alerts.rows > 0) draw_alerts(frame, region.on(layout.alerts));
    if (layout.events.rows > 0) draw_events(frame, region.on(layout.events));
  }

  std::vector<CompactLine> compact_lines(const FrameContext& frame, int) const override {
    const Totals totals = totals_of(frame.model, frame.now, frame.rows_shown());
    const auto& summary = frame.model.summary();
    std::vector<CompactLine> lines;
    const std::string alerts = open_alerts_text(open_alerts(frame.model));
    if (!alerts.empty()) lines.push_back({alerts, CellStyle::critical});
    lines.push_back({fmt::format("load {} busy {}/{}", percent_text(totals.utilization),
                                 totals.busy, totals.devices)});
    lines.push_back({fmt::format("power {}", known_text(totals.power_w, watts_text))});
    lines.push_back({fmt::format("hottest {}", rounded_text(totals.hottest_c, "C"))});
    if (summary) {
      lines.push_back({fmt::format("jobs {} run {} wait {} fail", summary->running, summary->queued,
                                   summary->failed)});
    }
    lines.push_back({fmt::format("hosts {} ok {} lost", totals.hosts_ok, totals.hosts_lost),
                     totals.hosts_lost > 0 ? CellStyle::critical : CellStyle::plain});
    return lines;
  }

  void draw_below_lines(const FrameContext& frame, DrawRegion region) const override {
    int place = 0;
    for (const DeviceTable::Row row : frame.model.device_order()) {
      if (!ui_.fleet_filter.shows(row)) continue;
      const int column = place % std::max(1, region.columns()),
                line = place / std::max(1, region.columns());
      ++place;
      if (line >= region.rows()) return;
      const MapValue reading = map_value(frame.model, frame.now, row, ui_.map_metric);
      const DeviceMarker sign = device_marker(frame.model, frame.now, row);
      const bool known =
          reading.known() && (sign.text == " " || sign.text == "*" || sign.text == "d");
      region.text(column, line,
                  known              ? " "
                  : sign.text == " " ? "-"
                                     : sign.text,
                  known ? heat_level_style(heat_level(reading.share)) : sign.style);
    }
  }

  ScrolledRows lay_out(const LayoutInput& at) override {
    MapSubject subject = subject_of(at, ui_);
    if (laid_out_ == subject) {
      layout_ = lay_out_fleet(at.body, at.model, map_rows_, ui_.fleet_filter);
    } else {
      HeatOrder order = order_devices(at.model, at.now, ui_.map_grouping, ui_.fleet_filter);
      map_rows_ = fleet_map_rows(at.body, at.model, order);
      layout_ = lay_out_fleet(at.body, at.model, map_rows_, ui_.fleet_filter);
      const Rect cells = map_cells(layout_);
      map_ = lay_out_heat_map(at.model, std::move(order), cells.columns, cells.rows);
      laid_out_ = std::move(subject);
    }
    const int seen = map_cells(layout_).rows;
    scroll_to(seen, at.model);
    colour(at);
    return {map_.rows, seen};
  }

  std::optional<ChartRange> chart_range(const FrameContext& frame) const override {
    if (layout_.fleet_trend.rows == 0) return std::nullopt;
    return fleet_chart_range(frame, layout_.fleet_trend.columns);
  }

  std::optional<int> count() const override { return static_cast<int>(map_.cells.size()); }
  int selected(const Model& model) const override {
    if (!ui_.device) return -1;
    const auto row = model.find(*ui_.device);
    const HeatOrder& order = map_.order;
    if (!row || *row >= order.places.size()) return -1;
    const std::size_t cell = cell_of(map_, order.places[*row]);
    return cell < map_.cells.size() ? static_cast<int>(cell) : -1;
  }

  void select(const Model& model, int index, int) override {
    const DeviceTable::Row row = map_.order.rows[map_.cells[static_cast<std::size_t>(index)].first];
    if (row < model.devices().rows()) ui_.device = model.id_of(row);
    ui_.map_group.reset();
    follow_ = true;
  }

  void move(const KeyContext& context, Move direction) override {
    const Model& model = context.model;
    if (move_by_group(model, direction)) return;
    switch (direction) {
      case Move::up:
      case Move::wheel_up:
        return step_in_map(model, 0, -1);
      case Move::down:
      case Move::wheel_down:
        return step_in_map(model, 0, 1);
      case Move::left:
        return step_in_map(model, -1, 0);
      case Move::right:
        return step_in_map(model, 1, 0);
      case Move::page_up:
      case Move::half_up:
      case Move::page_down:
      case Move::half_down: {
        const bool up = direction == Move::page_up || direction == Move::half_up;
        for (int i = 0; i < map_page_rows; ++i) step_in_map(model, 0, up ? -1 : 1);
        return;
      }
      case Move::first:
      case Move::last:
        return select_near(model, direction == Move::last ? items() - 1 : 0, 1);
    }
  }

  void move_on(const KeyContext& context) override { move(context, Move::right); }
  std::string search_text(const Model& model, int index) const override {
    const HeatCell& cell = map_.cells[static_cast<std::size_t>(index)];
    std::string text;
    for (std::uint32_t place = cell.first; place < cell.first + cell.count; ++place) {
      const DeviceTable::Row row = map_.order.rows[place];
      if (row < model.devices().rows()) text += device_search_text(model, row) + " ";
    }
    return text;
  }

  bool choose_group(const KeyContext& context, int group) override {
    const auto number = static_cast<std::uint32_t>(group);
    if (chosen_group() == number) return false;
    choose_group_of(context.model, number);
    return true;
  }

  std::optional<ViewId> open_selected(const KeyContext& context) override {
    if (const auto group = chosen_group()) {
      const HeatGroup& opened = map_.order.groups[*group];
      narrow(ui_, conditions_of(context.model, map_.order, opened), opened.name);
      return ViewId::devices;
    }
    if (!ui_.device && !map_.cells.empty()) select(context.model, 0, 1);
    return ui_.device ? std::optional(ViewId::device) : std::nullopt;
  }

  bool back() override {
    if (std::exchange(ui_.map_group, std::nullopt)) return true;
    return std::exchange(ui_.device, std::nullopt).has_value();
  }

 private:
  std::optional<std::uint32_t> chosen_group() const {
    return ui_.map_group ? group_named(map_.order, *ui_.map_group) : std::nullopt;
  }

  /// The selected device is then the group's first one.
  void choose_group_of(const Model& model, std::uint32_t number) {
    const HeatGroup& group = map_.order.groups[number];
    const DeviceTable::Row row = map_.order.rows[group.first];
    if (row < model.devices().rows()) ui_.device = model.id_of(row);
    ui_.map_group = group.name;
    follow_ = true;
  }

  /// Left of a group's first cell is its name. From there, up and down lead to other groups. False
  /// if the key moves between cells.
  bool move_by_group(const Model& model, Move direction) {
    const auto chosen = chosen_group();
    if (!chosen) {
      const int cell = direction == Move::left ? selected(model) : -1;
      if (cell < 0) return false;
      const auto group = group_named_at(map_, map_.cells[static_cast<std::size_t>(cell)]);
      if (group) choose_group_of(model, *group);
      return group.has_value();
    }
    if (direction == Move::up || direction == Move::down) {
      choose_group_of(model, next_group(map_.order, *chosen, direction == Move::up ? -1 : 1));
      return true;
    }
    ui_.map_group.reset();
    return direction == Move::right;
  }

  /// Scrolls as J and K ask, or to the cell that was just selected.
  void scroll_to(int seen, const Model& model) {
    const int end = std::max(0, map_.rows - seen);
    if (!std::exchange(follow_, false)) {
      top_ = std::clamp(ui_.details_top, 0, end);
      return;
    }
    if (const int cell = selected(model); cell >= 0) {
      const int row = map_.cells[static_cast<std::size_t>(cell)].row;
      top_ = std::clamp(top_, row + map_.cell.lines - seen, row);
    }
    top_ = std::clamp(top_, 0, end);
    ui_.details_top = top_;
  }

  /// Determines the device and the level that each cell shows, and the hottest device of all.
  void colour(const LayoutInput& at) {
    if (!at.steady) ui_.map_levels.forget();
    ui_.map_levels.begin({at.model.structure(), static_cast<int>(ui_.map_metric),
                          static_cast<int>(ui_.map_grouping), map_.per_cell},
                         at.model.devices().rows());
    double most = absent;
    hottest_ = map_.order.rows.empty() ? 0 : map_.order.rows.front();
    for (HeatCell& cell : map_.cells) {
      const auto rows = std::span(map_.order.rows).subspan(cell.first, cell.count);
      cell.shown = hottest_of(at.model, at.now, ui_.map_metric, rows);
      const MapValue reading = map_value(at.model, at.now, cell.shown, ui_.map_metric);
      const double share = reading.known() ? reading.share : absent;
      cell.level = ui_.map_levels.settle(rows.front(), share);
      cell.shade = ui_.map_levels.settle_shade(rows.front(), share);
      if (std::isnan(share) || share <= most) continue;
      most = share;
      hottest_ = cell.shown;
    }
  }

  void step_in_map(const Model& model, int columns, int rows) {
    const int from = selected(model);
    const std::size_t cell = from < 0 ? map_.cells.size() : static_cast<std::size_t>(from);
    select_near(model, static_cast<int>(neighbour(map_, cell, columns, rows)), 1);
  }

  void draw_chosen(const FrameContext& frame, DrawRegion region) const {
    if (ui_.device) {
      if (const auto row = frame.model.find(*ui_.device)) {
        draw_device(frame, region, *row, "Device");
        return;
      }
    }
    if (map_.order.rows.empty()) return;
    draw_device(frame, region, hottest_, fmt::format("Highest {}:", facts(ui_.map_metric).name));
  }

  std::optional<MapSubject> laid_out_;  // what map_rows_ and map_ are of
  HeatRows map_rows_;
  FleetLayout layout_;
  HeatMap map_;
  DeviceTable::Row hottest_ = 0;
  int top_ = 0;          // first visible row of the map
  bool follow_ = false;  // the map must scroll until the selected cell is visible
};

}  // namespace

HeatRows fleet_map_rows(const Rect& area, const Model& model, const HeatOrder& order) {
  return heat_map_rows(model, order, area.columns, map_limits(area.rows));
}

FleetLayout lay_out_fleet(const Rect& area, const Model& model, const HeatRows& map,
                          const FleetFilter& fleet_filter) {
  const auto replicas = static_cast<int>(std::min<std::size_t>(model.replicas().size(), 12));
  // Nothing loads models on real devices.
  const bool serves = replicas > 0 || !all_real(model);
  const std::vector<Rect> parts =
      cut_rows(area,
               {{summary_rows, summary_rows, 0},
                {std::max(3, map.wanted + 1), std::max(4, map.wanted + 1), 0},
                {device_rows_least, std::max(8, replicas + 2), 2},
                {bottom_rows_least, 60, 4}},
               1);
  FleetLayout layout;
  layout.summary = parts[0];
  layout.map = parts[1];
  // On wide screens events are beside the replicas, else below, in the remaining rows.
  const std::vector<Rect> columns = cut_columns(
      parts[2],
      {{30, 46, 2}, {serves ? 44 : 0, 76, 3}, {area.columns >= 160 || !serves ? 46 : 0, 100, 3}},
      2);
  layout.device = columns[0];
  layout.replicas = columns[1];
  layout.events = columns[2];
  const bool events_below = columns[2].columns == 0;
  const std::vector<Rect> bottom = cut_columns(parts[3], {{40, 400, 1}, {34, 400, 1}}, 2);
  layout.fleet_trend = bottom[0];
  const int alerts =
      alert_rows(model, fleet_filter, events_below ? bottom[1].columns : layout.events.columns);
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

std::unique_ptr<View> make_fleet_view(UiState& ui) { return std::make_unique<FleetView>(ui); }

}  // namespace drover::tui
