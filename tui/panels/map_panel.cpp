// The heat map of the fleet view: a cell per device, coloured by the chosen metric, with the names
// of racks and hosts.
#include <algorithm>
#include <array>
#include <cmath>

#include <fmt/format.h>

#include "fleet/base/text.h"
#include "fleet/base/units.h"
#include "tui/panels/panels.h"
#include "tui/tables/device_queries.h"

namespace drover::tui {
namespace {

/// The number that fits into a cell, with "~" if the end of its scale is assumed.
std::string cell_text(const MapValue& reading, MapMetric metric, int width) {
  if (std::isnan(reading.display_value)) return "-";
  // 100 does not fit into two columns; its colour distinguishes it from 99.
  const double number = std::min(reading.display_value, width < 4 ? 99.0 : 999.0);
  const bool tenths = metric == MapMetric::age && width >= 4 && number < 9.95;
  std::string text = fmt::format("{:.{}f}", number, tenths ? 1 : 0);
  const int room = width >= 4 ? width - 1 : width;
  if (reading.assumed && static_cast<int>(text.size()) < room) text.insert(0, "~");
  return text;
}

void draw_cell(const FrameContext& frame, DrawRegion& region, const HeatMap& map, MapMetric metric,
               const HeatCell& cell, bool selected) {
  // A device that is lost or not usable shows a symbol instead of a number; one that is drained or
  // has a fault shows a symbol beside the number.
  const DeviceMarker sign = device_marker(frame.model, frame.now, cell.shown);
  const bool gone = sign.text == "x" || sign.text == "!";
  const bool beside = sign.text == "*" || sign.text == "d";
  const bool shown = !gone && cell.level >= 0;
  // A blank column at the end separates the numbers of neighbours.
  const int width = map.cell_columns > 2 ? map.cell_columns - 1 : map.cell_columns;
  const CellStyle style = gone    ? CellStyle::critical
                          : shown ? heat_level_style(cell.level)
                                  : CellStyle::stale;
  std::string text(static_cast<std::size_t>(width), ' ');
  if (width >= 2) {
    const std::string number =
        gone ? std::string(sign.text)
             : cell_text(map_value(frame.model, frame.now, cell.shown, metric), metric, width);
    const int margin = width >= 4 ? 1 : 0;
    text = fmt::format("{:>{}}{:{}}", number, width - margin, "", margin);
  } else if (!shown) {
    text = gone ? sign.text : "-";
  }
  if (selected) {
    // The cursor must be visible on any colour and without colours, so it is a shape and a style.
    text = width >= 4 ? fmt::format("[{:>{}}]", text.substr(1, static_cast<std::size_t>(width - 2)),
                                    width - 2)
                      : (width == 1 ? std::string("X") : text);
  }
  region.text(cell.column, cell.row, text, selected ? CellStyle::selected : style);
  if (beside && !selected) {
    region.text(cell.column + width - 1, cell.row, sign.text, sign.style);
  }
}

void draw_host_label(const FrameContext& frame, DrawRegion& region, const HeatMap& map,
                     const HeatLabel& label, std::uint32_t host) {
  const HostChanged& reported = frame.model.hosts()[host].reported;
  int column = label.column;
  if (map.rack_columns > 0) {
    if (label.shows_rack) {
      region.field(column, label.row, map.rack_columns, reported.registration.rack,
                   CellStyle::faint);
    }
    column += map.rack_columns + 1;
  }
  const CellStyle style = reported.health == Health::left      ? CellStyle::stale
                          : reported.health == Health::lost    ? CellStyle::critical
                          : reported.health == Health::suspect ? CellStyle::warm
                                                               : CellStyle::plain;
  region.field(column, label.row, map.name_columns, reported.registration.host, style);
  column += map.name_columns + 1;
  if (map.kind_columns > 0 && !reported.registration.groups.empty()) {
    region.field(column, label.row, map.kind_columns, reported.registration.groups.front().device,
                 CellStyle::faint);
  }
}

/// The group's name, number of devices, and mean of the metric over the devices that report it.
void draw_group_label(const FrameContext& frame, DrawRegion& region, const HeatMap& map,
                      MapMetric metric, const HeatLabel& label, const HeatGroup& group) {
  int column = label.column;
  region.field(column, label.row, map.name_columns, group.name);
  column += map.name_columns + 1;
  if (map.count_columns > 0) {
    region.field(column, label.row, map.count_columns, std::to_string(group.count),
                 CellStyle::faint, Align::right);
    column += map.count_columns + 1;
  }
  if (map.mean_columns > 0) {
    const double mean = mean_map_value(frame.model, frame.now, metric, map.order.rows_of(group));
    region.field(column, label.row, map.mean_columns, map_value_text(metric, mean),
                 CellStyle::faint, Align::right);
  }
}

void draw_label(const FrameContext& frame, DrawRegion& region, const HeatMap& map, MapMetric metric,
                const HeatLabel& label) {
  if (map.name_columns <= 0) return;
  const HeatGroup& group = map.order.groups[label.group];
  map.order.grouping == Grouping::host ? draw_host_label(frame, region, map, label, group.host)
                                       : draw_group_label(frame, region, map, metric, label, group);
}

/// The sums of a host, if each host has a line and there is room.
void draw_host_sums(const FrameContext& frame, DrawRegion& region, const HeatMap& map,
                    const HeatLabel& label) {
  const HeatGroup& group = map.order.groups[label.group];
  const HostRow& host = frame.model.hosts()[group.host];
  const int column = map.sums_column;
  if (is_gone(host.reported.health) || host.last_sample_at == Instant::min()) {
    const std::string age = host.last_sample_at == Instant::min()
                                ? std::string("no sample yet")
                                : duration_text(frame.s_since(host.last_sample_at)) + " ago";
    region.field(column, label.row, host_sums_columns,
                 fmt::format("{}, {}", to_text(host.reported.health), age), CellStyle::stale);
    return;
  }
  const ReadingSums sums = sums_of(frame.model, map.order.rows_of(group));
  const CellStyle style =
      group.count > 0 && frame.stale(host) ? CellStyle::stale : CellStyle::faint;
  region.field(column, label.row, host_sums_columns,
               fmt::format("mean {:>4} {:>8} {:>5}", percent_text(sums.load),
                           known_text(sums.power_w, watts_text), rounded_text(sums.hottest_c, "C")),
               style);
}

/// The column of the scale in the heading, and how many symbols are explained after it.
struct ScalePlace {
  int column = 0;
  int signs = 0;
};

struct Sign {
  std::string_view sign, meaning;
  CellStyle style;
};
constexpr std::array<Sign, 4> signs = {{{"-", "no data", CellStyle::stale},
                                        {"x", "lost", CellStyle::critical},
                                        {"!", "not usable", CellStyle::critical},
                                        {"*", "fault injected", CellStyle::fault}}};

ScalePlace scale_place(const FrameContext& frame, const MapMetricFacts& metric, int columns,
                       int title_columns) {
  // The last two only if there are such devices.
  const int count = frame.model.conditions().empty() ? 2 : 4;
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

void draw_scale(DrawRegion region, const MapMetricFacts& metric, const ScalePlace& place) {
  int column = place.column;
  if (column < 24) return;
  column = region.text(column, 0, fmt::format(" {} ", metric.cold), CellStyle::faint);
  for (int level = 0; level < heat_level_count; ++level) {
    column = region.text(column, 0, " ", heat_level_style(level));
  }
  column = region.text(column, 0, fmt::format(" {}", metric.hot), CellStyle::faint);
  for (int i = 0; i < place.signs; ++i) {
    const Sign& sign = signs[static_cast<std::size_t>(i)];
    column = region.text(column, 0, fmt::format("  {}", sign.sign), sign.style);
    column = region.text(column, 0, fmt::format(" {}", sign.meaning), CellStyle::faint);
  }
}

/// "12 of 36 devices per pool by memory (1 cell = up to 5 devices, the hottest shown)"; if not
/// `whole`, "(the hottest of 5)".
std::string title_of(const FrameContext& frame, const HeatMap& map, const MapMetricFacts& metric,
                     bool whole) {
  std::string title = "Devices";
  if (frame.ui.fleet_filter.active()) {
    title = fmt::format("{} of {}", map.order.rows.size(),
                        counted(frame.model.devices().rows(), "device"));
  }
  if (map.order.grouping != Grouping::host) {
    title += fmt::format(" per {}", to_text(map.order.grouping));
  }
  title += fmt::format(" by {}", metric.name);
  if (map.per_cell > 1 && whole) {
    title += fmt::format(" (1 cell = up to {} devices, the hottest shown)", map.per_cell);
  } else if (map.per_cell > 1) {
    title += fmt::format(" (the hottest of {})", map.per_cell);
  }
  return title;
}

void draw_heading(const FrameContext& frame, DrawRegion region, const HeatMap& map,
                  const MapMetricFacts& metric) {
  constexpr int margin = 4;  // part of the heading's line between the title and the scale
  std::string title = title_of(frame, map, metric, true);
  ScalePlace place =
      scale_place(frame, metric, region.columns(), static_cast<int>(title.size()) + margin);
  if (static_cast<int>(title.size()) + margin > place.column) {
    title = title_of(frame, map, metric, false);
    place = scale_place(frame, metric, region.columns(), static_cast<int>(title.size()) + margin);
  }
  region.heading(0, title);
  draw_scale(region, metric, place);
}

std::string_view nothing_text(const FrameContext& frame) {
  if (frame.model.devices().rows() > 0) return "no device matches the filter";
  if (!frame.cursor.live()) return "no hosts yet at this moment";
  return frame.subscriber.has_snapshot() ? "no hosts yet: start one with `drover agent`"
                                         : "waiting for the router's snapshot";
}

}  // namespace

void draw_map(const FrameContext& frame, const HeatMap& map, MapMetric metric, int selected,
              DrawRegion heading, DrawRegion cells) {
  draw_heading(frame, heading, map, facts(metric));
  if (map.order.rows.empty() && map.labels.empty()) {
    cells.text(0, 0, nothing_text(frame), CellStyle::faint);
    return;
  }
  for (const HeatLabel& label : map.labels) {
    draw_label(frame, cells, map, metric, label);
    // A click on a label selects the group's first device.
    const std::size_t first = cell_of(map, map.order.groups[label.group].first);
    if (first < map.cells.size()) {
      frame.click_targets.add({cells.area().column + label.column, cells.area().row + label.row,
                               map.rack_columns + 1 + map.name_columns, 1},
                              ClickTarget::Kind::item, static_cast<int>(first));
    }
    if (map.sums_column > 0) draw_host_sums(frame, cells, map, label);
  }
  for (std::size_t i = 0; i < map.cells.size(); ++i) {
    draw_cell(frame, cells, map, metric, map.cells[i], static_cast<int>(i) == selected);
    const Rect& area = cells.area();
    frame.click_targets.add({area.column + map.cells[i].column, area.row + map.cells[i].row,
                             std::max(1, map.cell_columns), 1},
                            ClickTarget::Kind::item, static_cast<int>(i));
  }
}

}  // namespace drover::tui
