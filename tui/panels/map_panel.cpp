// The map of all devices on the fleet view: a cell each, coloured by the chosen metric, with the
// names of racks and hosts.
#include <algorithm>
#include <array>
#include <cmath>

#include <fmt/format.h>

#include "fleet/base/text.h"
#include "fleet/base/units.h"
#include "tui/panels/fleet_panels.h"
#include "tui/state/update.h"
#include "tui/tables/device_facts.h"

namespace drover::tui {
namespace {

/// What fits into a cell; "~" before a number whose scale is assumed.
std::string cell_text(const MapReading& reading, MapMetric metric, int width) {
  if (std::isnan(reading.figure)) return "-";
  // Two columns cannot hold 100; the colour tells it from 99.
  const double number = std::min(reading.figure, width < 4 ? 99.0 : 999.0);
  const bool tenths = metric == MapMetric::age && width >= 4 && number < 9.95;
  std::string text = fmt::format("{:.{}f}", number, tenths ? 1 : 0);
  const int room = width >= 4 ? width - 1 : width;
  if (reading.assumed && static_cast<int>(text.size()) < room) text.insert(0, "~");
  return text;
}

void draw_cell(const Scene& scene, Pen& pen, const HeatMap& map, const HeatCell& cell,
               bool selected) {
  const MapMetric metric = scene.choices.metric;
  // Of a device that is lost or not usable there is a sign instead of a number, of one with a fault
  // in it, or drained, a sign beside the number.
  const DeviceSign sign = sign_of(scene.model, scene.now, cell.shown);
  const bool gone = sign.text == "x" || sign.text == "!";
  const bool beside = sign.text == "*" || sign.text == "d";
  const bool shown = !gone && cell.level >= 0;
  // One blank column at the end parts neighbours where a number would run into the next.
  const int width = map.cell_columns > 2 ? map.cell_columns - 1 : map.cell_columns;
  const Role role = gone ? Role::critical : shown ? level_role(cell.level) : Role::stale;
  std::string text(static_cast<std::size_t>(width), ' ');
  if (width >= 2) {
    const std::string number =
        gone ? std::string(sign.text)
             : cell_text(map_reading(scene.model, scene.now, cell.shown, metric), metric, width);
    const int margin = width >= 4 ? 1 : 0;
    text = fmt::format("{:>{}}{:{}}", number, width - margin, "", margin);
  } else if (!shown) {
    text = gone ? sign.text : "-";
  }
  if (selected) {
    // The cursor must be seen on any colour and on none, so it is a shape and a role.
    text = width >= 4 ? fmt::format("[{:>{}}]", text.substr(1, static_cast<std::size_t>(width - 2)),
                                    width - 2)
                      : (width == 1 ? std::string("X") : text);
  }
  pen.text(cell.column, cell.row, text, selected ? Role::selected : role);
  if (beside && !selected) {
    pen.text(cell.column + width - 1, cell.row, sign.text, sign.role);
  }
}

void draw_host_label(const Scene& scene, Pen& pen, const HeatMap& map, const HeatLabel& label,
                     std::uint32_t host) {
  const HostChanged& said = scene.model.hosts()[host].said;
  int column = label.column;
  if (map.rack_columns > 0) {
    if (label.shows_rack) {
      pen.field(column, label.row, map.rack_columns, said.hello.rack, Role::faint);
    }
    column += map.rack_columns + 1;
  }
  const Role role = said.health == Health::left      ? Role::stale
                    : said.health == Health::lost    ? Role::critical
                    : said.health == Health::suspect ? Role::warm
                                                     : Role::plain;
  pen.field(column, label.row, map.name_columns, said.hello.host, role);
  column += map.name_columns + 1;
  if (map.kind_columns > 0 && !said.hello.groups.empty()) {
    pen.field(column, label.row, map.kind_columns, said.hello.groups.front().device, Role::faint);
  }
}

/// Its name, how many devices it has, and the mean of the metric over those that tell it.
void draw_group_label(const Scene& scene, Pen& pen, const HeatMap& map, const HeatLabel& label,
                      const HeatGroup& group) {
  int column = label.column;
  pen.field(column, label.row, map.name_columns, group.name);
  column += map.name_columns + 1;
  if (map.count_columns > 0) {
    pen.field(column, label.row, map.count_columns, std::to_string(group.count), Role::faint,
              Align::right);
    column += map.count_columns + 1;
  }
  if (map.mean_columns > 0) {
    const double mean =
        mean_figure(scene.model, scene.now, scene.choices.metric, map.order.rows_of(group));
    pen.field(column, label.row, map.mean_columns, figure_text(scene.choices.metric, mean),
              Role::faint, Align::right);
  }
}

void draw_label(const Scene& scene, Pen& pen, const HeatMap& map, const HeatLabel& label) {
  if (map.name_columns <= 0) return;
  const HeatGroup& group = map.order.groups[label.group];
  map.order.grouping == Grouping::host ? draw_host_label(scene, pen, map, label, group.host)
                                       : draw_group_label(scene, pen, map, label, group);
}

/// Where hosts have a line each and room is left: what they add up to.
void draw_host_sums(const Scene& scene, Pen& pen, const HeatMap& map, const HeatLabel& label) {
  const HeatGroup& group = map.order.groups[label.group];
  const HostRow& host = scene.model.hosts()[group.host];
  const int column = map.sums_column;
  const Model& model = scene.model;
  if (is_gone(host.said.health) || host.sampled == Instant::min()) {
    const std::string age = host.sampled == Instant::min()
                                ? std::string("no sample yet")
                                : duration_text(scene.s_since(host.sampled)) + " ago";
    pen.field(column, label.row, host_sums_columns,
              fmt::format("{}, {}", to_text(host.said.health), age), Role::stale);
    return;
  }
  double load = 0, power_w = absent, hottest_c = absent;
  int loads = 0;  // the devices that told it
  for (const DeviceTable::Row row : map.order.rows_of(group)) {
    const double share = model.reading(row, Metric::utilization);
    if (!std::isnan(share)) {
      load += share;
      ++loads;
    }
    const double watts = model.reading(row, Metric::power);
    if (!std::isnan(watts)) power_w = std::isnan(power_w) ? watts : power_w + watts;
    const double celsius = model.reading(row, Metric::temperature);
    if (!std::isnan(celsius) && !(hottest_c >= celsius)) hottest_c = celsius;
  }
  const Role role = group.count > 0 && scene.stale(host) ? Role::stale : Role::faint;
  pen.field(column, label.row, host_sums_columns,
            fmt::format(
                "mean {:>4} {:>8} {:>5}", percent_text(loads > 0 ? load / loads : absent),
                known_text(power_w, watts_text),
                std::isnan(hottest_c) ? std::string(not_known) : fmt::format("{:.0f}C", hottest_c)),
            role);
}

/// From where the scale stands in the heading, and whether signs are explained behind it.
struct ScalePlace {
  int column = 0;
  int signs = 0;
};

struct Sign {
  std::string_view sign, meaning;
  Role role;
};
constexpr std::array<Sign, 4> signs = {{{"-", "no data", Role::stale},
                                        {"x", "lost", Role::critical},
                                        {"!", "not usable", Role::critical},
                                        {"*", "fault injected", Role::fault}}};

ScalePlace scale_place(const Scene& scene, int columns, int title_columns) {
  const MapMetricFacts& metric = facts(scene.choices.metric);
  // The last two only where there are such devices.
  const int count = scene.model.conditions().empty() ? 2 : 4;
  int width = 0;
  for (int i = 0; i < count; ++i) {
    width += static_cast<int>(signs[static_cast<std::size_t>(i)].meaning.size()) + 4;
  }
  const int scale = heat_level_count + static_cast<int>(metric.cold.size() + metric.hot.size()) + 3;
  if (columns - scale - width >= std::max(44, title_columns)) {
    return {columns - scale - width, count};
  }
  return {columns - scale, 0};
}

void draw_scale(const Scene& scene, Pen pen, const ScalePlace& place) {
  const MapMetricFacts& metric = facts(scene.choices.metric);
  int column = place.column;
  if (column < 24) return;
  column = pen.text(column, 0, fmt::format(" {} ", metric.cold), Role::faint);
  for (int level = 0; level < heat_level_count; ++level) {
    column = pen.text(column, 0, " ", level_role(level));
  }
  column = pen.text(column, 0, fmt::format(" {}", metric.hot), Role::faint);
  for (int i = 0; i < place.signs; ++i) {
    const Sign& sign = signs[static_cast<std::size_t>(i)];
    column = pen.text(column, 0, fmt::format("  {}", sign.sign), sign.role);
    column = pen.text(column, 0, fmt::format(" {}", sign.meaning), Role::faint);
  }
}

/// "12 of 36 devices per pool by memory (1 cell = up to 5 devices, the hottest shown)"; in short:
/// "(the hottest of 5)".
std::string title_of(const Scene& scene, bool whole) {
  const HeatMap& map = scene.choices.map;
  std::string title = "Devices";
  if (scene.choices.narrowing.active()) {
    title = fmt::format("{} of {}", map.order.rows.size(),
                        counted(scene.model.devices().rows(), "device"));
  }
  if (map.order.grouping != Grouping::host) {
    title += fmt::format(" per {}", to_text(map.order.grouping));
  }
  title += fmt::format(" by {}", facts(scene.choices.metric).name);
  if (map.per_cell > 1 && whole) {
    title += fmt::format(" (1 cell = up to {} devices, the hottest shown)", map.per_cell);
  } else if (map.per_cell > 1) {
    title += fmt::format(" (the hottest of {})", map.per_cell);
  }
  return title;
}

void draw_heading(const Scene& scene, Pen pen) {
  constexpr int margin = 4;  // the line goes on between the title and the scale
  std::string title = title_of(scene, true);
  ScalePlace place = scale_place(scene, pen.columns(), static_cast<int>(title.size()) + margin);
  if (static_cast<int>(title.size()) + margin > place.column) {
    title = title_of(scene, false);
    place = scale_place(scene, pen.columns(), static_cast<int>(title.size()) + margin);
  }
  pen.heading(0, title);
  draw_scale(scene, pen, place);
}

std::string_view nothing_text(const Scene& scene) {
  if (scene.model.devices().rows() > 0) return "no device that the filter shows";
  if (!scene.cursor.live()) return "no hosts yet at this moment";
  return scene.feed.has_snapshot() ? "no hosts yet: start one with `drover agent`"
                                   : "waiting for the router's snapshot";
}

}  // namespace

void draw_map(const Scene& scene, Pen heading, Pen cells) {
  const HeatMap& map = scene.choices.map;
  draw_heading(scene, heading);
  if (map.order.rows.empty() && map.labels.empty()) {
    cells.text(0, 0, nothing_text(scene), Role::faint);
    return;
  }
  for (const HeatLabel& label : map.labels) {
    draw_label(scene, cells, map, label);
    // A click on it selects the first of its devices.
    const std::size_t first = cell_of(map, map.order.groups[label.group].first);
    if (first < map.cells.size()) {
      scene.hits.add({cells.area().column + label.column, cells.area().row + label.row,
                      map.rack_columns + 1 + map.name_columns, 1},
                     Hit::Kind::item, static_cast<int>(first));
    }
    if (map.sums_column > 0) draw_host_sums(scene, cells, map, label);
  }
  const int selected = selected_index(scene.model, scene.choices);
  for (std::size_t i = 0; i < map.cells.size(); ++i) {
    draw_cell(scene, cells, map, map.cells[i], static_cast<int>(i) == selected);
    const Rect& area = cells.area();
    scene.hits.add({area.column + map.cells[i].column, area.row + map.cells[i].row,
                    std::max(1, map.cell_columns), 1},
                   Hit::Kind::item, static_cast<int>(i));
  }
}

}  // namespace drover::tui
