// What a job has been through, as its reports said: kept by the model for each job.
#pragma once

#include <algorithm>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "fleet/messages.h"

namespace drover::tui {

/// From `at` on, until the next phase.
struct JobPhase {
  Instant at{};
  JobState state = JobState::queued;
  std::uint32_t attempt = 0;
  Pause pause = Pause::none;
  std::uint32_t steps_saved = 0;
  std::optional<Reason> returned;  // queued: how the attempt before ended
  std::string target;
};

/// Kept phases of one job at most: the oldest but the first goes.
inline constexpr std::size_t job_phases_max = 64;

/// "attempt 2 was requeued at 14:02:10 (preempted: ..)": preempted.
inline std::optional<Reason> reason_in(const std::string& returned) {
  const std::size_t begin = returned.find('(');
  if (begin == std::string::npos) return std::nullopt;
  const std::size_t end = std::min(returned.find_first_of(":)", begin), returned.size());
  return parse_reason(returned.substr(begin + 1, end - begin - 1));
}

/// Adds what a report changes. `at`: when it was sent; a state has its own time.
inline void add_phase(std::vector<JobPhase>& phases, Instant at, const JobChanged& job) {
  JobPhase phase{job.since, job.state, job.attempt, job.pause, job.steps_saved, {}, job.target};
  if (job.state == JobState::queued) phase.returned = reason_in(job.returned);
  if (!phases.empty()) {
    const JobPhase& last = phases.back();
    const bool same_state = last.state == phase.state && last.attempt == phase.attempt;
    if (same_state && last.pause == phase.pause && last.steps_saved == phase.steps_saved) return;
    if (same_state) phase.at = std::max(at, last.at);
  }
  phases.push_back(std::move(phase));
  if (phases.size() > job_phases_max) phases.erase(phases.begin() + 1);
}

}  // namespace drover::tui
