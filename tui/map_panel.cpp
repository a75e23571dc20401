// The map of all devices on the fleet view: a cell each, coloured by the chosen metric, with the
// names of racks and hosts.
#include <algorithm>
#include <array>
#include <cmath>

#include <fmt/format.h>

#include "fleet/units.h"
#include "tui/device_facts.h"
#include "tui/fleet_panels.h"
#include "tui/update.h"

namespace drover::tui {
namespace {

std::string value_text(const Scene& scene, DeviceTable::Row row, int width) {
  const DeviceTable& devices = scene.model.devices();
  const double share = devices.share(row, scene.choices.shade);
  if (std::isnan(share)) return "-";
  double number = share * 100;
  if (scene.choices.shade == Shade::temperature) {
    number = devices.value(row, Metric::temperature);
  } else if (scene.choices.shade == Shade::power && width >= 5) {
    number = devices.value(row, Metric::power);
  }
  // Two columns cannot hold 100; the colour tells it from 99.
  return fmt::format("{:.0f}", width < 4 ? std::min(number, 99.0) : number);
}

void draw_cell(const Scene& scene, Pen& pen, const HeatMap& map, const HeatCell& cell,
               bool selected) {
  const DeviceTable::Row row = hottest_of(scene, cell);
  const double share = scene.model.devices().share(row, scene.choices.shade);
  // Of a device that is lost or not usable there is a sign instead of a number, of one with a fault
  // in it a sign beside the number.
  const DeviceSign sign = sign_of(scene, row);
  const bool gone = sign.text == "x" || sign.text == "!";
  const bool injected = sign.text == "*";
  const bool shown = !gone && sign.text != "?" && !std::isnan(share);
  // One blank column at the end parts neighbours where a number would run into the next.
  const int width = map.cell_columns > 2 ? map.cell_columns - 1 : map.cell_columns;
  const Role role = gone ? Role::critical : shown ? heat_role(share) : Role::stale;
  std::string text(static_cast<std::size_t>(width), ' ');
  if (width >= 2) {
    const std::string number = gone ? std::string(sign.text) : value_text(scene, row, width);
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
  if (injected && !selected) {
    pen.text(cell.column + width - 1, cell.row, sign.text, Role::fault);
  }
}

void draw_label(const Scene& scene, Pen& pen, const HeatMap& map, const HeatLabel& label) {
  const HostChanged& said = scene.model.hosts()[label.host].said;
  int column = label.column;
  if (map.rack_columns > 0) {
    if (label.shows_rack) {
      pen.field(column, label.row, map.rack_columns, said.hello.rack, Role::faint);
    }
    column += map.rack_columns + 1;
  }
  const Role role = said.health == Health::lost      ? Role::critical
                    : said.health == Health::suspect ? Role::warm
                                                     : Role::plain;
  pen.field(column, label.row, map.host_columns, said.hello.host, role);
  column += map.host_columns + 1;
  if (map.kind_columns > 0 && !said.hello.groups.empty()) {
    pen.field(column, label.row, map.kind_columns, said.hello.groups.front().device, Role::faint);
  }
}

/// Where hosts have a line each and room is left: what they add up to.
void draw_host_sums(const Scene& scene, Pen& pen, int column, const HeatLabel& label) {
  const HostRow& host = scene.model.hosts()[label.host];
  const DeviceTable& devices = scene.model.devices();
  if (host.said.health == Health::lost || host.sampled == Instant::min()) {
    const std::string age = host.sampled == Instant::min()
                                ? std::string("no sample yet")
                                : duration_text(scene.s_since(host.sampled)) + " ago";
    pen.field(column, label.row, host_sums_columns,
              fmt::format("{}, {}", to_text(host.said.health), age), Role::stale);
    return;
  }
  double load = 0, power_w = 0, hottest_c = absent;
  int loads = 0;  // the devices that told it
  for (DeviceTable::Row row = host.first; row < host.first + host.count; ++row) {
    const double share = devices.value(row, Metric::utilization);
    if (!std::isnan(share)) {
      load += share;
      ++loads;
    }
    const double watts = devices.value(row, Metric::power);
    if (!std::isnan(watts)) power_w += watts;
    const double celsius = devices.value(row, Metric::temperature);
    if (!std::isnan(celsius) && !(hottest_c >= celsius)) hottest_c = celsius;
  }
  const Role role = scene.stale(host.first) ? Role::stale : Role::faint;
  pen.field(column, label.row, host_sums_columns,
            fmt::format("mean {:>4} {:>8} {:>5}", percent_text(loads > 0 ? load / loads : absent),
                        watts_text(power_w),
                        std::isnan(hottest_c) ? "-" : fmt::format("{:.0f}C", hottest_c)),
            role);
}

void draw_scale(const Scene& scene, Pen pen) {
  const ShadeFacts& shade = facts(scene.choices.shade);
  struct Sign {
    std::string_view sign, meaning;
    Role role;
  };
  static constexpr std::array<Sign, 4> signs = {{{"-", "no data", Role::stale},
                                                 {"x", "lost", Role::critical},
                                                 {"!", "not usable", Role::critical},
                                                 {"*", "fault injected", Role::fault}}};
  // The last two only where there are such devices.
  const std::size_t count = scene.model.conditions().empty() ? 2 : 4;
  int width = 0;
  for (std::size_t i = 0; i < count; ++i) width += static_cast<int>(signs[i].meaning.size()) + 4;
  const int scale = 8 + static_cast<int>(shade.cold.size() + shade.hot.size()) + 3;
  const bool with_signs = pen.columns() - scale - width >= 44;
  int column = pen.columns() - scale - (with_signs ? width : 0);
  if (column < 24) return;
  column = pen.text(column, 0, fmt::format(" {} ", shade.cold), Role::faint);
  for (int level = 0; level < 8; ++level) {
    column = pen.text(column, 0, " ", heat_role((level + 0.5) / 8));
  }
  column = pen.text(column, 0, fmt::format(" {}", shade.hot), Role::faint);
  for (std::size_t i = 0; with_signs && i < count; ++i) {
    column = pen.text(column, 0, fmt::format("  {}", signs[i].sign), signs[i].role);
    column = pen.text(column, 0, fmt::format(" {}", signs[i].meaning), Role::faint);
  }
}

}  // namespace

DeviceTable::Row hottest_of(const Scene& scene, const HeatCell& cell) {
  const auto& order = scene.model.device_order();
  DeviceTable::Row hottest = order[cell.first];
  if (cell.count == 1) return hottest;
  double most = absent;
  for (std::uint32_t i = cell.first; i < cell.first + cell.count; ++i) {
    if (scene.stale(order[i])) continue;
    const double share = scene.model.devices().share(order[i], scene.choices.shade);
    if (std::isnan(share) || share <= most) continue;
    most = share;
    hottest = order[i];
  }
  return hottest;
}

void draw_map(const Scene& scene, Pen heading, Pen cells) {
  const HeatMap& map = scene.choices.map;
  const std::string share =
      map.per_cell > 1 ? fmt::format(" (1 cell = {} devices, the hottest shown)", map.per_cell)
                       : "";
  heading.heading(0, fmt::format("Devices by {}{}", facts(scene.choices.shade).name, share));
  draw_scale(scene, heading);
  if (scene.model.devices().rows() == 0) {
    cells.text(0, 0,
               !scene.cursor.live()        ? "no hosts yet at this moment"
               : scene.feed.has_snapshot() ? "no hosts yet: start one with `drover agent`"
                                           : "waiting for the router's snapshot",
               Role::faint);
    return;
  }
  for (const HeatLabel& label : map.labels) {
    draw_label(scene, cells, map, label);
    if (map.sums_column > 0) draw_host_sums(scene, cells, map.sums_column, label);
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
