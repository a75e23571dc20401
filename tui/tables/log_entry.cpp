#include "tui/tables/log_entry.h"

#include <algorithm>
#include <set>
#include <tuple>
#include <utility>

#include <fmt/format.h>

#include "tui/tables/device_queries.h"

namespace drover::tui {
namespace {

LogEntry entry_of(const EventRow& row) {
  return {row.at, LogEntryKind::event, row.event.severity, row.event.subject, row.event.text};
}

std::string alert_text(const Alert& alert) {
  return alert.text.empty() ? alert.rule : fmt::format("{}: {}", alert.rule, alert.text);
}

LogEntry entry_of(const AlertRow& row) {
  const Alert& alert = row.alert;
  if (!alert.raised) {
    return {row.at,        LogEntryKind::alert_cleared, Severity::info,
            alert.subject, "cleared: " + alert.rule,    alert.rule};
  }
  if (!alert.acknowledged_by.empty()) {
    return {row.at,
            LogEntryKind::alert_acknowledged,
            Severity::info,
            alert.subject,
            fmt::format("{}: acknowledged by {}", alert.rule, alert.acknowledged_by),
            alert.rule,
            alert.acknowledged_by};
  }
  return {row.at,        LogEntryKind::alert, alert.severity,
          alert.subject, alert_text(alert),   alert.rule};
}

LogEntry entry_of(const AuditRow& row) {
  const Audit& audit = row.audit;
  std::string text = fmt::format("{}: {}", audit.who, audit.action);
  if (!audit.applied) text += ", refused";
  if (!audit.detail.empty()) text += fmt::format(" ({})", audit.detail);
  return {row.at, audit.applied ? LogEntryKind::action : LogEntryKind::action_refused,
          audit.applied ? Severity::info : Severity::warning, audit.target, text};
}

/// The router reports each action as an audit and as an event, which is then left out.
class AuditedActions {
 public:
  explicit AuditedActions(const Model& model) {
    for (const AuditRow& row : model.audits()) {
      actions_.emplace(row.at, row.audit.target,
                       fmt::format("{}: {}", row.audit.who, row.audit.action));
    }
  }
  bool contains(const EventRow& row) const {
    const std::string& text = row.event.text;
    const auto known = actions_.lower_bound({row.at, row.event.subject, ""});
    for (auto it = known; it != actions_.end() && std::get<0>(*it) == row.at; ++it) {
      if (std::get<1>(*it) == row.event.subject && text.starts_with(std::get<2>(*it))) return true;
    }
    return false;
  }

 private:
  std::set<std::tuple<Instant, std::string, std::string>> actions_;
};

/// Appends the newest `most` entries of one source; with `about`, only those of that device.
template <typename Rows>
void gather(std::vector<LogEntry>& entries, const Model& model, const Rows& rows, std::size_t most,
            const std::optional<DeviceId>& about, auto&& leave_out) {
  std::size_t taken = 0;
  for (auto row = rows.rbegin(); row != rows.rend() && taken < most; ++row) {
    if (leave_out(*row)) continue;
    LogEntry entry = entry_of(*row);
    if (about && !concerns(model, entry.subject, *about)) continue;
    entries.push_back(std::move(entry));
    ++taken;
  }
}

}  // namespace

std::string entry_text(const LogEntry& entry) {
  if (entry.kind != LogEntryKind::raised || entry.acknowledged_by.empty()) return entry.text;
  return fmt::format("{} (acknowledged by {})", entry.text, entry.acknowledged_by);
}

bool is_same(const LogEntry& a, const LogEntry& b) {
  return a.at == b.at && a.kind == b.kind && a.subject == b.subject && a.text == b.text;
}

LogEntry raised_log_entry(const Alert& alert) {
  return {alert.since,       LogEntryKind::raised, alert.severity,       alert.subject,
          alert_text(alert), alert.rule,           alert.acknowledged_by};
}

std::vector<LogEntry> raised_alerts(const Model& model) {
  std::vector<LogEntry> raised;
  for (const auto& [key, row] : model.alerts()) raised.push_back(raised_log_entry(row.alert));
  std::stable_sort(raised.begin(), raised.end(), [](const LogEntry& a, const LogEntry& b) {
    const bool a_seen = !a.acknowledged_by.empty(), b_seen = !b.acknowledged_by.empty();
    return std::tie(a_seen, b.severity, b.at) < std::tie(b_seen, a.severity, a.at);
  });
  return raised;
}

std::vector<LogEntry> alert_rules(const Model& model) {
  std::vector<LogEntry> rules;
  if (!model.policy()) return rules;
  for (const AlertRuleText& rule : model.policy()->alert_rules) {
    std::string text = rule.when;
    if (!rule.clear.empty()) text += fmt::format("  clear: {}", rule.clear);
    rules.push_back(
        {Instant::min(), LogEntryKind::rule, rule.severity, rule.name, std::move(text), rule.name});
  }
  return rules;
}

const AlertRuleText* rule_named(const Model& model, std::string_view name) {
  if (!model.policy()) return nullptr;
  const std::vector<AlertRuleText>& rules = model.policy()->alert_rules;
  const auto found = std::ranges::find(rules, name, &AlertRuleText::name);
  return found == rules.end() ? nullptr : &*found;
}

std::vector<LogEntry> latest_log_entries(const Model& model, std::size_t most,
                                         const std::optional<DeviceId>& about) {
  std::vector<LogEntry> entries;
  const AuditedActions audited(model);
  const auto nothing = [](const auto&) { return false; };
  gather(entries, model, model.events(), most, about,
         [&](const EventRow& row) { return audited.contains(row); });
  gather(entries, model, model.alert_history(), most, about, nothing);
  gather(entries, model, model.audits(), most, about, nothing);
  std::stable_sort(entries.begin(), entries.end(),
                   [](const LogEntry& a, const LogEntry& b) { return a.at > b.at; });
  if (entries.size() > most) entries.resize(most);
  return entries;
}

}  // namespace drover::tui
