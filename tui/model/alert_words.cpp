#include "tui/model/alert_words.h"

#include <algorithm>
#include <array>
#include <utility>

#include <fmt/format.h>

#include "fleet/base/text.h"
#include "fleet/base/units.h"

namespace drover::tui {
namespace {

struct RuleWords {
  std::string_view rule, words;
};

// The rules that every policy has, in the order of router/policy/alert_rules.cpp.
constexpr std::array<RuleWords, 19> rule_words = {{
    {"host_suspect", "is silent"},
    {"host_lost", "is lost"},
    {"device_unusable", "is unusable"},
    {"outlier_ejected", "keeps failing"},
    {"throttling", "is throttled"},
    {"power_cap", "is near its power cap"},
    {"power_cap_unmet", "exceeds its power cap"},
    {"jobs_waiting", "has jobs that wait long"},
    {"slo_burn", "misses its target"},
    {"undecodable", "sends unreadable messages"},
    {"hot", "is hot"},
    {"over_cap", "exceeds its power cap"},
    {"memory_full", "is nearly out of memory"},
    {"idle_loaded", "is idle but holds memory"},
    {"stale_telemetry", "sends no samples"},
    {"drain_forgotten", "is still drained"},
    {"long_queue", "has a long queue"},
    {"pool_degraded", "is degraded"},
    {"budget_near", "is near its budget"},
}};

}  // namespace

OpenAlerts open_alerts(const Model& model) {
  OpenAlerts open;
  const auto rank = [](const Alert& alert) { return std::pair(alert.severity, alert.since); };
  for (const auto& [key, row] : model.alerts()) {
    if (!row.alert.acknowledged_by.empty()) continue;
    ++open.count;
    if (open.worst == nullptr || rank(row.alert) > rank(*open.worst)) open.worst = &row.alert;
  }
  return open;
}

std::string open_alerts_text(const OpenAlerts& alerts) {
  if (alerts.worst == nullptr) return {};
  return printable(fmt::format("{}: {} {}", counted(alerts.count, "alert"), alerts.worst->subject,
                               alert_words(alerts.worst->rule)));
}

std::string alert_words(std::string_view rule) {
  const auto* const found = std::ranges::find(rule_words, rule, &RuleWords::rule);
  if (found != rule_words.end()) return std::string(found->words);
  std::string words(rule);
  std::ranges::replace(words, '_', ' ');
  return words;
}

}  // namespace drover::tui
