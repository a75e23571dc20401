#include "fleet/job.h"

#include <array>

#include "fleet/base/result.h"

namespace drover {
namespace {

constexpr std::array<std::string_view, job_state_count> state_names{
    "queued", "leased", "running", "finished", "failed", "cancelled"};

}  // namespace

std::string_view to_text(Pause pause) {
  constexpr std::array<std::string_view, 5> names{"none", "loading", "compiling", "prefill",
                                                  "peer"};
  const auto index = static_cast<std::size_t>(pause);
  DROVER_REQUIRE(index < names.size());
  return names[index];
}

std::string_view to_text(JobState state) {
  const auto index = static_cast<std::size_t>(state);
  DROVER_REQUIRE(index < state_names.size());
  return state_names[index];
}

std::optional<JobState> parse_job_state(std::string_view text) {
  for (std::size_t index = 0; index < state_names.size(); ++index) {
    if (state_names[index] == text) return static_cast<JobState>(index);
  }
  return std::nullopt;
}

Usage& Usage::operator+=(const Usage& other) {
  device_s += other.device_s;
  energy_j += other.energy_j;
  cost_usd += other.cost_usd;
  return *this;
}

}  // namespace drover
