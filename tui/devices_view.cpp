// Every device as a row: bars with their number inside, sorted by any column, history where the
// screen is wide.
#include <algorithm>
#include <array>
#include <cmath>

#include <fmt/format.h>

#include "tui/columns.h"
#include "tui/device_facts.h"
#include "tui/history_shares.h"
#include "tui/layout.h"
#include "tui/update.h"
#include "tui/views.h"

namespace drover::tui {
namespace {

constexpr int history_columns_least = 11;
constexpr int sign_columns = 2;  // sign_of, and a blank: no part of the name behind it

void draw_titles(const Scene& scene, Pen& pen, std::span<const int> columns, int history) {
  const DeviceList& devices = scene.choices.devices;
  int at = sign_columns;
  for (const int number : columns) {
    const DeviceColumn& column = device_columns()[static_cast<std::size_t>(number)];
    const bool sorted = number == devices.sort_column;
    std::string title(column.title);
    if (sorted && static_cast<int>(title.size()) < column.width) {
      const bool down = devices.descending;
      title += pen.ascii() ? (down ? "v" : "^") : (down ? "▼" : "▲");
    }
    pen.field(at, 0, column.width, title, sorted ? Role::badge : Role::title, column.align);
    const Rect& area = pen.area();
    scene.hits.add({area.column + at, area.row, column.width, 1}, Hit::Kind::column, number);
    at += column.width + 1;
  }
  if (history > 0) {
    pen.field(at, 0, history,
              fmt::format(fmt::runtime(history >= 17 ? "LAST {}s OF LOAD" : "LOAD, {}s"), history),
              Role::title, Align::right);
  }
}

void draw_value(const Scene& scene, Pen& pen, const DeviceColumn& column, int at, int line,
                DeviceTable::Row row, bool stale) {
  const std::string text = column.text(scene, row);
  if (column.bar != nullptr) {
    const double share = column.bar(scene.model, row);
    const Role fill = stale ? Role::track : fill_role(share, column.warm, column.hot);
    pen.gauge(at, line, column.width, stale ? absent : share, text, fill);
    return;
  }
  Role role = stale ? Role::stale : Role::plain;
  if (!stale && column.warm > 2) {
    role = ink_role(column.order(scene.model, row, 0), column.warm, column.hot);
  }
  if (text == "-") role = Role::faint;
  pen.field(at, line, column.width, text, role, column.align);
}

void draw_row(const Scene& scene, Pen& pen, std::span<const int> columns, int history, int line,
              DeviceTable::Row row) {
  const bool stale = scene.stale(row);
  const bool lost = scene.model.is_lost(row);
  const DeviceSign sign = sign_of(scene, row);
  int at = sign_columns;
  for (const int number : columns) {
    const DeviceColumn& column = device_columns()[static_cast<std::size_t>(number)];
    draw_value(scene, pen, column, at, line, row, stale);
    at += column.width + 1;
  }
  pen.text(0, line, sign.text, sign.role);
  if (history > 0 && !lost) {
    pen.sparkline(at, line, history, recent_shares(scene, row, Shade::utilization, history),
                  stale ? Role::stale : Role::good);
  }
}

}  // namespace

TableLayout lay_out_devices(const Rect& area) {
  const std::array<Wish, 2> rows = {Wish{1, 1, 0}, Wish{3, 1'000, 1}};
  const std::vector<Rect> parts = cut_rows(area, rows);
  return {parts[0], parts[1], {}};
}

void draw_devices(const Scene& scene, const Pen& pen) {
  const DeviceList& devices = scene.choices.devices;
  const TableLayout layout = lay_out_devices(pen.area());
  const Totals totals = totals_of(scene.model, scene.now, scene.rows_shown());
  Pen top = pen.on(layout.top);
  const std::string sorted(device_columns()[static_cast<std::size_t>(devices.sort_column)].title);
  std::string title = fmt::format("{} devices", totals.devices);
  if (totals.stale > 0) title += fmt::format(", {} stale", totals.stale);
  top.heading(0, title,
              fmt::format("by {}, {}", sorted, devices.descending ? "greatest first" : "rising"));
  Pen list = pen.on(layout.list);
  list.text(0, 0, std::string(static_cast<std::size_t>(std::max(0, list.columns())), ' '),
            Role::title);
  const int used = width_of(devices.columns) + sign_columns;
  const int spare = list.columns() - used - 1;
  const int history = spare >= history_columns_least ? std::min(spare, shares_most(scene)) : 0;
  draw_titles(scene, list, devices.columns, history);
  const int selected = selected_index(scene.model, scene.choices);
  for (int line = 1; line < list.rows(); ++line) {
    const int item = devices.place.top + line - 1;
    if (item >= static_cast<int>(devices.order.size())) break;
    draw_row(scene, list, devices.columns, history, line,
             devices.order[static_cast<std::size_t>(item)]);
    scene.hits.add(list.row_area(line), Hit::Kind::item, item);
    if (item == selected) list.tint(line, Role::selected);
  }
  if (devices.order.empty()) list.text(1, 1, "no devices yet", Role::faint);
}

}  // namespace drover::tui
