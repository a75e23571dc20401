// Raised alerts, and below them past entries, newest first. Enter on a line goes to its moment and
// its device.
#include <algorithm>
#include <array>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include <fmt/format.h>

#include "fleet/base/text.h"
#include "fleet/base/units.h"
#include "fleet/filter/filter.h"
#include "tui/panels/panels.h"
#include "tui/tables/device_queries.h"
#include "tui/views/views.h"

namespace drover::tui {
namespace {

constexpr int rows_with_rule = 6;     // heading, state or devices, raised, cleared, why, subjects
constexpr int rows_without_rule = 3;  // heading, state, missing rule
constexpr int rule_label_columns = 12;
constexpr std::size_t subjects_max = 40;  // in a line, which is cut if it does not fit

std::string raise_span_text(Duration span) {
  return span <= Duration{0} ? "at once" : duration_text(to_seconds(span));
}

/// The subjects of the rule's raised alerts that match the filter.
std::vector<std::string> raised_by(const FrameContext& frame, const std::string& rule) {
  const Model& model = frame.model;
  const FleetFilter& fleet_filter = frame.ui.fleet_filter;
  std::vector<std::string> subjects;
  for (auto it = model.alerts().lower_bound({rule, ""});
       it != model.alerts().end() && it->first.rule == rule; ++it) {
    if (fleet_filter.active() && !fleet_filter.shows(model, raised_log_entry(it->second.alert)))
      continue;
    subjects.push_back(it->first.subject);
  }
  return subjects;
}

/// "3: gpu-a/3, gpu-b/1 .."
std::string subjects_text(const std::vector<std::string>& subjects) {
  if (subjects.empty()) return "none";
  const std::size_t shown = std::min(subjects.size(), subjects_max);
  return fmt::format("{}: {}{}", subjects.size(), joined(std::span(subjects).first(shown), ", "),
                     shown < subjects.size() ? ", .." : "");
}

bool has_details(const LogEntry& entry) {
  return entry.kind == LogEntryKind::rule || entry.kind == LogEntryKind::raised ||
         entry.kind == LogEntryKind::alert || entry.kind == LogEntryKind::alert_acknowledged ||
         entry.kind == LogEntryKind::alert_cleared;
}

/// "raised at 12:03:07, 2m ago; not acknowledged (key a)".
std::string alert_state_text(const FrameContext& frame, const LogEntry& entry) {
  const auto known = frame.model.alerts().find({entry.rule, entry.subject});
  if (known == frame.model.alerts().end()) return "cleared";
  const Alert& alert = known->second.alert;
  const std::string since = fmt::format("raised at {}, {} ago", to_clock_text(alert.since),
                                        duration_text(to_seconds(frame.now - alert.since)));
  if (alert.acknowledged_by.empty()) return since + "; not acknowledged (key a)";
  return fmt::format("{}; acknowledged by {} at {}", since, alert.acknowledged_by,
                     to_clock_text(alert.acknowledged_at));
}

/// The filter that finds the devices to which a rule applies. None for a rule that is not about
/// devices or whose condition no filter expresses.
std::optional<std::string> matching_devices_filter(const AlertRuleText& rule) {
  if (rule.about != "device") return std::nullopt;
  const auto parsed = filter::Filter::parse(rule.when);
  if (!std::holds_alternative<filter::Filter>(parsed)) return std::nullopt;
  return rule.when;
}

/// What Enter does on a rule.
std::string devices_text(const AlertRuleText* rule) {
  if (rule == nullptr) return {};
  return matching_devices_filter(*rule) ? "Enter shows the matching devices"
                                        : "no filter can list the devices of this condition";
}

/// A rule as a line: name, severity, subject, number of raised alerts, durations, filters.
void draw_rule_line(const FrameContext& frame, DrawRegion& region, int row, const LogEntry& entry) {
  const AlertRuleText* const rule = rule_named(frame.model, entry.rule);
  if (rule == nullptr) return;  // the list was laid out for another moment
  const std::size_t raised = raised_by(frame, rule->name).size();
  const int name = std::clamp(region.columns() / 6, 8, 18);
  region.field(1, row, name, rule->name,
               raised > 0 ? severity_style(rule->severity) : CellStyle::plain);
  int at = 2 + name;
  region.field(at, row, 3, raised > 0 ? fmt::format("{}", raised) : "-",
               raised > 0 ? severity_style(rule->severity) : CellStyle::faint, Align::right);
  at += 4;
  region.field(at, row, 8, to_text(rule->severity), severity_style(rule->severity));
  at += 9;
  region.field(at, row, 6, rule->about, CellStyle::faint);
  at += 7;
  region.field(at, row, 7, raise_span_text(rule->raise_after), CellStyle::faint, Align::right);
  at += 8;
  std::string text = rule->when;
  if (!rule->clear.empty()) text += fmt::format("  clear: {}", rule->clear);
  region.field(at, row, region.columns() - at, text);
}

/// All rules, with a heading.
void draw_rules(const FrameContext& frame, DrawRegion region) {
  const std::vector<LogEntry> rules = alert_rules(frame.model);
  const int shown = std::max(0, region.rows() - 1);
  const int left = static_cast<int>(rules.size()) - shown;
  region.heading(0, fmt::format("Rules {}", rules.size()),
                 rules.empty() ? "not reported by the router"
                 : left > 0    ? fmt::format("{} more: f", left)
                               : "raised alerts, severity, about, raised after");
  for (int line = 1; line < region.rows() && line <= static_cast<int>(rules.size()); ++line) {
    draw_rule_line(frame, region, line, rules[static_cast<std::size_t>(line) - 1]);
  }
}

/// The details of the selected alert or rule: thresholds, durations, affected devices, and who
/// acknowledged it. Rows include the heading; 0 when no alert or rule is selected.
int alert_details_rows(const Model& model, const LogList& list) {
  const LogEntry* const entry = selected_log_entry(list);
  if (entry == nullptr || !has_details(*entry)) return 0;
  return rule_named(model, entry->rule) == nullptr ? rows_without_rule : rows_with_rule;
}

// From these sizes on, rules are beside the list, and details of the selection below it.
constexpr int columns_with_rules = 160;
constexpr int rows_with_details = 16;
constexpr int events_gap = 2;

class EventsView : public View {
 public:
  explicit EventsView(UiState& ui) : View(ui, &ui.log.place), list_(ui.log) {}

  void forget_layout() override { list_.lines.clear(); }
  void draw(const FrameContext& frame, const DrawRegion& region) const override {
    draw_list(frame, region.on(list_area_));
    if (rules_area_.columns > 0) draw_rules(frame, region.on(rules_area_));
    if (details_area_.rows > 0) draw_details(frame, region.on(details_area_));
  }

  std::vector<CompactLine> compact_lines(const FrameContext& frame, int lines_max) const override {
    const auto text = [](const LogLine& line, int item) -> CompactLine {
      if (!line.heading.empty()) return {line.heading, CellStyle::header};
      return {fmt::format("{} {}", line.entry.subject, line.entry.text),
              line.entry.severity == Severity::critical  ? CellStyle::critical
              : line.entry.severity == Severity::warning ? CellStyle::warm
                                                         : CellStyle::plain,
              item};
    };
    return list_lines(list_.lines, list_.place, selected(frame.model), lines_max, text);
  }

  ScrolledRows lay_out(const LayoutInput& at) override {
    const Rect& area = at.body;
    list_.lines = list_log(at.model, ui_.fleet_filter, list_.filter);
    list_area_ = area;
    rules_area_ = {};
    if (area.columns >= columns_with_rules && list_.filter != LogFilter::rules) {
      list_area_.columns = area.columns * 3 / 5 - events_gap;
      const int column = area.column + list_area_.columns + events_gap;
      rules_area_ = {column, area.row, area.column + area.columns - column, area.rows};
    }
    const int details = area.rows < rows_with_details ? 0 : alert_details_rows(at.model, list_);
    list_area_.rows -= details;
    details_area_ = {area.column, area.row + list_area_.rows, list_area_.columns, details};
    list_.place.scroll_to(index_of_chosen(list_), items(), list_area_.rows);
    return {};
  }

  std::optional<int> count() const override { return static_cast<int>(list_.lines.size()); }
  int selected(const Model&) const override { return index_of_chosen(list_); }
  void select(const Model&, int index, int direction) override {
    choose_entry(list_, index, direction);
  }

  std::string search_text(const Model&, int index) const override {
    const LogEntry& entry = list_.lines[static_cast<std::size_t>(index)].entry;
    return entry.subject + " " + entry.text;
  }

  /// Goes to the entry's moment and to its subject: a device, a host's first device, or a job.
  std::optional<ViewId> open_selected(const KeyContext& context) override {
    const LogEntry* const entry = selected_log_entry(list_);
    if (entry == nullptr) return std::nullopt;
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

  bool back() override { return std::exchange(list_.chosen, std::nullopt).has_value(); }

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
    return ViewId::devices;
  }

  void draw_list(const FrameContext& frame, DrawRegion region) const {
    const auto draw = [&](int row, std::size_t item) {
      const LogLine& line = list_.lines[item];
      if (!line.heading.empty()) {
        const std::string showing = item > 0 ? "" : fmt::format(", f: {}", to_text(list_.filter));
        region.on(region.row_area(row)).heading(0, line.heading, line.note + showing);
        return false;
      }
      line.entry.kind == LogEntryKind::rule ? draw_rule_line(frame, region, row, line.entry)
                                            : draw_log_line(frame, region, row, line.entry);
      return true;
    };
    draw_items(frame, region, 0, list_.place, list_.lines.size(), selected(frame.model), draw);
  }

  void draw_details(const FrameContext& frame, DrawRegion region) const {
    const LogEntry* const entry = selected_log_entry(list_);
    if (entry == nullptr || !has_details(*entry)) return;
    const AlertRuleText* const rule = rule_named(frame.model, entry->rule);
    const bool alone = entry->kind == LogEntryKind::rule;
    region.heading(0,
                   alone ? fmt::format("Rule {}", entry->rule)
                         : fmt::format("Alert {} of {}", entry->rule, entry->subject),
                   rule == nullptr
                       ? std::string()
                       : fmt::format("{}, about: {}", to_text(rule->severity), rule->about));
    int row = 1;
    const auto fact = [&](std::string_view label, const std::string& value,
                          CellStyle style = CellStyle::plain) {
      draw_fact(region, 0, row++, rule_label_columns, label, value, style);
    };
    fact(alone ? "devices" : "now", alone ? devices_text(rule) : alert_state_text(frame, *entry));
    if (rule == nullptr) return fact("rule", "not in the current policy", CellStyle::faint);
    const auto span_text = [](Duration span) {
      return (span > Duration{0} ? "for " : "") + raise_span_text(span);
    };
    fact("raised when", fmt::format("{}, {}", rule->when, span_text(rule->raise_after)));
    fact("clears when",
         fmt::format("{}, {}", rule->clear.empty() ? "the condition no longer holds" : rule->clear,
                     span_text(rule->clear_after)));
    fact("meaning", rule->help);
    fact("subjects", subjects_text(raised_by(frame, rule->name)));
  }

  LogList& list_;
  Rect list_area_, details_area_, rules_area_;  // the last two may be empty
};

}  // namespace

std::unique_ptr<View> make_events_view(UiState& ui) { return std::make_unique<EventsView>(ui); }

}  // namespace drover::tui
