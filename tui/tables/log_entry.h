// The fleet's log: events, alerts that were raised or cleared, and actions of users.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "tui/model/model.h"

namespace drover::tui {

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

/// The entry's text; of a raised alert also who acknowledged it.
std::string entry_text(const LogEntry& entry);
/// No two entries of an instant have the same kind, subject and text.
bool is_same(const LogEntry& a, const LogEntry& b);
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

}  // namespace drover::tui
