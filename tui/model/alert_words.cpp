#include "tui/model/alert_words.h"

#include <algorithm>
#include <array>

namespace drover::tui {
namespace {

struct RuleWords {
  std::string_view rule, words;
};

// The rules that every policy has, in the order of router/policy/alert_rules.cpp.
constexpr std::array<RuleWords, 18> rule_words = {{
    {"host_suspect", "is silent"},
    {"host_lost", "is lost"},
    {"device_unusable", "is unusable"},
    {"outlier_ejected", "keeps failing"},
    {"throttling", "is throttled"},
    {"power_cap", "is near its power cap"},
    {"power_cap_unmet", "exceeds its power cap"},
    {"jobs_waiting", "has jobs that wait long"},
    {"undecodable", "sends unreadable messages"},
    {"hot", "is hot"},
    {"over_cap", "exceeds its power cap"},
    {"memory_full", "has full memory"},
    {"idle_loaded", "is idle but loaded"},
    {"stale_telemetry", "sends no samples"},
    {"drain_forgotten", "is still drained"},
    {"long_queue", "has a long queue"},
    {"pool_degraded", "is degraded"},
    {"budget_near", "is near its budget"},
}};

}  // namespace

std::string alert_words(std::string_view rule) {
  const auto* const found = std::ranges::find(rule_words, rule, &RuleWords::rule);
  if (found != rule_words.end()) return std::string(found->words);
  std::string words(rule);
  std::ranges::replace(words, '_', ' ');
  return words;
}

}  // namespace drover::tui
