// Alerts: in `drover alerts`, the tables of events and rules; and that what they say holds.
#include <cstdlib>
#include <functional>
#include <regex>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "tests/operations/consistency.h"

namespace drover::operations {
namespace {

std::set<std::string> subjects_of(const Json& alerts, const std::string& rule) {
  std::set<std::string> subjects;
  for (std::size_t i = 0; i < alerts.size(); ++i) {
    if (alerts[i]["rule"].text() == rule) subjects.insert(alerts[i]["subject"].text());
  }
  return subjects;
}

/// Texts follow present values: between two questions the numbers in them move, "the oldest for
/// 11m" and "the oldest for 12m"; what they count is compared by itself.
std::string without_numbers(const std::string& text) {
  static const std::regex numbers("[0-9]+([.][0-9]+)?(ms|[smhd])?");
  return std::regex_replace(text, numbers, "N");
}

/// Whatever is so has its alert, and each alert is about what is so.
void compare_truth(const FleetSnapshot& look, Mismatches& complaints) {
  const Json& alerts = look.json("alerts --json");
  std::set<std::string> lost, suspect, unusable;
  const Json& hosts = look.table("hosts");
  for (std::size_t i = 0; i < hosts.size(); ++i) {
    if (hosts[i]["state"].text() == "lost") lost.insert(hosts[i]["host"].text());
    if (hosts[i]["state"].text() == "suspect") suspect.insert(hosts[i]["host"].text());
  }
  const Json& devices = look.table("devices");
  for (std::size_t i = 0; i < devices.size(); ++i) {
    const auto states = states_in(devices[i]);
    if (states.contains("unusable") && !states.contains("lost") && !states.contains("left")) {
      unusable.insert(devices[i]["id"].text());
    }
  }
  same(complaints, "lost hosts", "alerts --json", joined(subjects_of(alerts, "host_lost")),
       "frame --table hosts", joined(lost));
  same(complaints, "suspect hosts", "alerts --json", joined(subjects_of(alerts, "host_suspect")),
       "frame --table hosts", joined(suspect));
  same(complaints, "unusable devices", "alerts --json",
       joined(subjects_of(alerts, "device_unusable")), "frame --table devices", joined(unusable));
  const Json& waiting = row_with(alerts, "rule", "jobs_waiting");
  if (!waiting.is_null()) {
    same(complaints, "jobs in the queue", "the alert jobs_waiting",
         std::to_string(std::atoi(waiting["text"].text().c_str())), "status --json",
         look.json("status --json")["queued"].dump());
  }
}

}  // namespace

void compare_alerts(const FleetSnapshot& look, Mismatches& complaints) {
  const Json& alerts = look.json("alerts --json");
  const Json& events = look.table("events");
  std::map<std::string, Json> raised;
  for (std::size_t i = 0; i < events.size(); ++i) {
    if (events[i]["kind"].text() != "raised") continue;
    raised[events[i]["rule"].text() + " " + events[i]["subject"].text()] = events[i];
  }
  same(complaints, "number of alerts", "alerts --json", std::to_string(alerts.size()),
       "frame --table events", std::to_string(raised.size()));
  const std::string text = without_numbers(look.text("alerts"));
  for (std::size_t i = 0; i < alerts.size(); ++i) {
    const Json& alert = alerts[i];
    const std::string name = alert["rule"].text() + " " + alert["subject"].text();
    const Json& row = raised[name];
    if (row.is_null()) {
      complaints.push_back(fmt::format("alert {}: is not in frame --table events", name));
      continue;
    }
    same(complaints, "alert " + name, "alerts --json", alert["severity"].text(),
         "frame --table events", row["severity"].text());
    same(complaints, "alert " + name, "alerts --json",
         without_numbers(fmt::format("{}: {}", alert["rule"].text(), alert["text"].text())),
         "frame --table events", without_numbers(row["text"].text()));
    same(complaints, "alert " + name, "alerts --json", shown(alert["acknowledged_by"]),
         "frame --table events", shown(row["acknowledged_by"]));
    if (text.find(without_numbers(alert["text"].text())) == std::string::npos) {
      complaints.push_back(fmt::format("alert {}: alerts --json says '{}', alerts says '{}'", name,
                                       alert["text"].text(), text));
    }
  }
  const Json& rules = look.table("rules");
  for (std::size_t i = 0; i < rules.size(); ++i) {
    const std::string& rule = rules[i]["rule"].text();
    same(complaints, "alerts of rule " + rule, "frame --table rules", rules[i]["raised"].dump(),
         "alerts --json", std::to_string(subjects_of(alerts, rule).size()));
  }
  compare_truth(look, complaints);
}

}  // namespace drover::operations
