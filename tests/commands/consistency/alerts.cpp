// Alerts and the rules that raise them: `drover alerts` as text and JSON, the dashboard's events
// and rules, the policy in force.
#include <algorithm>
#include <map>

#include <fmt/format.h>

#include "commands/query/table_output.h"
#include "fleet/base/units.h"
#include "router/alerts/alerts.h"
#include "tests/commands/consistency/watch.h"

namespace drover::commands {
namespace {

/// Everybody is told the present text of an alert every few beats, and one that only jitters once a
/// minute: so old may be what a dashboard shows, and no older.
void compare_told(const InterfaceAnswers& at, const Alert& alert, const std::string& shown,
                  Inconsistencies& wrong) {
  const std::string present = alert.rule + ": " + alert.text;
  if (present == shown) return;
  const bool news = router::differs_beyond_jitter(shown, present);
  const int beats = news ? router::text_update_s : router::jitter_update_s;
  const Duration age = at.now - at.heard.told_at(alert.rule, alert.subject);
  if (age < std::chrono::seconds(beats) + settles_within) return;
  Comparison("alerts --json", "the dashboard", wrong)
      .same(fmt::format("{} {} text", alert.rule, alert.subject), present, shown);
}

/// What `drover alerts` prints for people says what its JSON says.
void compare_text(const InterfaceAnswers& at, const Json& told, Inconsistencies& wrong) {
  const Comparison compared("alerts", "alerts --json", wrong, Duration{});
  const std::string text = alerts_text(at.fleet, at.now);
  const std::vector<std::string> lines = lines_of(text);
  compared.same("lines", static_cast<double>(lines.size()), static_cast<double>(told.size()));
  for (std::size_t i = 0; i < told.size(); ++i) {
    const bool printed = std::any_of(lines.begin(), lines.end(), [&](const std::string& line) {
      const auto cells = cells_of(line);
      return cells.size() >= 4 && cells[0] == told[i]["severity"].text() &&
             cells[1] == told[i]["rule"].text() && cells[2] == told[i]["subject"].text() &&
             line.ends_with(told[i]["text"].text()) &&
             line.find(shown(told[i]["acknowledged_by"])) != std::string::npos;
    });
    compared.same("line of " + told[i]["rule"].text(), printed ? "one" : text, "one");
  }
}

std::map<std::string, std::size_t> raised_rows(const Table& events) {
  std::map<std::string, std::size_t> rows;
  for (std::size_t row = 0; row < events.size(); ++row) {
    if (events.text(row, "kind") != "raised") continue;
    rows[events.text(row, "rule") + " " + events.text(row, "subject")] = row;
  }
  return rows;
}

}  // namespace

void compare_alerts(const InterfaceAnswers& at, Inconsistencies& wrong) {
  const Json told = to_json(table_of(at, "alerts"));
  compare_text(at, told, wrong);
  const Comparison compared("alerts --json", "the dashboard", wrong);
  const Table& events = at.tables["events"];
  const auto rows = raised_rows(events);
  Ids raised, shown_raised;
  for (const auto& [name, row] : rows) shown_raised.insert(name);
  for (std::size_t i = 0; i < told.size(); ++i) {
    const std::string name = told[i]["rule"].text() + " " + told[i]["subject"].text();
    raised.insert(name);
    const auto row = rows.find(name);
    if (row == rows.end()) continue;
    const std::map<std::string, std::string> columns = {
        {"severity", "severity"}, {"since", "time"}, {"acknowledged_by", "acknowledged_by"}};
    for (const auto& [key, column] : columns) {
      compared.same(name + " " + key, shown(told[i][key]), events.text(row->second, column));
    }
    const Alert& alert =
        at.fleet.alerts().at({told[i]["rule"].text(), told[i]["subject"].text()}).alert;
    compare_told(at, alert, events.text(row->second, "text"), wrong);
  }
  compared.same("the alert", raised, shown_raised);
}

void compare_rules(const InterfaceAnswers& at, Inconsistencies& wrong) {
  const Json told = to_json(table_of(at, "rules"));
  const Table& rules = at.tables["rules"];
  const Comparison compared("alerts --rules --json", "the dashboard's rules", wrong);
  Ids names, enabled;
  const std::string text = rules_text(at.fleet);
  for (std::size_t i = 0; i < told.size(); ++i) {
    const std::string& name = told[i]["rule"].text();
    names.insert(name);
    Comparison("alerts --rules", "its JSON", wrong, Duration{})
        .same(name, text.find(told[i]["when"].text()) == std::string::npos ? text : "", "");
    const auto row = rules.find("rule", name);
    if (!row) continue;
    for (const char* const key :
         {"severity", "subject_kind", "when", "clear", "raise_after_s", "clear_after_s", "help"}) {
      compared.same(fmt::format("{} {}", name, key), shown(told[i][key]), rules.text(*row, key));
    }
    const std::vector<Alert> alerts = alerts_of(at);
    const auto up = std::ranges::count(alerts, name, &Alert::rule);
    Comparison("alerts --json", "the dashboard's rules", wrong)
        .same(name + " raised", static_cast<double>(up), rules.number(*row, "raised"));
  }
  compared.same("the rule", names, rules.column("rule"));
  for (const AlertRule& rule : at.policy.alerts) {
    if (rule.enabled) enabled.insert(rule.published.name);
  }
  Comparison("the policy", "alerts --rules", wrong).same("the rule", enabled, names);
  if (const auto& policy = at.heard.policy()) {
    const Comparison applied("policy show", "what was published", wrong);
    applied.same("name", at.applied.name, policy->name);
    applied.same("hash", at.applied.hash, policy->hash);
    applied.same("version", static_cast<double>(at.applied.version),
                 static_cast<double>(policy->version));
  }
}

}  // namespace drover::commands
