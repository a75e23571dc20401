// The details of one device: identity and state, every metric over time, limits, memory use,
// replicas, jobs, decisions and events. It is longer than most screens: the head stays, the rest
// scrolls, and an open formula is below it.
#include <algorithm>
#include <cmath>
#include <utility>

#include <fmt/format.h>

#include "fleet/base/text.h"
#include "fleet/base/units.h"
#include "tui/panels/panels.h"
#include "tui/tables/device_columns.h"
#include "tui/views/device_page.h"
#include "tui/views/views.h"

namespace drover::tui {
namespace {

/// The lines of the selected figure, if it is open.
std::vector<DetailLine> panel_of(const Model& model, DeviceTable::Row row,
                                 const FormulaSelection& figure, const SpecFacts& facts,
                                 int columns) {
  if (!figure.open || figure.index < 0) return {};
  if (model.spec_of(row).real) return board_figure_lines(model, row, figure.index, columns);
  std::vector<DetailLine> lines = missing_lines(model, row, figure.index, columns);
  const std::vector<DetailLine> formula =
      formula_lines(metric_formulas()[static_cast<std::size_t>(figure.index)], facts, columns);
  lines.insert(lines.end(), formula.begin(), formula.end());
  return lines;
}

/// Cells of the narrowest chart's plot.
int narrowest_cells(int columns) {
  const int chart = chart_columns(columns);
  return chart - value_axis_columns(chart);
}

/// The window of all charts of the page, which are aligned.
TimeWindow page_window(const FrameContext& frame, int columns, const ChartSpan& span) {
  return window_of(frame.now, span.shown, narrowest_cells(columns));
}

/// Why charts are blank. The samples of a moment that was paused long ago are no longer in memory.
void draw_no_history(const FrameContext& frame, DrawRegion& region, const Rect& chart) {
  const bool forgotten = frame.cursor.timeline().first() > frame.now;
  const int axis = value_axis_columns(chart.columns);
  region.field(chart.column + axis + 1, chart.row + chart.rows / 2, chart.columns - axis - 1,
               forgotten ? "no history is kept" : "no sample received", CellStyle::faint);
}

/// Why the charts lack their older part, over that part of the first chart.
void draw_history_note(DrawRegion& region, const Rect& chart, const std::string& note) {
  const int axis = value_axis_columns(chart.columns);
  const int width = chart.columns - axis - 1;
  int row = 1;
  for (const std::string& line : wrapped(note, width)) {
    if (row + 1 >= chart.rows) break;
    region.field(chart.column + axis + 1, chart.row + row, width, line, CellStyle::faint);
    ++row;
  }
}

/// The current value of a figure, as text.
std::string value_of(const Model& model, DeviceTable::Row row, int figure,
                     const std::vector<std::string>& notes, const SpecFacts& facts) {
  if (figure < throttle_formula_index) return notes[static_cast<std::size_t>(figure)];
  if (figure == throttle_formula_index) return throttle_text(model.reading(row, Metric::throttle));
  const int fact = figure - first_limit;
  return model.spec_of(row).real ? board_fact_text(model, row, fact)
                                 : limit_text(fact, facts, model.reading(row, Metric::power_cap));
}

/// Name and value: "power: 72W".
std::string title_of(const Model& model, DeviceTable::Row row, int figure,
                     const std::vector<std::string>& notes, const SpecFacts& facts) {
  const std::string_view name = model.spec_of(row).real
                                    ? board_figure_name(figure)
                                    : metric_formulas()[static_cast<std::size_t>(figure)].name;
  return fmt::format("{}: {}", name, value_of(model, row, figure, notes, facts));
}

std::optional<DeviceTable::Row> chosen(const Model& model, const UiState& ui) {
  return ui.device ? model.find(*ui.device) : std::nullopt;
}

std::string no_device_text(const FrameContext& frame) {
  static constexpr std::string_view how = "Enter on the map or in the table opens one";
  if (!frame.ui.device) return fmt::format("no device is selected: {}", how);
  const std::string id = printable(to_text(*frame.ui.device));
  if (frame.cursor.live()) return fmt::format("{} is no longer in the fleet: {}", id, how);
  return fmt::format("{} is not in the fleet at {}: {}", id, frame.clock_words(), how);
}

/// Shows ui.device, which is set when the view is shown unless the fleet is empty.
class DeviceView : public View {
 public:
  explicit DeviceView(UiState& ui) : View(ui, &ui.devices.place), figure_(ui.figure) {}

  void draw(const FrameContext& frame, const DrawRegion& region) const override {
    DrawRegion view = region;
    const auto row = chosen(frame.model, ui_);
    if (!row) {
      view.field(0, 0, view.columns(), no_device_text(frame), CellStyle::faint);
      return;
    }
    const SpecFacts facts(frame.model.spec_of(*row).text);
    const int top = figure_.open ? figure_.page_top : ui_.details_top;
    const std::string scroll =
        figure_.open ? "" : scroll_note(layout_.page.rows, layout_.page_rows_seen, top);
    const std::vector<LikelyCause>& causes = layout_.lists.causes;
    draw_device_head(frame, view, *row, causes.empty() ? nullptr : &causes.front(),
                     span_and_scroll_note(device_chart_span(frame), scroll));
    Canvas canvas({view.columns(), layout_.page.rows});
    const std::vector<std::string> notes = draw_page(frame, canvas, view.ascii(), *row, facts);
    const Rect shown{view.area().column, view.area().row + layout_.head_rows, view.columns(),
                     layout_.page_rows_seen};
    view.on(shown).paste(canvas, top, 0);
    add_click_targets(frame, shown, top);
    if (layout_.panel_rows == 0) return;
    draw_formula_panel(
        view.on({shown.column, shown.row + shown.rows, shown.columns, layout_.panel_rows}),
        title_of(frame.model, *row, figure_.index, notes, facts), layout_.panel, ui_.details_top);
  }

  std::vector<CompactLine> compact_lines(const FrameContext& frame, int) const override {
    const auto row = chosen(frame.model, ui_);
    if (!row) return {{"no device is selected", CellStyle::faint}};
    const Model& model = frame.model;
    std::vector<CompactLine> lines = {compact_device(frame, *row, -1)};
    lines.push_back({model.spec_of(*row).kind()});
    if (const ConditionRow* condition = model.condition_of(*row)) {
      lines.push_back({condition_text(condition->reported), CellStyle::critical});
    }
    const double bits = model.reading(*row, Metric::throttle);
    lines.push_back(
        {fmt::format("clock {} {}", rounded_text(model.reading(*row, Metric::clock), "MHz"),
                     is_throttled(bits) ? "throttled: " + throttle_text(bits) : "")});
    if (!model.spec_of(*row).real) {
      lines.push_back(
          {fmt::format("runs {} queue {}", rounded_text(model.reading(*row, Metric::running), ""),
                       rounded_text(model.reading(*row, Metric::queue), ""))});
    }
    for (const LikelyCause& cause : likely_causes_of(model, frame.now, *row)) {
      lines.push_back({fmt::format("{}: {}", to_text(cause.cause), cause.signal),
                       severity_style(cause.severity)});
    }
    for (const JobRow* job : jobs_on(model, *ui_.device)) {
      lines.push_back({fmt::format("{} {}", to_short_text(job->reported.job.id),
                                   job->reported.job.work.model)});
    }
    return lines;
  }

  ScrolledRows lay_out(const LayoutInput& at) override {
    sort_devices(at.model, ui_.fleet_filter, ui_.devices, at.now, at.resort_every, ui_.moved_at);
    columns_ = at.body.columns;
    if (!ui_.device) {
      if (const auto first = device_at(ui_.devices, 0, 1)) ui_.device = at.model.id_of(*first);
    }
    const auto row = chosen(at.model, ui_);
    if (!row) return {};
    const bool real = at.model.spec_of(*row).real;
    figure_.count = real ? board_figure_count : metric_formula_count;
    figure_.index = std::min(figure_.index, figure_.count - 1);
    // Parsing a spec takes as long as drawing the rest of the view, so it is parsed only if needed.
    const SpecFacts facts(figure_.open ? at.model.spec_of(*row).text : std::string_view());
    layout_ = lay_out_device(at.model, at.now, *row, {at.body.columns, at.body.rows},
                             panel_of(at.model, *row, figure_, facts, at.body.columns));
    int& top = figure_.open ? figure_.page_top : ui_.details_top;
    if (figure_.index >= 0 && std::exchange(figure_.follow, false)) {
      const Rect place = layout_.page.figure(figure_.index);
      top = std::clamp(top, place.row + 1 - std::max(1, layout_.page_rows_seen), place.row);
    }
    top = std::clamp(top, 0, std::max(0, layout_.page.rows - layout_.page_rows_seen));
    if (figure_.open) return {static_cast<int>(layout_.panel.size()), layout_.panel_rows - 1};
    return {layout_.page.rows, layout_.page_rows_seen};
  }

  std::optional<ChartRange> chart_range(const FrameContext& frame) const override {
    const auto row = chosen(frame.model, ui_);
    if (!row) return std::nullopt;
    const ChartSpan span = device_chart_span(frame);
    const TimeWindow window = page_window(frame, columns_, span);
    // The last chart of a row may be some cells wider. The sample before the window is needed, too.
    constexpr int cells_more = 2;
    const Duration every = frame.model.host_of(*row).reported.registration.sample_every;
    return ChartRange{window.begin(narrowest_cells(columns_) + cells_more) - 2 * every, window.bin,
                      span};
  }

  void move(const KeyContext& context, Move direction) override {
    if (direction != Move::left && direction != Move::right) return View::move(context, direction);
    const int from = figure_.index;
    ui_.select_figure(from < 0 ? 0 : direction == Move::right ? from + 1 : from - 1);
  }

  std::optional<ViewId> open_selected(const KeyContext&) override {
    if (figure_.index < 0) figure_.index = 0;
    if (!figure_.open) figure_.page_top = ui_.details_top;
    figure_.open = figure_.follow = true;
    return std::nullopt;
  }

  /// Closes the formula, else clears the selected metric.
  bool close() override {
    if (!std::exchange(figure_.open, false)) return std::exchange(figure_.index, -1) >= 0;
    ui_.details_top = figure_.page_top;
    return true;
  }

  bool scrolls_as_page() const override { return true; }
  void move_on(const KeyContext&) override {}

  // The keys j and k select other devices in the order of the table.
  std::optional<int> count() const override { return static_cast<int>(ui_.devices.lines.size()); }
  int selected(const Model& model) const override {
    return index_of(ui_.devices, model, ui_.device);
  }

  void select(const Model& model, int index, int direction) override {
    choose_device(ui_.devices, model, index, direction, ui_.device);
    figure_.follow = true;  // the same metric of another device
  }

  std::string search_text(const Model& model, int index) const override {
    return search_text_of(ui_.devices, model, index);
  }

 private:
  /// Returns the notes of the charts: the current values of their metrics.
  std::vector<std::string> draw_page(const FrameContext& frame, Canvas& canvas, bool ascii,
                                     DeviceTable::Row row, const SpecFacts& facts) const {
    const DevicePage& page = layout_.page;
    const PageLists& lists = layout_.lists;
    DrawRegion region(canvas, {0, 0, canvas.size().columns, canvas.size().rows}, ascii);
    const ChartSpan span = device_chart_span(frame);
    const TimeWindow window = page_window(frame, canvas.size().columns, span);
    std::vector<int> cells;
    for (const Rect& chart : page.charts) {
      cells.push_back(chart.columns - value_axis_columns(chart.columns));
    }
    const std::vector<MetricChart> metrics = metric_charts(frame, row, window, cells);
    for (std::size_t i = 0; i < metrics.size(); ++i) {
      draw_metric_chart(region, page.charts[i], metrics[i], window, time_labels(span));
    }
    const std::vector<ChartPoint>& first = metrics.front().points;
    const bool blank = std::all_of(first.begin(), first.end(),
                                   [](const ChartPoint& point) { return std::isnan(point.value); });
    const std::string& server = frame.options.history_server;
    const std::string note = server.empty() ? "" : frame.server_history.note(server);
    if (!note.empty()) {
      draw_history_note(region, page.charts.front(), note);
    } else if (frame.series.at.empty() && blank) {
      draw_no_history(frame, region, page.charts.front());
    }
    draw_throttle_strip(region, page.strip, frame, row, window, cells.front(), span);
    if (!lists.causes.empty())
      draw_causes(region.on(page.causes), lists.cause_lines, is_fault(lists.causes));
    if (lists.real) {
      draw_board_facts(region.on(page.facts), frame.model, row);
      draw_partitions(region.on(page.partitions), lists.board);
      draw_processes(region.on(page.processes), lists.board);
    } else {
      draw_limits(region.on(page.facts), facts, frame.model.reading(row, Metric::power_cap));
      draw_memory(region.on(page.memory), lists.memory);
      draw_replicas_on(frame.model, region.on(page.replicas), lists.replicas);
      draw_running_jobs(frame, region.on(page.jobs),
                        fmt::format("Running jobs {}", lists.jobs.size()), lists.jobs, false);
      draw_device_decisions(region.on(page.decisions), lists.device_decisions);
    }
    DrawRegion events = region.on(page.events);
    events.heading(0, "Events", lists.events.empty() ? "" : "newest first");
    draw_log_entries(events, 1, lists.events);
    if (lists.events.empty()) events.text(0, 1, "no recent events", CellStyle::faint);
    if (const int figure = figure_.index; figure >= 0) {
      region.on(page.figure(figure)).tint(0, CellStyle::selected);
    }
    std::vector<std::string> notes;
    for (const MetricChart& metric : metrics) notes.push_back(metric.note);
    return notes;
  }

  /// Makes the visible figures clickable.
  void add_click_targets(const FrameContext& frame, const Rect& shown, int top) const {
    for (int figure = 0; figure < layout_.page.figures(); ++figure) {
      Rect place = layout_.page.figure(figure);
      place.column += shown.column;
      place.row += shown.row - top;
      const bool seen = place.row >= shown.row && place.row < shown.row + shown.rows;
      if (seen) frame.click_targets.add(place, ClickTarget::Kind::figure, figure);
    }
  }

  FormulaSelection& figure_;
  int columns_ = 0;      // of the view
  DeviceLayout layout_;  // its lists refer to the model of the layout
};

}  // namespace

std::unique_ptr<View> make_device_view(UiState& ui) { return std::make_unique<DeviceView>(ui); }

}  // namespace drover::tui
