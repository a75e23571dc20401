// `drover alerts`: what is raised, and the rules by which alerts are raised.
#include <algorithm>
#include <set>
#include <string>
#include <vector>

#include "commands/output.h"
#include "commands/session.h"
#include "commands/table.h"
#include "commands/verbs.h"
#include "fleet/json.h"
#include "fleet/units.h"

namespace drover::commands {
namespace {

constexpr Wall patience = std::chrono::seconds(5);

/// What a snapshot tells of alerts.
struct Known {
  std::vector<Alert> alerts;  // that are raised, by rule and subject
  std::vector<AlertRuleText> rules;
  std::set<std::uint32_t> parts;
  std::uint64_t snapshot = 0;

  /// Answers whether the snapshot is whole.
  bool take(const SnapshotPart& part) {
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
};

Result<Known> ask(Session& session) {
  const Wall end = wall_now() + patience;
  Wall ask_again{0};
  Known known;
  while (wall_now() < end) {
    if (wall_now() >= ask_again) {
      session.send(SnapshotRequest{});
      ask_again = wall_now() + std::chrono::seconds(1);
    }
    for (const auto& [from, envelope] : session.wait(std::chrono::milliseconds(100)).messages) {
      const auto* part = std::get_if<SnapshotPart>(&envelope.body);
      if (part != nullptr && known.take(*part)) return known;
    }
  }
  return error("the router sent no whole snapshot within 5 s");
}

Json text_or_null(const std::string& text) { return text.empty() ? Json() : Json(text); }

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
      .set("about", rule.about)
      .set("when", rule.when)
      .set("clear", text_or_null(rule.clear))
      .set("for_s", to_seconds(rule.raise_after))
      .set("clear_for_s", to_seconds(rule.clear_after))
      .set("text", rule.help);
}

template <typename Row>
void put_json(const std::vector<Row>& rows) {
  Json array = Json::array();
  for (const Row& row : rows) array.add(to_json(row));
  put("{}\n", array.dump());
}

void put_alerts(std::vector<Alert> alerts, Instant now) {
  std::stable_sort(alerts.begin(), alerts.end(),
                   [](const Alert& a, const Alert& b) { return a.severity > b.severity; });
  std::vector<std::vector<std::string>> cells;
  for (const Alert& alert : alerts) {
    cells.push_back({std::string(to_text(alert.severity)), alert.rule, alert.subject,
                     duration_text(to_seconds(now - alert.since)), alert.acknowledged_by,
                     alert.text});
  }
  put_text(table_text(
      {{"severity"}, {"rule"}, {"subject"}, {"for", Align::right}, {"acknowledged by"}, {"text"}},
      cells));
}

void put_rules(const std::vector<AlertRuleText>& rules) {
  const auto span = [](Duration duration) {
    return duration == Duration{0} ? "at once" : duration_text(to_seconds(duration));
  };
  std::vector<std::vector<std::string>> cells;
  for (const AlertRuleText& rule : rules) {
    cells.push_back({rule.name, std::string(to_text(rule.severity)), rule.about,
                     span(rule.raise_after), span(rule.clear_after), rule.when,
                     rule.clear.empty() ? "-" : rule.clear});
  }
  put_text(table_text({{"rule"},
                       {"severity"},
                       {"about"},
                       {"raised after", Align::right},
                       {"cleared after", Align::right},
                       {"holds when"},
                       {"over when"}},
                      cells));
}

}  // namespace

Usage alerts_usage() {
  return {"usage: drover alerts [options]",
          "What is raised now: how much it matters, which rule, about what, for how long (fleet "
          "time),\n"
          "and who has acknowledged it. With --rules the rules in force instead, which a policy\n"
          "changes and adds to (docs/policies.md).",
          {connect_option(),
           {"json", "", "a JSON array on stdout"},
           {"rules", "", "the rules by which alerts are raised"}},
          {},
          "  drover alerts\n"
          "  drover alerts --json | jq '.[] | select(.acknowledged_by == null)'\n"
          "  drover alerts --rules"};
}

Outcome run_alerts(Arguments& arguments) {
  if (const Status status = arguments.status(); !status) return Outcome::usage(status.error());
  auto session = Session::open({endpoint_of(arguments), Role::viewer, "alerts"});
  if (!session) return Outcome::failed(session.error());
  const auto known = ask(**session);
  if (!known) return Outcome::failed(known.error());
  const bool json = arguments.has("json");
  if (arguments.has("rules")) {
    json ? put_json(known->rules) : put_rules(known->rules);
  } else {
    json ? put_json(known->alerts) : put_alerts(known->alerts, (*session)->clock().now());
  }
  return Outcome::done();
}

}  // namespace drover::commands
