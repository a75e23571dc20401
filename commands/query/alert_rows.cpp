#include "commands/query/alert_rows.h"

#include <algorithm>

#include "commands/shell/json_null.h"
#include "commands/shell/table.h"
#include "fleet/base/units.h"
#include "fleet/codec/codec.h"

namespace drover::commands {
namespace {

Json to_json(const Alert& alert) {
  const bool acknowledged = !alert.acknowledged_by.empty();
  return Json::object()
      .set("rule", alert.rule)
      .set("subject", alert.subject)
      .set("severity", to_text(alert.severity))
      .set("since", to_iso8601(alert.since))
      .set("text", alert.text)
      .set("acknowledged_by", text_or_null(alert.acknowledged_by))
      .set("acknowledged_at", acknowledged ? Json(to_iso8601(alert.acknowledged_at)) : Json());
}

Json to_json(const AlertRuleText& rule) {
  return Json::object()
      .set("name", rule.name)
      .set("severity", to_text(rule.severity))
      .set("subject_kind", rule.about)
      .set("when", rule.when)
      .set("clear", text_or_null(rule.clear))
      .set("for_s", to_seconds(rule.raise_after))
      .set("clear_for_s", to_seconds(rule.clear_after))
      .set("text", rule.help);
}

template <typename Row>
Json array_of(const std::vector<Row>& rows) {
  Json array = Json::array();
  for (const Row& row : rows) array.add(to_json(row));
  return array;
}

}  // namespace

bool AlertsView::add(const SnapshotPart& part) {
  if (snapshot != part.snapshot) *this = {{}, {}, {}, part.snapshot};
  if (!parts.insert(part.part).second) return false;
  for (const std::string& bytes : part.messages) {
    const auto envelope = decode(bytes);
    if (!envelope) continue;
    if (const auto* alert = std::get_if<Alert>(&envelope->body)) alerts.push_back(*alert);
    if (const auto* policy = std::get_if<PolicyChanged>(&envelope->body)) {
      rules = policy->alert_rules;
    }
  }
  return parts.size() >= part.parts;
}

Json to_json(const std::vector<Alert>& alerts) { return array_of(alerts); }
Json to_json(const std::vector<AlertRuleText>& rules) { return array_of(rules); }

std::string to_table(std::vector<Alert> alerts, Instant now) {
  if (alerts.empty()) return "no alerts\n";
  std::stable_sort(alerts.begin(), alerts.end(),
                   [](const Alert& a, const Alert& b) { return a.severity > b.severity; });
  std::vector<std::vector<std::string>> cells;
  for (const Alert& alert : alerts) {
    cells.push_back({std::string(to_text(alert.severity)), alert.rule, alert.subject,
                     duration_text(to_seconds(now - alert.since)), alert.acknowledged_by,
                     alert.text});
  }
  return table_text(
      {"SEVERITY", "RULE", "SUBJECT", right_aligned("RAISED FOR"), "ACKNOWLEDGED BY", "TEXT"},
      cells);
}

std::string to_table(const std::vector<AlertRuleText>& rules) {
  const auto span = [](Duration duration) {
    return duration == Duration{0} ? "at once" : duration_text(to_seconds(duration));
  };
  std::vector<std::vector<std::string>> cells;
  for (const AlertRuleText& rule : rules) {
    cells.push_back({rule.name, std::string(to_text(rule.severity)), rule.about,
                     span(rule.raise_after), span(rule.clear_after), rule.when,
                     rule.clear.empty() ? "-" : rule.clear});
  }
  return table_text({"RULE", "SEVERITY", "SUBJECT", right_aligned("RAISED AFTER"),
                     right_aligned("CLEARED AFTER"), "RAISED WHEN", "CLEARED WHEN"},
                    cells);
}

}  // namespace drover::commands
