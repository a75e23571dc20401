// Every device as a row: bars with a number inside, sorted by any column, with sparklines on wide
// screens.
#include <algorithm>
#include <utility>

#include <fmt/format.h>

#include "fleet/base/text.h"
#include "fleet/base/units.h"
#include "tui/canvas/layout.h"
#include "tui/tables/device_columns.h"
#include "tui/tables/device_queries.h"
#include "tui/views/device_table_text.h"
#include "tui/views/view_layouts.h"
#include "tui/views/views.h"

namespace drover::tui {
namespace {

constexpr int sign_columns = 2;  // the device_marker and the mark of a tagged device

const DeviceColumn& column_of(const ShownColumn& shown) {
  return device_columns()[static_cast<std::size_t>(shown.number)];
}

/// The unit is left out rather than cut. The title is cut rather than the mark, which without
/// colours alone shows the sort column.
std::string title_of(const DeviceColumn& column, int width, const std::string& mark) {
  const auto room =
      static_cast<std::size_t>(std::max(0, width - static_cast<int>(column_width(mark))));
  const std::string with_unit = fmt::format("{} {}", column.title, column.unit);
  if (!column.unit.empty() && with_unit.size() <= room) return with_unit + mark;
  return std::string(column.title.substr(0, mark.empty() ? column.title.size() : room)) + mark;
}

void draw_titles(const FrameContext& frame, DrawRegion& region, const DeviceList& devices,
                 int history) {
  int at = sign_columns;
  for (const ShownColumn& shown : devices.columns) {
    const DeviceColumn& column = column_of(shown);
    const std::string mark = sort_mark(devices, shown.number, region.ascii());
    region.field(at, 0, shown.width, title_of(column, shown.width, mark),
                 shown.number == devices.chosen_column ? CellStyle::selected
                 : mark.empty()                        ? CellStyle::title
                                                       : CellStyle::badge,
                 column.align);
    const Rect& area = region.area();
    frame.click_targets.add({area.column + at, area.row, shown.width, 1}, ClickTarget::Kind::column,
                            shown.number);
    at += shown.width + 1;
  }
  if (history > 0) {
    region.field(at, 0, history,
                 fmt::format(fmt::runtime(history >= 17 ? "LAST {} OF LOAD" : "LOAD, {}"),
                             duration_text(history * frame.options.speed)),
                 CellStyle::title, Align::right);
  }
}

/// A device's line, and the device on the line above it on the screen, if there is one.
struct ShownDevice {
  int line;
  DeviceTable::Row row;
  std::optional<DeviceTable::Row> above;
};

void draw_value(const EvaluationContext& context, DrawRegion& region, const ShownColumn& shown,
                int at, const ShownDevice& device, bool stale) {
  const auto& [line, row, above] = device;
  const DeviceColumn& column = column_of(shown);
  const std::string text = column.text(context, row);
  if (text == not_known) {
    region.field(at, line, shown.width, text, CellStyle::faint, Align::right);
    return;
  }
  if (is_as_above(context, column, row, above)) {
    region.field(at, line, shown.width, as_above, CellStyle::faint, column.align);
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

/// Narrow screens have no room for the column, which has the mark of real devices.
bool shows_kind(const DeviceList& list) {
  return std::any_of(list.columns.begin(), list.columns.end(),
                     [](const ShownColumn& shown) { return column_of(shown).title == "KIND"; });
}

void draw_row(const FrameContext& frame, const EvaluationContext& context, DrawRegion& region,
              const DeviceList& devices, int history, const ShownDevice& device) {
  const UiState& ui = frame.ui;
  const int line = device.line;
  const DeviceTable::Row row = device.row;
  const bool stale = frame.stale(row);
  const bool lost = frame.model.is_gone(row);
  const DeviceMarker sign = device_marker(frame.model, frame.now, row);
  int at = sign_columns;
  for (const ShownColumn& shown : devices.columns) {
    draw_value(context, region, shown, at, device, stale);
    at += shown.width + 1;
  }
  region.text(0, line, sign.text, sign.style);
  const bool tagged =
      !ui.tagged_devices.empty() && ui.tagged_devices.contains(frame.model.id_of(row));
  const bool mark_real = frame.model.spec_of(row).real && !shows_kind(devices);
  if (mark_real) region.text(1, line, real_mark, CellStyle::faint);
  if (tagged) region.text(1, line, region.ascii() ? "+" : "✓", CellStyle::badge);
  if (history > 0 && !lost) {
    region.sparkline(at, line, history,
                     sparkline_values(frame, row, GaugeMetric::utilization, history),
                     stale ? CellStyle::stale : CellStyle::good);
  }
}

/// The heading at `item`, with sums over the devices below it.
void draw_group(const FrameContext& frame, DrawRegion region, const std::vector<DeviceLine>& lines,
                std::size_t item) {
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

void draw_lines(const FrameContext& frame, DrawRegion& list, const DeviceList& devices,
                int selected, int history) {
  const bool of_jobs =
      std::any_of(devices.columns.begin(), devices.columns.end(),
                  [](const ShownColumn& shown) { return column_of(shown).of_jobs; });
  const JobsByDevice jobs = of_jobs ? JobsByDevice(frame.model) : JobsByDevice();
  const EvaluationContext context{frame.model, frame.now, jobs};
  std::optional<DeviceTable::Row> above;
  const auto draw = [&](int row, std::size_t item) {
    const DeviceLine& line = devices.lines[item];
    if (line.heading.empty()) {
      draw_row(frame, context, list, devices, history, {row, line.row, above});
      above = line.row;
      return true;
    }
    if (draw_cut_heading(list, row, 1, devices.lines.size() - item)) return false;
    above.reset();
    draw_group(frame, list.on(list.row_area(row)), devices.lines, item);
    return false;
  };
  draw_items(frame, list, 1, devices.place, devices.lines.size(), selected, draw);
}

class DevicesView : public View {
 public:
  explicit DevicesView(UiState& ui) : View(ui, &ui.devices.place), list_(ui.devices) {}

  void forget_layout() override {
    list_.lines.clear();
    list_.order_structure = 0;
  }

  void draw(const FrameContext& frame, const DrawRegion& region) const override {
    region.on(layout_.top)
        .heading(0, devices_title(frame, list_), shown_lines_text() + order_text(list_));
    DrawRegion body = region.on(layout_.list);
    body.on(body.row_area(0)).blank(CellStyle::title);
    const int spare = body.columns() - width_of(list_.columns) - sign_columns - 1;
    const int history =
        spare >= load_columns_least ? std::min(spare, sparkline_values_max(frame)) : 0;
    draw_titles(frame, body, list_, history);
    draw_lines(frame, body, list_, selected(frame.model), history);
    if (list_.lines.empty())
      body.text(1, 1, frame.nothing_text("device", "no devices yet"), CellStyle::faint);
  }

  std::vector<CompactLine> compact_lines(const FrameContext& frame, int lines_max) const override {
    const auto text = [&](const DeviceLine& line, int item) {
      return line.heading.empty() ? compact_device(frame, line.row, item)
                                  : CompactLine{line.heading, CellStyle::title};
    };
    return list_lines(list_.lines, list_.place, selected(frame.model), lines_max, text);
  }

  ScrolledRows lay_out(const LayoutInput& at) override {
    layout_ = lay_out_devices(at.body);
    list_.columns = columns_that_fit(list_.wanted, layout_.list.columns - 3, all_real(at.model));
    sort_devices(at.model, ui_.fleet_filter, list_, at.now, at.resort_every, ui_.moved_at);
    list_.place.scroll_to(selected(at.model), items(), layout_.list.rows - 1);
    return {};
  }

  std::optional<int> count() const override { return static_cast<int>(list_.lines.size()); }

  int selected(const Model& model) const override { return index_of(list_, model, ui_.device); }
  void select(const Model& model, int index, int direction) override {
    choose_device(list_, model, index, direction, ui_.device);
  }

  std::string search_text(const Model& model, int index) const override {
    return search_text_of(list_, model, index);
  }

  /// Left and right choose a column, up and down a row.
  void move(const KeyContext& context, Move direction) override {
    if (direction != Move::left && direction != Move::right) return View::move(context, direction);
    step_column(list_, direction == Move::right ? 1 : -1);
  }

  std::optional<ViewId> open_selected(const KeyContext&) override {
    return ui_.device ? std::optional(ViewId::device) : std::nullopt;
  }

  bool back() override { return std::exchange(ui_.device, std::nullopt).has_value(); }

 private:
  /// "lines 1-32 of 40, " if not all fit.
  std::string shown_lines_text() const {
    const int rows = layout_.list.rows - 1;
    if (items() <= rows) return {};
    const int last = std::min(list_.place.top + rows, items());
    return fmt::format("lines {}-{} of {}, ", list_.place.top + 1, last, items());
  }

  DeviceList& list_;
  TableLayout layout_;
};

}  // namespace

TableLayout lay_out_devices(const Rect& area) {
  const std::vector<Rect> parts = cut_rows(area, {{1, 1, 0}, {3, 1'000, 1}});
  return {parts[0], parts[1], {}};
}

std::unique_ptr<View> make_devices_view(UiState& ui) { return std::make_unique<DevicesView>(ui); }

}  // namespace drover::tui
