// The fleet's log: events, alerts that were raised or cleared, and actions of users. And the lines
// of the events view.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "tui/model/model.h"
#include "tui/tables/list_viewport.h"

namespace drover::tui {

class FleetFilter;

enum class LogEntryKind : std::uint8_t {
  raised,  // an alert that is raised at the moment shown
  rule,    // an alert rule of the policy; it has no time
  event,
  alert,  // an alert that was raised at this time
  alert_acknowledged,
  alert_cleared,
  action,
  action_refused
};

struct LogEntry {
  Instant at{};
  LogEntryKind kind = LogEntryKind::event;
  Severity severity = Severity::info;
  std::string subject;
  std::string text;
  std::string rule{};             // of an alert
  std::string acknowledged_by{};  // of a raised alert; empty: nobody
};

/// The entry of a raised alert.
LogEntry raised_log_entry(const Alert& alert);
/// The alerts raised at the model's moment: unacknowledged first, then most severe, then newest.
std::vector<LogEntry> raised_alerts(const Model& model);
/// The alert rules in the policy's order; empty if the policy is unknown.
std::vector<LogEntry> alert_rules(const Model& model);
/// Null if no rule has that name.
const AlertRuleText* rule_named(const Model& model, std::string_view name);
/// All entries that a model keeps.
inline constexpr std::size_t log_entries_max = events_max + alert_history_max + audits_max;
/// Newest first; with `about`, only entries that concern that device.
std::vector<LogEntry> latest_log_entries(const Model& model, std::size_t most,
                                         const std::optional<DeviceId>& about = std::nullopt);

/// A heading or an entry.
struct LogLine {
  std::string heading;  // empty: the line is an entry
  std::string note;     // at the right of a heading
  LogEntry entry;
};

/// Which entries are listed.
enum class LogFilter : std::uint8_t { all, alerts, events, rules };
inline constexpr int log_filter_count = 4;
std::string_view to_text(LogFilter filter);

struct LogList {
  LogFilter filter = LogFilter::all;
  std::vector<LogLine> lines;
  std::optional<LogEntry> chosen;
  ListViewport place;
};

std::vector<LogLine> list_log(const Model& model, const FleetFilter& fleet_filter,
                              LogFilter filter);
void step_log_filter(LogList& list);
int index_of_chosen(const LogList& list);
void choose_entry(LogList& list, int index, int direction);
/// Null if nothing is selected or the entry is no longer in the list.
const LogEntry* selected_log_entry(const LogList& list);

}  // namespace drover::tui
