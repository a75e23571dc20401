#include "tui/device/device_page.h"

#include <algorithm>
#include <set>
#include <utility>

#include <fmt/format.h>

#include "fleet/base/text.h"
#include "tui/device/device_charts.h"
#include "tui/device/device_limits.h"
#include "tui/panels/panels.h"

namespace drover::tui {
namespace {

class Lines {
 public:
  explicit Lines(int columns) : columns_(columns) {}

  /// Adds a label and its text, which is wrapped and indented behind the label.
  void add(std::string_view label, const std::string& text, CellStyle style = CellStyle::plain) {
    constexpr int label_columns = 12;
    const int width = std::max(8, columns_ - label_columns);
    for (const std::string& line : split(text, '\n')) {
      for (const std::string& part : wrapped(line, width)) {
        lines_.push_back({fmt::format("{:<{}}{}", label, label_columns, part), style});
        label = {};
      }
    }
  }

  std::vector<FormulaLine> take() { return std::move(lines_); }

 private:
  int columns_;
  std::vector<FormulaLine> lines_;
};

/// `before`: the constant above, whose note is not repeated.
void add_constant(Lines& lines, std::string_view label, std::string_view name, const SpecFact* fact,
                  const SpecFact* before) {
  std::string text = fmt::format("{} = {}", name, value_text(fact));
  // A plain zero means unknown or none.
  const bool known = fact != nullptr && (fact->value != 0 || fact->known != Provenance::read);
  if (!known) return lines.add(label, text + ", unknown", CellStyle::faint);
  text += fmt::format(", {}", to_text(fact->known));
  const bool same = before != nullptr && before->known == fact->known && before->note == fact->note;
  if (!fact->note.empty()) {
    text += same ? std::string(", as above") : fmt::format(": {}", printable(fact->note));
  }
  lines.add(label, text, fact->known == Provenance::assumed ? CellStyle::warm : CellStyle::plain);
}

void add_errors(Lines& lines, const MetricFormula& figure) {
  std::string_view label = "error";
  for (int i = 0; i < error_class_count; ++i) {
    const auto error_class = static_cast<ModelErrorClass>(i);
    if ((figure.errors >> static_cast<unsigned>(error_class) & 1u) == 0) continue;
    const ModelErrorInfo& error = facts(error_class);
    lines.add(label, fmt::format("{}: {} of {} published measurements", error.title, error.error,
                                 error.measurements));
    label = {};
  }
  if (figure.errors == 0) lines.add(label, "not compared with measurements", CellStyle::faint);
}

constexpr int wide_columns = 100;  // from here on, three charts and two lists are side by side
constexpr int roomy_columns = 160;
constexpr std::size_t list_max = 10;
constexpr int gap = 2;

PageLists lists_of(const Model& model, DeviceTable::Row row) {
  const DeviceId id = model.id_of(row);
  return {replicas_on(model, id), jobs_on(model, id), decisions_about(model, row, list_max),
          latest_log_entries(model, list_max, id), memory_use_of(model, row)};
}

/// A heading and at least one line, which may say that the list is empty.
int list_rows(std::size_t lines) {
  return 1 + static_cast<int>(std::clamp<std::size_t>(lines, 1, list_max));
}

int charts_abreast(int columns) { return columns < wide_columns ? 2 : 3; }

/// The number of charts above the strip of throttle reasons; the others are below it.
int charts_before_strip(int columns) { return columns < wide_columns ? 6 : metric_chart_count; }

int chart_columns(int columns) {
  const int abreast = charts_abreast(columns);
  return (columns - gap * (abreast - 1)) / abreast;
}

int lines_of_charts(int columns, int count) {
  return (count + charts_abreast(columns) - 1) / charts_abreast(columns);
}

void place_charts(DevicePage& page, int columns, int count, int more_rows) {
  const int abreast = charts_abreast(columns);
  const int width = chart_columns(columns);
  const int rows = (columns < wide_columns ? 5 : columns < roomy_columns ? 7 : 9) + more_rows;
  for (int i = 0; i < count; ++i) {
    const int place = i % abreast;
    // The last one gets the remainder of the division.
    const int own = place + 1 < abreast ? width : columns - place * (width + gap);
    page.charts.push_back({place * (width + gap), page.rows + i / abreast * rows, own, rows});
  }
  page.rows += lines_of_charts(columns, count) * rows;
}

DevicePage lay_out_page(int columns, const PageLists& lists, int more_rows) {
  DevicePage page;
  const int before_strip = charts_before_strip(columns);
  place_charts(page, columns, before_strip, more_rows);
  page.strip = {0, page.rows, columns, 3};
  page.rows += 3;
  place_charts(page, columns, metric_chart_count - before_strip, more_rows);
  const bool abreast = columns >= wide_columns;
  const int left = abreast ? (columns - gap) / 2 : columns;
  const auto place = [](int column, int width, int& row, int rows) {
    const Rect rect{column, row, width, rows};
    row += rect.rows + 1;
    return rect;
  };
  int left_row = page.rows;
  page.memory = place(0, left, left_row, memory_rows(lists.memory));
  page.replicas = place(0, left, left_row, list_rows(lists.replicas.size()) + 1);
  page.jobs = place(0, left, left_row, list_rows(lists.jobs.size()));
  int right_row = abreast ? page.rows : left_row;
  const int right = abreast ? left + gap : 0;
  page.limits = place(right, columns - right, right_row, limits_rows(columns - right));
  page.decisions =
      place(right, columns - right, right_row, list_rows(lists.device_decisions.size()));
  page.events = place(right, columns - right, right_row, list_rows(lists.events.size()));
  page.rows = std::max(left_row, right_row) - 1;
  return page;
}

/// Lays out the page for `room`: spare rows make all charts higher, two rows at a time, so that
/// they keep a middle row.
DevicePage lay_out_page_on(Size room, const PageLists& lists) {
  const DevicePage page = lay_out_page(room.columns, lists, 0);
  const int before_strip = charts_before_strip(room.columns);
  const int lines = lines_of_charts(room.columns, before_strip) +
                    lines_of_charts(room.columns, metric_chart_count - before_strip);
  const int more_rows = std::max(0, room.rows - page.rows) / lines / 2 * 2;
  return more_rows == 0 ? page : lay_out_page(room.columns, lists, more_rows);
}

std::vector<FormulaLine> panel_of(const FormulaSelection& figure, const SpecFacts& facts,
                                  int columns) {
  if (!figure.open || figure.index < 0) return {};
  return formula_lines(metric_formulas()[static_cast<std::size_t>(figure.index)], facts, columns);
}

}  // namespace

std::vector<FormulaLine> formula_lines(const MetricFormula& figure, const SpecFacts& facts,
                                       int columns) {
  Lines lines(columns);
  lines.add("", with_values(figure.description, facts));
  std::vector<std::string_view> names = constants_in(figure.formula);
  const bool emulated = names.empty() ? facts.find("power.idle_w") != nullptr
                                      : std::any_of(names.begin(), names.end(), [&](auto name) {
                                          return facts.find(name) != nullptr;
                                        });
  if (!emulated) {
    lines.add("formula", "as reported by its driver: the spec has no emulation constants");
    return lines.take();
  }
  if (!is_limit(figure)) lines.add("formula", with_names(figure.formula), CellStyle::accent);
  if (!names.empty()) lines.add("values", with_values(figure.formula, facts));
  for (const std::string_view name : constants_in(figure.description)) {
    if (std::find(names.begin(), names.end(), name) == names.end()) names.push_back(name);
  }
  std::string_view label = "constants";
  std::set<std::string_view> sources;
  const SpecFact* before = nullptr;
  for (const std::string_view name : names) {
    const SpecFact* const fact = facts.find(name);
    add_constant(lines, label, name, fact, std::exchange(before, fact));
    label = {};
    const std::string_view source = facts.source_of(name.substr(0, name.find('.')));
    const bool read = fact != nullptr && fact->known == Provenance::read && fact->value != 0;
    if (read && !source.empty()) sources.insert(source);
  }
  label = "sources";
  for (const std::string_view source : sources) {
    lines.add(label, printable(source));
    label = {};
  }
  if (!is_limit(figure)) add_errors(lines, figure);
  return lines.take();
}

void draw_formula_panel(DrawRegion region, const MetricFormula& figure, std::string_view value,
                        const std::vector<FormulaLine>& lines, int top) {
  const int seen = region.rows() - 1;
  const std::string scroll = scroll_note(static_cast<int>(lines.size()), seen, top);
  region.heading(0, fmt::format("{}: {}", figure.name, value),
                 scroll.empty() ? "Esc closes" : scroll);
  for (int row = 0; row < seen; ++row) {
    const auto index = static_cast<std::size_t>(top) + static_cast<std::size_t>(row);
    if (index >= lines.size()) break;
    region.field(0, row + 1, region.columns(), lines[index].text, lines[index].style);
  }
}

Rect DevicePage::figure(int index) const {
  if (index < throttle_formula_index) {
    const Rect& chart = charts[static_cast<std::size_t>(index)];
    return {chart.column, chart.row, chart.columns, 1};
  }
  if (index == throttle_formula_index) return {strip.column, strip.row, strip.columns, 1};
  const Rect place = limit_place(index - first_limit, limits.columns);
  return {limits.column + place.column, limits.row + place.row, place.columns, 1};
}

DeviceLayout lay_out_device(const Model& model, const FormulaSelection& figure,
                            DeviceTable::Row row, const SpecFacts& facts, Size area) {
  DeviceLayout layout;
  layout.head_rows = model.condition_of(row) == nullptr ? 2 : 3;
  layout.lists = lists_of(model, row);
  const int room = std::max(0, area.rows - layout.head_rows);
  // An open formula does not change the page; only fewer of its rows are visible.
  layout.page = lay_out_page_on({area.columns, room}, layout.lists);
  layout.panel = panel_of(figure, facts, area.columns);
  if (!layout.panel.empty()) {
    layout.panel_rows = std::min(static_cast<int>(layout.panel.size()) + 1, (room + 1) / 2);
  }
  layout.page_rows_seen = room - layout.panel_rows;
  return layout;
}

TimeWindow page_window(const FrameContext& frame, int columns) {
  const int chart = chart_columns(columns);
  TimeWindow window = window_of(frame, chart - value_axis_columns(chart));
  window.bin *= frame.ui.zoom_factor();
  return window;
}

}  // namespace drover::tui
