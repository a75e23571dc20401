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
                                     "wasted.cost_usd",  "latency_s.count",  "first_token_s.count"};

// Sums of many small numbers differ in their last digits with the order of adding them.
constexpr double rounding = 1e-9;

}  // namespace

Complaints Counters::take(const Look& look) {
  Complaints complaints;
  for (const char* const name : of_status) {
    const Json* value = &look.json("status --json");
    for (const std::string& key : entries_of(name, '.')) value = &(*value)[key];
    if (!value->is_number()) continue;
    double& most = most_[name];
    if (value->number() < most * (1 - rounding)) {
      complaints.push_back(
          fmt::format("status --json: {} fell from {} to {}", name, most, value->number()));
    }
    most = std::max(most, value->number());
  }
  return complaints;
}

}  // namespace drover::operations
