// The heat map of the fleet view: a cell per device, coloured by the chosen metric, with the names
// of racks and hosts.
#include <algorithm>
#include <string>

#include <fmt/format.h>

#include "fleet/base/text.h"
#include "fleet/base/units.h"
#include "tui/panels/map_parts.h"
#include "tui/panels/panels.h"
#include "tui/tables/device_queries.h"

namespace drover::tui {
namespace {

void draw_host_label(const FrameContext& frame, DrawRegion& region, const HeatMap& map,
                     const HeatLabel& label, int row, std::uint32_t host) {
  const HostChanged& reported = frame.model.hosts()[host].reported;
  int column = label.column;
  if (map.rack_columns > 0) {
    if (label.shows_rack) {
      region.field(column, row, map.rack_columns, reported.registration.rack, CellStyle::faint);
    }
    column += map.rack_columns + 1;
  }
  const CellStyle style = reported.health == Health::left      ? CellStyle::stale
                          : reported.health == Health::lost    ? CellStyle::critical
                          : reported.health == Health::suspect ? CellStyle::warm
                                                               : CellStyle::plain;
  region.field(column, row, map.name_columns, reported.registration.host, style);
  column += map.name_columns + 1;
  if (map.kind_columns > 0 && !reported.registration.groups.empty()) {
    region.field(column, row, map.kind_columns, reported.registration.groups.front().device,
                 CellStyle::faint);
  }
}

/// The group's name, number of devices, and mean of the metric over the devices that report it.
void draw_group_label(const FrameContext& frame, DrawRegion& region, const HeatMap& map,
                      MapMetric metric, const HeatLabel& label, int row, const HeatGroup& group) {
  int column = label.column;
  region.field(column, row, map.name_columns, group.name);
  column += map.name_columns + 1;
  if (map.count_columns > 0) {
    region.field(column, row, map.count_columns, std::to_string(group.count), CellStyle::faint,
                 Align::right);
    column += map.count_columns + 1;
  }
  if (map.mean_columns > 0) {
    const double mean = mean_map_value(frame.model, frame.now, metric, map.order.rows_of(group));
    region.field(column, row, map.mean_columns, map_value_text(metric, mean), CellStyle::faint,
                 Align::right);
  }
}

/// A line that continues the one before: the number of its first device.
void draw_continued(const FrameContext& frame, DrawRegion& region, const HeatMap& map,
                    const HeatLabel& label, int row) {
  const HeatGroup& group = map.order.groups[label.group];
  if (map.order.grouping != Grouping::host) return;
  const DeviceTable::Row first = map.order.rows_of(group)[label.within];
  const int before = map.rack_columns > 0 ? map.rack_columns + 1 : 0;
  region.field(label.column + before, row, map.name_columns,
               fmt::format("/{}", frame.model.devices().index(first)), CellStyle::faint,
               Align::right);
}

void draw_label(const FrameContext& frame, DrawRegion& region, const HeatMap& map, MapMetric metric,
                const HeatLabel& label, int row) {
  if (map.name_columns <= 0) return;
  const HeatGroup& group = map.order.groups[label.group];
  if (label.within > 0 && !map.packed) return draw_continued(frame, region, map, label, row);
  map.order.grouping == Grouping::host
      ? draw_host_label(frame, region, map, label, row, group.host)
      : draw_group_label(frame, region, map, metric, label, row, group);
}

/// Why a host has no sums: "lost, 53s ago"; empty if it has.
std::string absence_text(const FrameContext& frame, const HostRow& host) {
  const bool never = host.last_sample_at == Instant::min();
  if (!never && !is_gone(host.reported.health)) return {};
  return fmt::format("{}, {}", to_text(host.reported.health),
                     never ? std::string("no sample yet")
                           : duration_text(frame.s_since(host.last_sample_at)) + " ago");
}

/// The sums of a host, if each host has a line and there is room.
void draw_host_sums(const FrameContext& frame, DrawRegion& region, const HeatMap& map,
                    const HeatLabel& label, int row) {
  const HeatGroup& group = map.order.groups[label.group];
  const HostRow& host = frame.model.hosts()[group.host];
  std::string text = absence_text(frame, host);
  const bool old = !text.empty() || (group.count > 0 && frame.stale(host));
  if (text.empty()) {
    const ReadingSums sums = sums_of(frame.model, map.order.rows_of(group));
    text = fmt::format("mean {:>4} {:>8} max {:>4}", percent_text(sums.load),
                       known_text(sums.power_w, watts_text), rounded_text(sums.hottest_c, "C"));
  }
  region.field(map.sums_column, row, host_sums_columns, text,
               old ? CellStyle::stale : CellStyle::faint);
}

/// The sums of a group below its name, as many as fit.
void draw_sums_below(const FrameContext& frame, DrawRegion& region, const HeatMap& map,
                     const HeatLabel& label, int row) {
  const HeatGroup& group = map.order.groups[label.group];
  const int before = map.rack_columns > 0 ? map.rack_columns + 1 : 0;
  const int width = map_label_columns(map) - before - 1;
  std::string text;
  if (map.order.grouping == Grouping::host) {
    text = absence_text(frame, frame.model.hosts()[group.host]);
  }
  const bool gone = !text.empty();
  if (!gone) {
    const ReadingSums sums = sums_of(frame.model, map.order.rows_of(group));
    for (const std::string& part : {percent_text(sums.load), known_text(sums.power_w, watts_text),
                                    "max " + rounded_text(sums.hottest_c, "C")}) {
      if (columns_of(text) + 1 + columns_of(part) <= width) add_part(text, " ", part);
    }
    if (columns_of(text) + 5 <= width) text.insert(0, "mean ");
  }
  region.field(label.column + before, row, width, text, gone ? CellStyle::stale : CellStyle::faint);
}

std::string_view nothing_text(const FrameContext& frame) {
  if (frame.model.devices().rows() > 0) return "no device matches the filter";
  if (!frame.cursor.live()) return "no hosts yet at this moment";
  return frame.subscriber.has_snapshot() ? "no hosts yet: start one with `drover agent`"
                                         : "waiting for the router's snapshot";
}

/// Draws the rows from `top` on and returns the signs that it shows.
unsigned draw_cells(const FrameContext& frame, const HeatMap& map, MapMetric metric, int selected,
                    DrawRegion& region, int top) {
  unsigned signs = 0;
  const Rect& area = region.area();
  for (std::size_t i = 0; i < map.cells.size(); ++i) {
    const HeatCell& cell = map.cells[i];
    const int row = cell.row - top;
    if (row < 0 || row >= region.rows()) continue;
    signs |= draw_map_cell(frame, region, map, metric, cell, row,
                           static_cast<int>(i) == selected && !frame.ui.map_group);
    frame.click_targets.add(
        {area.column + cell.column, area.row + row, std::max(1, map.cell.columns), map.cell.lines},
        ClickTarget::Kind::item, static_cast<int>(i));
  }
  return signs;
}

void draw_labels(const FrameContext& frame, const HeatMap& map, MapMetric metric,
                 DrawRegion& region, int top) {
  const Rect& area = region.area();
  for (const HeatLabel& label : map.labels) {
    const int row = label.row - top;
    if (row < 0 || row >= region.rows()) continue;
    draw_label(frame, region, map, metric, label, row);
    if (map.sums_column > 0) draw_host_sums(frame, region, map, label, row);
    if (map.cell.lines > 1 && label.within == 0 && map.name_columns > 0) {
      draw_sums_below(frame, region, map, label, row + 1);
    }
    // A click on a label chooses the group.
    const HeatGroup& group = map.order.groups[label.group];
    if (group.count == 0 || map.name_columns <= 0) continue;
    const Rect place = {area.column + label.column, area.row + row,
                        map.rack_columns + 1 + map.name_columns, map.cell.lines};
    frame.click_targets.add(place, ClickTarget::Kind::group, static_cast<int>(label.group));
    if (label.within == 0 && frame.ui.map_group == group.name) {
      region.part({label.column, row, map_label_columns(map) - 1, 1}).tint(0, CellStyle::selected);
    }
  }
}

}  // namespace

void draw_map(const FrameContext& frame, const HeatMap& map, MapMetric metric, int selected,
              int top, DrawRegion heading, DrawRegion cells) {
  unsigned signs = 0;
  if (map.order.rows.empty() && map.labels.empty()) {
    cells.text(0, 0, nothing_text(frame), CellStyle::faint);
  } else {
    draw_labels(frame, map, metric, cells, top);
    signs = draw_cells(frame, map, metric, selected, cells, top);
  }
  draw_map_heading(frame, heading, map, metric, signs, {top, cells.rows()});
}

}  // namespace drover::tui
