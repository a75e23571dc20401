#include "tui/panels/alert_panel.h"

#include <algorithm>
#include <string>
#include <variant>
#include <vector>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "fleet/base/text.h"
#include "fleet/base/units.h"
#include "fleet/filter/filter.h"
#include "tui/panels/log_panels.h"
#include "tui/panels/panels.h"

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

std::string clear_condition(const AlertRuleText& rule) {
  return rule.clear.empty() ? "the condition no longer holds" : rule.clear;
}

/// "3: gpu-a/3, gpu-b/1 .."
std::string subjects_text(const std::vector<std::string>& subjects) {
  if (subjects.empty()) return "none";
  const std::size_t shown = std::min(subjects.size(), subjects_max);
  return fmt::format("{}: {}{}", subjects.size(),
                     fmt::join(subjects.begin(), subjects.begin() + static_cast<long>(shown), ", "),
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

/// What Enter does on a rule.
std::string devices_text(const AlertRuleText* rule) {
  if (rule == nullptr) return {};
  return matching_devices_filter(*rule) ? "Enter shows the matching devices"
                                        : "no device filter for this condition";
}

}  // namespace

std::optional<std::string> matching_devices_filter(const AlertRuleText& rule) {
  if (rule.about != "device") return std::nullopt;
  const auto parsed = filter::Filter::parse(rule.when);
  if (!std::holds_alternative<filter::Filter>(parsed)) return std::nullopt;
  return rule.when;
}

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

void draw_rules(const FrameContext& frame, DrawRegion region) {
  const std::vector<LogEntry> rules = alert_rules(frame.model);
  const int shown = std::max(0, region.rows() - 1);
  const int left = static_cast<int>(rules.size()) - shown;
  region.heading(0, fmt::format("Rules {}", rules.size()),
                 rules.empty() ? "not reported by the router"
                 : left > 0    ? fmt::format("{} more: f", left)
                               : "raised now, severity, about, held for");
  for (int line = 1; line < region.rows() && line <= static_cast<int>(rules.size()); ++line) {
    draw_rule_line(frame, region, line, rules[static_cast<std::size_t>(line) - 1]);
  }
}

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
  fact("raised when",
       fmt::format("{}, {}", rule->when,
                   rule->raise_after <= Duration{0} ? "at once"
                                                    : "for " + raise_span_text(rule->raise_after)));
  fact("clears when",
       fmt::format("{}, {}", clear_condition(*rule),
                   rule->clear_after <= Duration{0} ? "at once"
                                                    : "for " + raise_span_text(rule->clear_after)));
  fact("why", rule->help);
  fact("raised for", subjects_text(raised_by(frame, rule->name)));
}

}  // namespace drover::tui
