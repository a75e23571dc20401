#include "tui/views/events_view.h"

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
#include "tui/panels/log_panels.h"
#include "tui/tables/device_queries.h"

namespace drover::tui {
namespace {

void add_section(std::vector<LogLine>& lines, std::string heading, std::string note,
                 std::vector<LogEntry> section) {
  lines.push_back({std::move(heading), std::move(note), {}});
  for (LogEntry& entry : section) lines.push_back({{}, {}, std::move(entry)});
}

std::string note_of(const std::vector<LogEntry>& raised) {
  if (raised.empty()) return "no alerts";
  const auto seen = std::count_if(raised.begin(), raised.end(), [](const LogEntry& entry) {
    return !entry.acknowledged_by.empty();
  });
  return seen > 0 ? fmt::format("most severe first, {} acknowledged", seen) : "most severe first";
}

std::string_view to_text(LogFilter filter) {
  static constexpr std::array<std::string_view, log_filter_count> names = {"all", "alerts",
                                                                           "events", "rules"};
  return names[static_cast<std::size_t>(filter)];
}

LogEntryKey key_of(const LogEntry& entry) {
  return {entry.at, entry.kind, entry.subject, entry.text};
}

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

int index_of_chosen(const LogList& list) {
  if (!list.chosen) return -1;
  return index_where(list.lines, [&](const LogLine& line) {
    return line.heading.empty() && key_of(line.entry) == *list.chosen;
  });
}

}  // namespace

std::vector<LogLine> list_log(const Model& model, const FleetFilter& fleet_filter,
                              LogFilter filter) {
  std::vector<LogLine> lines;
  const auto hidden = [&](const LogEntry& entry) { return !fleet_filter.shows(model, entry); };
  if (filter == LogFilter::all || filter == LogFilter::alerts) {
    std::vector<LogEntry> raised = raised_alerts(model);
    std::erase_if(raised, hidden);
    std::string heading = fmt::format("Alerts {}", raised.size());
    std::string note = note_of(raised);
    add_section(lines, std::move(heading), std::move(note), std::move(raised));
  }
  if (filter == LogFilter::all || filter == LogFilter::events) {
    std::vector<LogEntry> entries = latest_log_entries(model, log_entries_max);
    std::erase_if(entries, hidden);
    add_section(lines, "Events", "newest first", std::move(entries));
  }
  if (filter == LogFilter::rules) {
    // Filters do not apply to rules, which have no device.
    std::vector<LogEntry> rules = alert_rules(model);
    std::string heading = fmt::format("Rules {}", rules.size());
    std::string note = rules.empty() ? "not reported by the router" : "from the policy";
    add_section(lines, std::move(heading), std::move(note), std::move(rules));
  }
  return lines;
}

const LogEntry* selected_log_entry(const LogList& list) {
  const int index = index_of_chosen(list);
  return index < 0 ? nullptr : &list.lines[static_cast<std::size_t>(index)].entry;
}

void EventsView::draw_details(const FrameContext& frame, DrawRegion region) const {
  const LogEntry* const entry = selected_log_entry(list);
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

ScrolledRows EventsView::lay_out(const LayoutInput& at) {
  const Rect& area = at.body;
  list.lines = list_log(at.model, ui_.fleet_filter, list.filter);
  list_area_ = area;
  rules_area_ = {};
  if (area.columns >= columns_with_rules && list.filter != LogFilter::rules) {
    list_area_.columns = area.columns * 3 / 5 - events_gap;
    const int column = area.column + list_area_.columns + events_gap;
    rules_area_ = {column, area.row, area.column + area.columns - column, area.rows};
  }
  const int details = area.rows < rows_with_details ? 0 : alert_details_rows(at.model, list);
  list_area_.rows -= details;
  details_area_ = {area.column, area.row + list_area_.rows, list_area_.columns, details};
  list.place.scroll_to(index_of_chosen(list), items(), list_area_.rows);
  return {};
}

void EventsView::draw_list(const FrameContext& frame, DrawRegion region) const {
  const auto draw = [&](int row, std::size_t item) {
    const LogLine& line = list.lines[item];
    if (!line.heading.empty()) {
      const std::string showing = item > 0 ? "" : fmt::format(", f: {}", to_text(list.filter));
      region.on(region.row_area(row)).heading(0, line.heading, line.note + showing);
      return false;
    }
    line.entry.kind == LogEntryKind::rule ? draw_rule_line(frame, region, row, line.entry)
                                          : draw_log_line(frame, region, row, line.entry);
    return true;
  };
  draw_items(frame, region, 0, list.place, list.lines.size(), selected(frame.model), draw);
}

void EventsView::draw(const FrameContext& frame, const DrawRegion& region) const {
  draw_list(frame, region.on(list_area_));
  if (rules_area_.columns > 0) draw_rules(frame, region.on(rules_area_));
  if (details_area_.rows > 0) draw_details(frame, region.on(details_area_));
}

std::vector<CompactLine> EventsView::compact_lines(const FrameContext& frame, int lines_max) const {
  const auto text = [](const LogLine& line, int item) -> CompactLine {
    if (!line.heading.empty()) return {line.heading, CellStyle::header};
    return {fmt::format("{} {}", line.entry.subject, line.entry.text),
            line.entry.severity == Severity::critical  ? CellStyle::critical
            : line.entry.severity == Severity::warning ? CellStyle::warm
                                                       : CellStyle::plain,
            item};
  };
  return list_lines(list.lines, list.place, selected(frame.model), lines_max, text);
}

int EventsView::selected(const Model&) const { return index_of_chosen(list); }

void EventsView::select(const Model&, int index, int direction) {
  const LogLine* const line = nearest_line(list.lines, index, direction,
                                           [](const LogLine& it) { return it.heading.empty(); });
  if (line == nullptr) return;
  list.chosen = key_of(line->entry);
  list.place.row = -1;
}

std::string EventsView::search_text(const Model&, int index) const {
  const LogEntry& entry = list.lines[static_cast<std::size_t>(index)].entry;
  return entry.subject + " " + entry.text;
}

bool EventsView::back() { return std::exchange(list.chosen, std::nullopt).has_value(); }

/// Shows the devices that match a rule now.
std::optional<ViewId> EventsView::open_rule(const KeyContext& context, const LogEntry& entry) {
  const AlertRuleText* const rule = rule_named(context.model, entry.rule);
  const auto filter = rule == nullptr ? std::nullopt : matching_devices_filter(*rule);
  if (!filter) {
    context.cursor.say("no filter can list the devices of this rule");
    return std::nullopt;
  }
  ui_.fleet_filter.set(*filter);
  return ViewId::devices;
}

/// Goes to the entry's moment and to its subject: a device, a host's first device, or a job.
std::optional<ViewId> EventsView::open_selected(const KeyContext& context) {
  const LogEntry* const entry = selected_log_entry(list);
  if (entry == nullptr) return std::nullopt;
  if (entry->kind == LogEntryKind::rule) return open_rule(context, *entry);
  const auto device = find_device(context.model, entry->subject);
  const auto job = device ? std::nullopt : find_job(context.model, entry->subject);
  if (device) ui_.device = device;
  if (job) jobs_.choose_and_open(*job);
  // Last: this replaces the model.
  context.cursor.go_to(entry->at, context.now);
  return device ? ViewId::device : job ? ViewId::jobs : ViewId::fleet;
}

}  // namespace drover::tui
