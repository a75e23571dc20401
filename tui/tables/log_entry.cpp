#include "tui/tables/log_entry.h"

#include <algorithm>
#include <array>
#include <set>
#include <tuple>
#include <utility>

#include <fmt/format.h>

#include "tui/tables/device_queries.h"
#include "tui/tables/fleet_filter.h"

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

/// No two entries of an instant have the same kind, subject and text.
bool is_same(const LogEntry& a, const LogEntry& b) {
  return a.at == b.at && a.kind == b.kind && a.subject == b.subject && a.text == b.text;
}

}  // namespace

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
    rules.push_back(
        {Instant::min(), LogEntryKind::rule, rule.severity, rule.name, rule.when, rule.name});
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

std::string_view to_text(LogFilter filter) {
  static constexpr std::array<std::string_view, log_filter_count> names = {"all", "alerts",
                                                                           "events", "rules"};
  return names[static_cast<std::size_t>(filter)];
}

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

int index_of_chosen(const LogList& list) {
  if (!list.chosen) return -1;
  return index_where(list.lines, [&](const LogLine& line) {
    return line.heading.empty() && is_same(line.entry, *list.chosen);
  });
}

void step_log_filter(LogList& list) { advance(list.filter, log_filter_count, 1); }

void choose_entry(LogList& list, int index, int direction) {
  const LogLine* const line = nearest_line(list.lines, index, direction,
                                           [](const LogLine& it) { return it.heading.empty(); });
  if (line == nullptr) return;
  list.chosen = line->entry;
  list.place.row = -1;
}

const LogEntry* selected_log_entry(const LogList& list) {
  const int index = index_of_chosen(list);
  return index < 0 ? nullptr : &list.lines[static_cast<std::size_t>(index)].entry;
}

}  // namespace drover::tui
