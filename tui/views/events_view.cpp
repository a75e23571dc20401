// Raised alerts, and below them past entries, newest first. Enter on a line goes to its moment and
// its device.
#include <algorithm>
#include <optional>
#include <string>
#include <vector>

#include <fmt/format.h>

#include "fleet/base/text.h"
#include "tui/canvas/layout.h"
#include "tui/panels/log_strip.h"
#include "tui/panels/panels.h"
#include "tui/tables/device_queries.h"
#include "tui/views/alert_rule_lines.h"
#include "tui/views/log_details.h"
#include "tui/views/views.h"

namespace drover::tui {
namespace {

// From these sizes on, rules, the strip and details are beside the list, and details of the
// selection below it.
constexpr int columns_with_panels_beside = 160;
constexpr int rows_with_details = 16;
constexpr int events_gap = 2;
constexpr int trend_rows_least = 12;
constexpr int trend_rows_most = 30;

/// The parts of the view; all but the list may be empty.
struct EventsLayout {
  Rect list, rules, strip, details, trend;
};

class EventsView : public View {
 public:
  explicit EventsView(UiState& ui) : View(ui, &ui.log.place), list_(ui.log) {}

  void forget_layout() override {
    list_.lines.clear();
    details_ = {};
  }
  void draw(const FrameContext& frame, const DrawRegion& region) const override {
    draw_list(frame, region.on(layout_.list));
    if (layout_.rules.rows > 0) draw_rules(frame, region.on(layout_.rules));
    if (layout_.strip.rows > 0) draw_log_strip(frame, region.on(layout_.strip));
    if (layout_.trend.rows > 0)
      draw_fleet_charts(frame, region.on(layout_.trend),
                        totals_of(frame.model, frame.now, frame.rows_shown()));
    if (layout_.details.rows == 0) return;
    DrawRegion details = region.on(layout_.details);
    DrawRegion body = draw_details_heading(details, details_.title, details_.note, details_.rows(),
                                           ui_.details_top);
    draw_detail_lines(body, details_.lines, ui_.details_top);
  }

  std::vector<CompactLine> compact_lines(const FrameContext& frame, int lines_max) const override {
    const auto text = [](const LogLine& line, int item) -> CompactLine {
      if (line.kind == LogLine::Kind::heading) return {line.heading, CellStyle::header};
      if (line.kind == LogLine::Kind::continuation) return {line.text, CellStyle::faint};
      return {fmt::format("{} {}", subjects_of(line), line.text),
              line.entry.severity == Severity::critical  ? CellStyle::critical
              : line.entry.severity == Severity::warning ? CellStyle::warm
                                                         : CellStyle::plain,
              item};
    };
    return list_lines(list_.lines, list_.place, selected(frame.model), lines_max, text);
  }

  ScrolledRows lay_out(const LayoutInput& at) override {
    list_.lines = grouped_lines(list_log(at.model, ui_.fleet_filter, list_.filter), list_.opened);
    const bool beside =
        at.body.columns >= columns_with_panels_beside && list_.filter != LogFilter::rules;
    const int list_columns = beside ? at.body.columns * 3 / 5 - events_gap : at.body.columns;
    wrap_log_lines(list_.lines, list_columns);
    details_ = {};
    const LogLine* const line = selected_log_line(list_);
    const int columns = beside ? at.body.columns - list_columns - events_gap : list_columns;
    if (line != nullptr && at.body.rows >= rows_with_details)
      details_ = log_details(at.model, ui_.fleet_filter, at.now, *line, columns);
    layout_ = beside ? lay_out_beside(at.model, at.body, list_columns) : lay_out_below(at.body);
    list_.place.scroll_to(index_of_chosen(list_), items(), layout_.list.rows);
    return {details_.rows(), layout_.details.rows};
  }

  std::optional<ChartRange> chart_range(const FrameContext& frame) const override {
    if (layout_.trend.rows == 0) return std::nullopt;
    return fleet_chart_range(frame, layout_.trend.columns);
  }

  std::optional<int> count() const override { return static_cast<int>(list_.lines.size()); }
  int selected(const Model&) const override { return index_of_chosen(list_); }
  void select(const Model&, int index, int direction) override {
    choose_entry(list_, index, direction);
  }

  std::string search_text(const Model&, int index) const override {
    const LogLine& line = list_.lines[static_cast<std::size_t>(index)];
    if (!line.selectable()) return {};
    std::string text = fmt::format("{} {}", subjects_of(line), entry_text(line.entry));
    for (const LogEntry& member : line.group) text += " " + member.subject;
    return text;
  }

  /// Opens or closes a group. Of an entry, goes to its moment and to its subject: a device, a
  /// host's first device, or a job.
  std::optional<ViewId> open_selected(const KeyContext& context) override {
    const LogEntry* const entry = selected_log_entry(list_);
    if (entry == nullptr || toggle_group(list_)) return std::nullopt;
    if (entry->kind == LogEntryKind::rule) return open_rule(context, *entry);
    const auto device = find_device(context.model, entry->subject);
    const auto job = device ? std::nullopt : find_job(context.model, entry->subject);
    if (device) ui_.device = device;
    if (job) {
      ui_.jobs.chosen = job;
      ui_.jobs.open = true;
    }
    // Last: this replaces the model.
    context.cursor.go_to(entry->at, context.now);
    return device ? ViewId::device : job ? ViewId::jobs : ViewId::fleet;
  }

  bool back() override { return leave_selection(list_); }

 private:
  /// Shows the devices that match a rule now.
  std::optional<ViewId> open_rule(const KeyContext& context, const LogEntry& entry) {
    const AlertRuleText* const rule = rule_named(context.model, entry.rule);
    const auto filter = rule == nullptr ? std::nullopt : matching_devices_filter(*rule);
    if (!filter) {
      context.cursor.say("no filter can list the devices of this rule");
      return std::nullopt;
    }
    ui_.fleet_filter.set(*filter);
    ui_.narrowed_to = entry.rule;
    return ViewId::devices;
  }

  void draw_list(const FrameContext& frame, DrawRegion region) const {
    const int chosen = selected(frame.model);
    const auto draw = [&](int row, std::size_t item) {
      const LogLine& line = list_.lines[item];
      if (line.kind == LogLine::Kind::heading) {
        const std::size_t below = list_.lines.size() - item;
        const bool entries = below > 1 && list_.lines[item + 1].kind != LogLine::Kind::heading;
        if (entries && draw_cut_heading(region, row, 0, below)) return false;
        const std::string showing = item > 0 ? "" : fmt::format(", f: {}", to_text(list_.filter));
        region.on(region.row_area(row)).heading(0, line.heading, line.note + showing);
        return false;
      }
      const bool continued = line.kind == LogLine::Kind::continuation;
      line.entry.kind == LogEntryKind::rule && !continued ? draw_rule_line(frame, region, row, line)
                                                          : draw_log_line(frame, region, row, line);
      if (!continued) return true;
      // A part of the entry above, which may have scrolled out.
      std::size_t above = item;
      while (above > 0 && list_.lines[above].kind == LogLine::Kind::continuation) --above;
      const int entry = static_cast<int>(above);
      frame.click_targets.add(region.row_area(row), ClickTarget::Kind::item, entry);
      if (entry == chosen) region.tint(row, CellStyle::selected);
      return false;
    };
    draw_items(frame, region, 0, list_.place, list_.lines.size(), chosen, draw);
  }

  /// The list has the whole height; all else is in a column beside it.
  EventsLayout lay_out_beside(const Model& model, const Rect& area, int list_columns) const {
    const int column = list_columns + events_gap;
    const Rect right = {area.column + column, area.row, area.columns - column, area.rows};
    const int rules = rule_rows(model, right.columns);
    const std::vector<Rect> parts = cut_rows(
        right,
        {{std::min(rules, right.rows / 4), rules, 1},
         {details_.rows() > 0 ? std::min(details_.rows(), right.rows / 2) : 0, details_.rows(), 1},
         {log_strip_rows, log_strip_rows, 0},
         {trend_rows_least, trend_rows_most, 1}},
        1);
    return {
        {area.column, area.row, list_columns, area.rows}, parts[0], parts[2], parts[1], parts[3]};
  }

  /// Details are below the list; between them is the strip, if the list leaves it room.
  EventsLayout lay_out_below(const Rect& area) const {
    EventsLayout layout;
    layout.list = area;
    const int details = std::min(details_.rows(), area.rows / 2);
    layout.list.rows -= details;
    layout.details = {area.column, area.row + layout.list.rows, area.columns, details};
    if (items() + 1 + log_strip_rows > layout.list.rows || list_.filter == LogFilter::rules)
      return layout;
    layout.list.rows -= log_strip_rows;
    layout.strip = {area.column, area.row + layout.list.rows, area.columns, log_strip_rows};
    return layout;
  }

  LogList& list_;
  LogDetails details_;
  EventsLayout layout_;
};

}  // namespace

std::unique_ptr<View> make_events_view(UiState& ui) { return std::make_unique<EventsView>(ui); }

}  // namespace drover::tui
