// Every device as a row: bars with a number inside, sorted by any column, with sparklines on wide
// screens.
#include <algorithm>
#include <utility>

#include <fmt/format.h>

#include "fleet/base/text.h"
#include "fleet/base/units.h"
#include "tui/canvas/layout.h"
#include "tui/state/sparkline_values.h"
#include "tui/state/update.h"
#include "tui/tables/device_columns.h"
#include "tui/tables/device_queries.h"
#include "tui/views/views.h"

namespace drover::tui {
namespace {

constexpr int history_columns_least = 11;
constexpr int sign_columns = 2;  // the device_marker and the mark of a tagged device

const DeviceColumn& column_of(const ShownColumn& shown) {
  return device_columns()[static_cast<std::size_t>(shown.number)];
}

/// "▼", or with a number if there are two sort keys: "▼1", "▲2". Empty if it is no sort key.
std::string sort_mark(const DeviceList& devices, int number, bool ascii) {
  const bool first = number == devices.sort_column;
  const bool second = devices.second && devices.second->column == number;
  if (!first && !second) return {};
  const bool down = first ? devices.descending : devices.second->descending;
  std::string mark = ascii ? (down ? "v" : "^") : (down ? "▼" : "▲");
  if (devices.second) mark += first ? '1' : '2';
  return mark;
}

/// The title is cut rather than the mark, which without colours alone shows the sort column.
std::string title_of(const DeviceColumn& column, int width, const std::string& mark) {
  const auto room =
      static_cast<std::size_t>(std::max(0, width - static_cast<int>(column_width(mark))));
  return std::string(column.title.substr(0, mark.empty() ? column.title.size() : room)) + mark;
}

void draw_titles(const FrameContext& frame, DrawRegion& region, int history) {
  const DeviceList& devices = frame.ui.devices;
  int at = sign_columns;
  for (const ShownColumn& shown : devices.columns) {
    const DeviceColumn& column = column_of(shown);
    const std::string mark = sort_mark(devices, shown.number, region.ascii());
    region.field(at, 0, shown.width, title_of(column, shown.width, mark),
                 mark.empty() ? CellStyle::title : CellStyle::badge, column.align);
    const Rect& area = region.area();
    frame.click_targets.add({area.column + at, area.row, shown.width, 1}, ClickTarget::Kind::column,
                            shown.number);
    at += shown.width + 1;
  }
  if (history > 0) {
    region.field(
        at, 0, history,
        fmt::format(fmt::runtime(history >= 17 ? "LAST {}s OF LOAD" : "LOAD, {}s"), history),
        CellStyle::title, Align::right);
  }
}

void draw_value(const EvaluationContext& context, DrawRegion& region, const ShownColumn& shown,
                int at, int line, DeviceTable::Row row, bool stale) {
  const DeviceColumn& column = column_of(shown);
  const std::string text = column.text(context, row);
  if (text == not_known) {
    region.field(at, line, shown.width, text, CellStyle::faint, Align::right);
    return;
  }
  if (column.bar != nullptr) {
    const double share = column.bar(context.model, row);
    const CellStyle fill = stale ? CellStyle::track : gauge_style(share, column.warm, column.hot);
    region.gauge(at, line, shown.width, stale ? absent : share, text, fill);
    return;
  }
  CellStyle style = stale ? CellStyle::stale : CellStyle::plain;
  if (!stale && column.warm > 2) {
    style = threshold_style(column.order(context, row, 0), column.warm, column.hot);
  }
  region.field(at, line, shown.width, text, style, column.align);
}

void draw_row(const FrameContext& frame, const EvaluationContext& context, DrawRegion& region,
              int history, int line, DeviceTable::Row row) {
  const UiState& ui = frame.ui;
  const bool stale = frame.stale(row);
  const bool lost = frame.model.is_gone(row);
  const DeviceMarker sign = device_marker(frame.model, frame.now, row);
  int at = sign_columns;
  for (const ShownColumn& shown : ui.devices.columns) {
    draw_value(context, region, shown, at, line, row, stale);
    at += shown.width + 1;
  }
  region.text(0, line, sign.text, sign.style);
  const bool tagged =
      !ui.tagged_devices.empty() && ui.tagged_devices.contains(frame.model.id_of(row));
  if (tagged) region.text(1, line, region.ascii() ? "+" : "✓", CellStyle::badge);
  if (history > 0 && !lost) {
    region.sparkline(at, line, history,
                     sparkline_values(frame, row, GaugeMetric::utilization, history),
                     stale ? CellStyle::stale : CellStyle::good);
  }
}

/// The heading at `item`, with sums over the devices below it.
void draw_group(const FrameContext& frame, DrawRegion region, std::size_t item) {
  const auto& lines = frame.ui.devices.lines;
  std::vector<DeviceTable::Row> rows;
  for (std::size_t i = item + 1; i < lines.size() && lines[i].heading.empty(); ++i) {
    rows.push_back(lines[i].row);
  }
  const ReadingSums sums = sums_of(frame.model, rows);
  region.heading(0, lines[item].heading,
                 fmt::format("{}, load {}, power {}, hottest {}", counted(rows.size(), "device"),
                             percent_text(sums.load), known_text(sums.power_w, watts_text),
                             rounded_text(sums.hottest_c, "C")));
}

void draw_lines(const FrameContext& frame, DrawRegion& list, int history) {
  const DeviceList& devices = frame.ui.devices;
  const bool of_jobs =
      std::any_of(devices.columns.begin(), devices.columns.end(),
                  [](const ShownColumn& shown) { return column_of(shown).of_jobs; });
  const JobsByDevice jobs = of_jobs ? JobsByDevice(frame.model) : JobsByDevice();
  const EvaluationContext context{frame.model, frame.now, jobs};
  const auto draw = [&](int row, std::size_t item) {
    const DeviceLine& line = devices.lines[item];
    if (line.heading.empty()) {
      draw_row(frame, context, list, history, row, line.row);
      return true;
    }
    draw_group(frame, list.on(list.row_area(row)), item);
    return false;
  };
  draw_items(frame, list, 1, devices.place, devices.lines.size(), draw);
}

/// "by POWER, descending, then TEMP, ascending; groups by host".
std::string order_text(const DeviceList& devices) {
  const auto key = [](const SortKey& by) {
    return fmt::format("{}, {}", device_columns()[static_cast<std::size_t>(by.column)].title,
                       by.descending ? "descending" : "ascending");
  };
  std::string text = "by " + key({devices.sort_column, devices.descending});
  if (devices.second) text += ", then " + key(*devices.second);
  if (devices.grouping) {
    text += fmt::format("; groups by {}", to_text(*devices.grouping));
  }
  return text;
}

std::string title_text(const FrameContext& frame) {
  const UiState& ui = frame.ui;
  const Totals totals = totals_of(frame.model, frame.now, frame.rows_shown());
  std::string title = counted(totals.devices, "device");
  if (totals.lost > 0) title += fmt::format(", {} lost", totals.lost);
  if (totals.stale > 0) title += fmt::format(", {} stale", totals.stale);
  if (!ui.tagged_devices.empty()) {
    title += fmt::format(", {} tagged", ui.tagged_devices.size());
  }
  if (ui.devices.wanted.size() > ui.devices.columns.size()) {
    const std::size_t more = ui.devices.wanted.size() - ui.devices.columns.size();
    title += fmt::format(", {} more", counted(more, "column"));
  }
  return title;
}

}  // namespace

TableLayout lay_out_devices(const Rect& area) {
  const std::vector<Rect> parts = cut_rows(area, {{1, 1, 0}, {3, 1'000, 1}});
  return {parts[0], parts[1], {}};
}

namespace {

void draw_devices(const FrameContext& frame, const DrawRegion& region) {
  const DeviceList& devices = frame.ui.devices;
  const TableLayout layout = lay_out_devices(region.area());
  region.on(layout.top).heading(0, title_text(frame), order_text(devices));
  DrawRegion list = region.on(layout.list);
  list.on(list.row_area(0)).blank(CellStyle::title);
  const int spare = list.columns() - width_of(devices.columns) - sign_columns - 1;
  const int history =
      spare >= history_columns_least ? std::min(spare, sparkline_values_max(frame)) : 0;
  draw_titles(frame, list, history);
  draw_lines(frame, list, history);
  if (devices.lines.empty())
    list.text(1, 1, frame.nothing_text("device", "no devices yet"), CellStyle::faint);
}

int count_devices(const UiState& ui) { return static_cast<int>(ui.devices.lines.size()); }

int selected_device(const Model& model, const UiState& ui) {
  const auto row = ui.device ? model.find(*ui.device) : std::nullopt;
  return row ? index_of(ui.devices, *row) : -1;
}

ScrolledRows arrange_devices(const LayoutInput& at, UiState& ui) {
  const Rect list = lay_out_devices(at.body).list;
  ui.devices.columns = columns_that_fit(ui.devices.wanted, list.columns - 3);
  sort_devices(at.model, ui.fleet_filter, ui.devices, at.now, at.resort_every, ui.moved_at);
  ui.devices.place.scroll_to(selected_device(at.model, ui), count_devices(ui), list.rows - 1);
  return {};
}

void select_device(const Model& model, UiState& ui, int index, int direction) {
  const auto row = device_at(ui.devices, index, direction);
  if (!row) return;
  ui.device = model.id_of(*row);
  ui.devices.place.row = -1;
  ui.figure.follow = true;  // the same metric of another device
}

std::string text_of_device(const Model& model, const UiState& ui, int index) {
  const DeviceLine& line = ui.devices.lines[static_cast<std::size_t>(index)];
  return line.heading.empty() ? device_search_text(model, line.row) : std::string();
}

ListViewport* place_of_devices(UiState& ui) { return &ui.devices.place; }

void open_device(const Model&, UiState& ui) {
  if (ui.device) show_view(ui, View::device);
}

ScrolledRows arrange_device(const LayoutInput& at, UiState& ui) {
  // The order in which j and k select other devices.
  sort_devices(at.model, ui.fleet_filter, ui.devices, at.now, at.resort_every, ui.moved_at);
  if (!ui.device) {
    if (const auto first = device_at(ui.devices, 0, 1)) {
      ui.device = at.model.id_of(*first);
    }
  }
  return arrange_device_view(at.model, ui, {at.body.columns, at.body.rows});
}

void open_figure(const Model&, UiState& ui) {
  FormulaSelection& figure = ui.figure;
  if (figure.index < 0) figure.index = 0;
  if (!figure.open) figure.page_top = ui.details_top;
  figure.open = figure.follow = true;
}

/// Closes the formula, else clears the selected metric, else leaves the view.
bool leave_device(UiState& ui) {
  FormulaSelection& figure = ui.figure;
  if (figure.open) {
    figure.open = false;
    ui.details_top = figure.page_top;
    return true;
  }
  if (std::exchange(figure.index, -1) >= 0) return true;
  ui.view = ui.before_device;
  ui.details_top = 0;
  return true;
}

}  // namespace

const ViewDefinition devices_view = {.name = "devices",
                                     .arrange = arrange_devices,
                                     .draw = draw_devices,
                                     .count = count_devices,
                                     .selected = selected_device,
                                     .select = select_device,
                                     .place = place_of_devices,
                                     .text = text_of_device,
                                     .open = open_device,
                                     .back = deselect_device};

const ViewDefinition device_view = {.name = "device",
                                    .arrange = arrange_device,
                                    .draw = draw_device_view,
                                    .count = count_devices,
                                    .selected = selected_device,
                                    .select = select_device,
                                    .place = place_of_devices,
                                    .text = text_of_device,
                                    .open = open_figure,
                                    .back = leave_device};

}  // namespace drover::tui
