#include "counters.h"

#include <algorithm>

#include <fmt/format.h>

namespace drover::operations {
namespace {

constexpr const char* of_status[] = {"accepted",         "refused",          "finished",
                                     "failed",           "cancelled",        "input_tokens",
                                     "output_tokens",    "energy_j",         "cost_usd",
                                     "retries",          "preempted",        "decisions",
                                     "stale_results",    "charged.device_s", "charged.energy_j",
                                     "charged.cost_usd", "wasted.device_s",  "wasted.energy_j",
                                     "wasted.cost_usd",  "latency_s.count",  "first_token_s.count",
                                     "undecodable",      "sample_gaps"};

// Sums of many small numbers differ in their last digits with the order of adding them.
constexpr double rounding = 1e-9;

}  // namespace

Complaints Counters::take(const Look& look) {
  Complaints complaints;
  const Json& status = look.json("status --json");
  const auto hold = [&](const std::string& name, const Json& value) {
    if (!value.is_number()) return;
    double& most = most_[name];
    if (value.number() < most * (1 - rounding)) {
      complaints.push_back(
          fmt::format("status --json: {} fell from {} to {}", name, most, value.number()));
    }
    most = std::max(most, value.number());
  };
  for (const char* const name : of_status) {
    const Json* value = &status;
    for (const std::string& key : entries_of(name, '.')) value = &(*value)[key];
    hold(name, *value);
  }
  const Json& classes = status["classes"];
  for (std::size_t at = 0; at < classes.size(); ++at) {
    const Json& one = classes[at];
    // Under another target the policy counts it anew.
    const std::string name =
        fmt::format("classes {} to {:g}", one["name"].text(), one["target"].number());
    hold(name + " met", one["met"]);
    hold(name + " finished", one["values"]["count"]);
  }
  return complaints;
}

}  // namespace drover::operations
