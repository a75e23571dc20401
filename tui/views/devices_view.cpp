// Every device as a row: bars with their number inside, sorted by any column, history where the
// screen is wide.
#include <algorithm>
#include <array>
#include <cmath>

#include <fmt/format.h>

#include "fleet/base/text.h"
#include "fleet/base/units.h"
#include "tui/canvas/layout.h"
#include "tui/state/history_shares.h"
#include "tui/state/update.h"
#include "tui/tables/columns.h"
#include "tui/tables/device_facts.h"
#include "tui/views/views.h"

namespace drover::tui {
namespace {

constexpr int history_columns_least = 11;
constexpr int sign_columns =
    2;  // sign_of, and a mark of what is tagged: no part of the name behind

const DeviceColumn& column_of(const ShownColumn& shown) {
  return device_columns()[static_cast<std::size_t>(shown.number)];
}

/// "▼", or with its place where two keys sort: "▼1", "▲2". Empty: the column sorts nothing.
std::string sort_mark(const DeviceList& devices, int number, bool ascii) {
  const bool first = number == devices.sort_column;
  const bool second = devices.second && devices.second->column == number;
  if (!first && !second) return {};
  const bool down = first ? devices.descending : devices.second->descending;
  std::string mark = ascii ? (down ? "v" : "^") : (down ? "▼" : "▲");
  if (devices.second) mark += first ? '1' : '2';
  return mark;
}

/// The mark stays whole: only it tells, without colours, what sorts.
std::string title_of(const DeviceColumn& column, int width, const std::string& mark) {
  const auto room =
      static_cast<std::size_t>(std::max(0, width - static_cast<int>(column_width(mark))));
  return std::string(column.title.substr(0, mark.empty() ? column.title.size() : room)) + mark;
}

void draw_titles(const Scene& scene, Pen& pen, int history) {
  const DeviceList& devices = scene.choices.devices;
  int at = sign_columns;
  for (const ShownColumn& shown : devices.columns) {
    const DeviceColumn& column = column_of(shown);
    const std::string mark = sort_mark(devices, shown.number, pen.ascii());
    pen.field(at, 0, shown.width, title_of(column, shown.width, mark),
              mark.empty() ? Role::title : Role::badge, column.align);
    const Rect& area = pen.area();
    scene.hits.add({area.column + at, area.row, shown.width, 1}, Hit::Kind::column, shown.number);
    at += shown.width + 1;
  }
  if (history > 0) {
    pen.field(at, 0, history,
              fmt::format(fmt::runtime(history >= 17 ? "LAST {}s OF LOAD" : "LOAD, {}s"), history),
              Role::title, Align::right);
  }
}

void draw_value(const Judged& judged, Pen& pen, const ShownColumn& shown, int at, int line,
                DeviceTable::Row row, bool stale) {
  const DeviceColumn& column = column_of(shown);
  const std::string text = column.text(judged, row);
  if (text == not_known) {
    pen.field(at, line, shown.width, text, Role::faint, Align::right);
    return;
  }
  if (column.bar != nullptr) {
    const double share = column.bar(judged.model, row);
    const Role fill = stale ? Role::track : fill_role(share, column.warm, column.hot);
    pen.gauge(at, line, shown.width, stale ? absent : share, text, fill);
    return;
  }
  Role role = stale ? Role::stale : Role::plain;
  if (!stale && column.warm > 2) {
    role = ink_role(column.order(judged, row, 0), column.warm, column.hot);
  }
  pen.field(at, line, shown.width, text, role, column.align);
}

void draw_row(const Scene& scene, const Judged& judged, Pen& pen, int history, int line,
              DeviceTable::Row row) {
  const Choices& choices = scene.choices;
  const bool stale = scene.stale(row);
  const bool lost = scene.model.is_gone(row);
  const DeviceSign sign = sign_of(scene.model, scene.now, row);
  int at = sign_columns;
  for (const ShownColumn& shown : choices.devices.columns) {
    draw_value(judged, pen, shown, at, line, row, stale);
    at += shown.width + 1;
  }
  pen.text(0, line, sign.text, sign.role);
  const bool tagged =
      !choices.tagged_devices.empty() && choices.tagged_devices.contains(scene.model.id_of(row));
  if (tagged) pen.text(1, line, pen.ascii() ? "+" : "✓", Role::badge);
  if (history > 0 && !lost) {
    pen.sparkline(at, line, history, recent_shares(scene, row, Shade::utilization, history),
                  stale ? Role::stale : Role::good);
  }
}

/// The heading at `item`, with sums over the devices below it.
void draw_group(const Scene& scene, Pen pen, std::size_t item) {
  const auto& lines = scene.choices.devices.lines;
  int devices = 0, reporting = 0;
  double load = 0, watts = 0, hottest = absent;
  bool told_watts = false;
  for (std::size_t i = item + 1; i < lines.size() && lines[i].heading.empty(); ++i) {
    const auto reading = [&](Metric metric) { return scene.model.reading(lines[i].row, metric); };
    ++devices;
    if (const double share = reading(Metric::utilization); !std::isnan(share)) {
      load += share;
      ++reporting;
    }
    if (const double power = reading(Metric::power); !std::isnan(power)) {
      watts += power;
      told_watts = true;
    }
    const double celsius = reading(Metric::temperature);
    if (!(hottest >= celsius) && !std::isnan(celsius)) hottest = celsius;
  }
  std::string sums = counted(static_cast<std::uint64_t>(devices), "device");
  sums += ", load " + (reporting > 0 ? percent_text(load / reporting) : std::string(not_known));
  sums += ", power " + (told_watts ? watts_text(watts) : std::string(not_known));
  sums += ", hottest " +
          (std::isnan(hottest) ? std::string(not_known) : fmt::format("{:.0f}C", hottest));
  pen.heading(0, lines[item].heading, sums);
}

void draw_lines(const Scene& scene, Pen& list, int history) {
  const DeviceList& devices = scene.choices.devices;
  const bool of_jobs =
      std::any_of(devices.columns.begin(), devices.columns.end(),
                  [](const ShownColumn& shown) { return column_of(shown).of_jobs; });
  const JobsByDevice jobs = of_jobs ? JobsByDevice(scene.model) : JobsByDevice();
  const Judged judged{scene.model, scene.now, jobs};
  const int selected = selected_index(scene.model, scene.choices);
  for (int line = 1; line < list.rows(); ++line) {
    const int item = devices.place.top + line - 1;
    if (item >= static_cast<int>(devices.lines.size())) break;
    const DeviceLine& shown = devices.lines[static_cast<std::size_t>(item)];
    if (!shown.heading.empty()) {
      draw_group(scene, list.on(list.row_area(line)), static_cast<std::size_t>(item));
      continue;
    }
    draw_row(scene, judged, list, history, line, shown.row);
    scene.hits.add(list.row_area(line), Hit::Kind::item, item);
    if (item == selected) list.tint(line, Role::selected);
  }
}

/// "by POWER, greatest first, then TEMP, rising; in groups by host".
std::string order_text(const DeviceList& devices) {
  const auto key = [](const SortKey& by) {
    return fmt::format("{}, {}", device_columns()[static_cast<std::size_t>(by.column)].title,
                       by.descending ? "greatest first" : "rising");
  };
  std::string text = "by " + key({devices.sort_column, devices.descending});
  if (devices.second) text += ", then " + key(*devices.second);
  if (devices.grouping) {
    text += fmt::format("; groups by {}", to_text(*devices.grouping));
  }
  return text;
}

std::string title_text(const Scene& scene) {
  const Choices& choices = scene.choices;
  const Totals totals = totals_of(scene.model, scene.now, scene.rows_shown());
  std::string title = counted(totals.devices, "device");
  if (totals.lost > 0) title += fmt::format(", {} lost", totals.lost);
  if (totals.stale > 0) title += fmt::format(", {} stale", totals.stale);
  if (!choices.tagged_devices.empty()) {
    title += fmt::format(", {} tagged", choices.tagged_devices.size());
  }
  if (choices.devices.wanted.size() > choices.devices.columns.size()) {
    const std::size_t more = choices.devices.wanted.size() - choices.devices.columns.size();
    title += fmt::format(", {} more", counted(more, "column"));
  }
  return title;
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
  pen.on(layout.top).heading(0, title_text(scene), order_text(devices));
  Pen list = pen.on(layout.list);
  list.text(0, 0, std::string(static_cast<std::size_t>(std::max(0, list.columns())), ' '),
            Role::title);
  const int spare = list.columns() - width_of(devices.columns) - sign_columns - 1;
  const int history = spare >= history_columns_least ? std::min(spare, shares_most(scene)) : 0;
  draw_titles(scene, list, history);
  draw_lines(scene, list, history);
  if (devices.lines.empty())
    list.text(1, 1, scene.nothing_text("device", "no devices yet"), Role::faint);
}

}  // namespace drover::tui
