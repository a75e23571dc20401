#include "fleet/job.h"

#include <array>

#include "fleet/base/enum_tables.h"

namespace drover {
namespace {

constexpr std::array<std::string_view, job_state_count> state_names{
    "queued", "leased", "running", "finished", "failed", "cancelled"};

}  // namespace

std::string_view to_text(Pause pause) {
  constexpr std::array<std::string_view, 5> names{"none", "loading", "compiling", "prefill",
                                                  "peer"};
  return row_at(names, pause);
}

std::string_view to_text(JobState state) { return row_at(state_names, state); }

std::optional<JobState> parse_job_state(std::string_view text) {
  return enumerator_named<JobState>(state_names, text);
}

Usage& Usage::operator+=(const Usage& other) {
  device_s += other.device_s;
  energy_j += other.energy_j;
  cost_usd += other.cost_usd;
  return *this;
}

}  // namespace drover
