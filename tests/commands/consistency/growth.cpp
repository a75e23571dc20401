#include "tests/commands/consistency/growth.h"

#include <algorithm>

#include <fmt/format.h>

#include "fleet/base/text.h"

namespace drover::commands {
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

void Growth::hold(const std::string& name, double value, std::vector<std::string>& broken) {
  double& most = most_[name];
  if (value < most * (1 - rounding)) {
    broken.push_back(fmt::format("{} fell from {} to {}", name, most, value));
  }
  most = std::max(most, value);
}

void Growth::hold_status(const Json& status, std::vector<std::string>& broken) {
  for (const char* const name : of_status) {
    const Json* value = &status;
    for (const std::string& key : split(name, '.')) value = &(*value)[key];
    if (value->is_number()) hold(fmt::format("status --json: {}", name), value->number(), broken);
  }
  const Json& classes = status["classes"];
  for (std::size_t at = 0; at < classes.size(); ++at) {
    const Json& one = classes[at];
    // Under another target the policy counts it anew.
    const std::string name =
        fmt::format("status --json: classes {} to {:g}", one["work_class"].text(),
                    one["target"].is_number() ? one["target"].number() : 0);
    for (const auto& [what, value] : {std::pair(" met", &one["within_target"]),
                                      std::pair(" finished", &one["values"]["count"])}) {
      if (value->is_number()) hold(name + what, value->number(), broken);
    }
  }
}

}  // namespace drover::commands
