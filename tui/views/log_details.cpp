#include "tui/views/log_details.h"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <set>
#include <string_view>
#include <utility>

#include <fmt/format.h>

#include "fleet/base/text.h"
#include "fleet/base/units.h"
#include "tui/views/alert_rule_lines.h"

namespace drover::tui {
namespace {

/// A point of the curves that is further away says nothing about a moment.
constexpr Duration trend_distance_max = std::chrono::minutes(1);

/// "raised at 12:03:07, 2m ago; not acknowledged (key a)".
std::string alert_state_text(const Model& model, Instant now, const LogEntry& entry) {
  const auto known = model.alerts().find({entry.rule, entry.subject});
  if (known == model.alerts().end()) return "cleared";
  const Alert& alert = known->second.alert;
  const std::string since = fmt::format("raised at {}, {} ago", to_clock_text(alert.since),
                                        duration_text(to_seconds(now - alert.since)));
  if (alert.acknowledged_by.empty()) return since + "; not acknowledged (key a)";
  return fmt::format("{}; acknowledged by {} at {}", since, alert.acknowledged_by,
                     to_clock_text(alert.acknowledged_at));
}

/// "6 of 8 raised, 5 not acknowledged (key a)".
std::string group_state_text(const Model& model, const LogGroup& group) {
  std::size_t raised = 0, open = 0;
  std::set<std::string_view> subjects;
  for (const LogEntry& entry : group) {
    if (!subjects.insert(entry.subject).second) continue;
    const auto known = model.alerts().find({entry.rule, entry.subject});
    if (known == model.alerts().end()) continue;
    ++raised;
    if (known->second.alert.acknowledged_by.empty()) ++open;
  }
  if (raised == 0) return "all cleared";
  return fmt::format(
      "{} of {} raised, {}", raised, subjects.size(),
      open == 0 ? "all acknowledged" : fmt::format("{} not acknowledged (key a)", open));
}

/// What Enter does on a rule.
std::string devices_text(const AlertRuleText* rule) {
  if (rule == nullptr) return "N/A";
  return matching_devices_filter(*rule) ? "Enter shows the matching devices"
                                        : "no filter can list the devices of this condition";
}

void add_rule(DetailLines& lines, const AlertRuleText* rule,
              const std::vector<std::string>& raised) {
  if (rule == nullptr) return lines.add("rule", "not in the current policy", CellStyle::faint);
  const auto span_text = [](Duration span) {
    return (span > Duration{0} ? "for " : "") + raise_span_text(span);
  };
  lines.add("raised when", fmt::format("{}, {}", rule->when, span_text(rule->raise_after)));
  lines.add(
      "clears when",
      fmt::format("{}, {}", rule->clear.empty() ? "the condition no longer holds" : rule->clear,
                  span_text(rule->clear_after)));
  lines.add("meaning", rule->help);
  lines.add("raised for", raised.empty()
                              ? "no subject now"
                              : fmt::format("{}: {}", raised.size(), joined(raised, ", ")));
}

/// Null if the curves have no point near the moment. The short ones are exact, the long ones know
/// only the power.
const TrendPoint* point_at(const Model& model, Instant at) {
  for (const auto* points : {&model.trend(), &model.fleet_trend().points_for(Duration::max())}) {
    const auto near = std::ranges::lower_bound(*points, at, {}, &TrendPoint::at);
    if (near != points->end() && near->at - at <= trend_distance_max) return &*near;
    if (near != points->begin() && at - std::prev(near)->at <= trend_distance_max)
      return &*std::prev(near);
  }
  return nullptr;
}

std::string fleet_text(const TrendPoint* point) {
  if (point == nullptr) return "not kept";
  std::vector<std::string> facts;
  const auto add = [&](std::string_view name, double value, std::string (*text)(double)) {
    if (!std::isnan(value)) facts.push_back(fmt::format("{} {}", name, text(value)));
  };
  add("load", point->utilization, percent_text);
  add("power", point->power_w, watts_text);
  add("running", point->running, count_text);
  add("queued", point->queued, count_text);
  return facts.empty() ? "N/A" : joined(facts, ", ");
}

std::string title_of(const LogLine& line, int columns) {
  const LogEntry& entry = line.entry;
  const std::string subjects =
      line.kind == LogLine::Kind::group ? subjects_text(line.group, columns / 2) : entry.subject;
  switch (entry.kind) {
    case LogEntryKind::rule:
      return fmt::format("Rule {}", entry.rule);
    case LogEntryKind::event:
      return fmt::format("Event of {}", subjects);
    case LogEntryKind::action:
    case LogEntryKind::action_refused:
      return fmt::format("Action on {}", subjects);
    case LogEntryKind::raised:
    case LogEntryKind::alert:
    case LogEntryKind::alert_acknowledged:
    case LogEntryKind::alert_cleared:
      return fmt::format("Alert {} of {}", entry.rule, subjects);
  }
  return subjects;
}

}  // namespace

LogDetails log_details(const Model& model, const FleetFilter& fleet_filter, Instant now,
                       const LogLine& line, int columns) {
  const LogEntry& entry = line.entry;
  const AlertRuleText* const rule = rule_named(model, entry.rule);
  const bool is_rule = entry.kind == LogEntryKind::rule;
  LogDetails details;
  details.title = title_of(line, columns);
  if (rule != nullptr)
    details.note = fmt::format("{}, about: {}", to_text(rule->severity), rule->about);
  DetailLines lines(columns);
  if (is_rule) {
    lines.add("devices", devices_text(rule));
  } else {
    lines.add("text", line.group.empty() ? entry_text(entry) : group_text(line.group));
    if (!line.group.empty()) lines.add("subjects", subjects_of(line));
    if (entry.rule.empty())
      details.note = fmt::format("{}, {} ago", to_clock_text(entry.at),
                                 duration_text(to_seconds(now - entry.at)));
  }
  if (!is_rule && !entry.rule.empty())
    lines.add("now", line.group.empty() ? alert_state_text(model, now, entry)
                                        : group_state_text(model, line.group));
  if (!entry.rule.empty()) add_rule(lines, rule, raised_by(model, fleet_filter, entry.rule));
  if (!is_rule) {
    lines.add("fleet then", fleet_text(point_at(model, entry.at)));
    lines.add("fleet now", fleet_text(model.trend().empty() ? nullptr : &model.trend().back()));
  }
  details.lines = lines.take();
  return details;
}

}  // namespace drover::tui
