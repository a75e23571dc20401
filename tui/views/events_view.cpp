// Raised alerts and the log: Enter on a line goes to its moment and its device.
#include <algorithm>
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
#include "tui/panels/log_panels.h"
#include "tui/panels/panels.h"
#include "tui/state/frame_context.h"
#include "tui/state/update.h"
#include "tui/tables/device_queries.h"
#include "tui/tables/log_list.h"
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

void draw_alert_details(const FrameContext& frame, DrawRegion region) {
  const LogEntry* const entry = selected_log_entry(frame.ui.log);
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

// From these sizes on, rules are beside the list, and details of the selection below it.
constexpr int columns_with_rules = 160;
constexpr int rows_with_details = 16;
constexpr int events_gap = 2;

struct EventsLayout {
  Rect list, details, rules;  // the last two may be empty
};

EventsLayout lay_out_events(const Rect& area, const Model& model, const LogList& list) {
  EventsLayout layout{area, {}, {}};
  if (area.columns >= columns_with_rules && list.filter != LogFilter::rules) {
    layout.list.columns = area.columns * 3 / 5 - events_gap;
    const int column = area.column + layout.list.columns + events_gap;
    layout.rules = {column, area.row, area.column + area.columns - column, area.rows};
  }
  const int details = area.rows < rows_with_details ? 0 : alert_details_rows(model, list);
  layout.list.rows -= details;
  layout.details = {area.column, area.row + layout.list.rows, layout.list.columns, details};
  return layout;
}

ScrolledRows arrange_events(const LayoutInput& at, UiState& ui) {
  LogList& list = ui.log;
  list.lines = list_log(at.model, ui.fleet_filter, list.filter);
  list.place.scroll_to(index_of_chosen(list), static_cast<int>(list.lines.size()),
                       lay_out_events(at.body, at.model, list).list.rows);
  return {};
}

int count_entries(const UiState& ui) { return static_cast<int>(ui.log.lines.size()); }
int selected_entry(const Model&, const UiState& ui) { return index_of_chosen(ui.log); }
void select_entry(const Model&, UiState& ui, int index, int direction) {
  select_log_entry(ui.log, index, direction);
}
std::string text_of_entry(const Model&, const UiState& ui, int index) {
  const LogEntry& entry = ui.log.lines[static_cast<std::size_t>(index)].entry;
  return entry.subject + " " + entry.text;
}
bool deselect_entry(UiState& ui) { return std::exchange(ui.log.chosen, std::nullopt).has_value(); }

/// Shows the devices that match a rule now.
void go_to_rule(const Model& model, UiState& ui, const LogEntry& entry) {
  const AlertRuleText* const rule = rule_named(model, entry.rule);
  const auto filter = rule == nullptr ? std::nullopt : matching_devices_filter(*rule);
  if (!filter) {
    ui.note = "no filter can list the devices of this rule";
    return;
  }
  ui.fleet_filter.set(*filter);
  show_view(ui, View::devices);
}

/// Goes to the entry's moment and to its subject: a device, a host's first device, or a job.
void go_to_entry(const Model& model, UiState& ui) {
  const LogEntry* const entry = selected_log_entry(ui.log);
  if (entry == nullptr) return;
  if (entry->kind == LogEntryKind::rule) return go_to_rule(model, ui, *entry);
  ui.seek_target = entry->at;
  if (const auto device = find_device(model, entry->subject)) {
    ui.device = device;
    show_view(ui, View::device);
  } else if (const auto job = find_job(model, entry->subject)) {
    ui.jobs.chosen = job;
    ui.jobs.open = true;
    show_view(ui, View::jobs);
  } else {
    show_view(ui, View::fleet);
  }
}

void draw_list(const FrameContext& frame, DrawRegion list) {
  const LogList& log = frame.ui.log;
  const auto draw = [&](int row, std::size_t item) {
    const LogLine& line = log.lines[item];
    if (!line.heading.empty()) {
      const std::string showing = item > 0 ? "" : fmt::format(", f: {}", to_text(log.filter));
      list.on(list.row_area(row)).heading(0, line.heading, line.note + showing);
      return false;
    }
    line.entry.kind == LogEntryKind::rule ? draw_rule_line(frame, list, row, line.entry)
                                          : draw_log_line(frame, list, row, line.entry);
    return true;
  };
  draw_items(frame, list, 0, log.place, log.lines.size(), draw);
}

void draw_events_view(const FrameContext& frame, const DrawRegion& region) {
  const EventsLayout layout = lay_out_events(region.area(), frame.model, frame.ui.log);
  draw_list(frame, region.on(layout.list));
  if (layout.rules.columns > 0) draw_rules(frame, region.on(layout.rules));
  if (layout.details.rows > 0) draw_alert_details(frame, region.on(layout.details));
}

}  // namespace

const ViewDefinition events_view = {.name = "events",
                                    .arrange = arrange_events,
                                    .draw = draw_events_view,
                                    .count = count_entries,
                                    .selected = selected_entry,
                                    .select = select_entry,
                                    .place = [](UiState& ui) { return &ui.log.place; },
                                    .text = text_of_entry,
                                    .open = go_to_entry,
                                    .back = deselect_entry};

}  // namespace drover::tui
