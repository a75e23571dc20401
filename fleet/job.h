// A submitted job, its states and its results.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "fleet/base/identity.h"
#include "fleet/base/time.h"
#include "fleet/reason.h"
#include "fleet/workload.h"

namespace drover {

struct Job {
  JobId id;
  Workload work;
  std::string tenant = "default";
  std::string work_class;           // of the policy; empty: the first that matches
  std::string stage;                // "experiment", "production"; empty: that of its class
  std::string data_set;             // its input data; empty: that of its class
  std::int8_t priority = 0;         // higher goes first; chat 10, training 0 in the demo
  Duration deadline = Duration{0};  // after submission; 0: none
  bool operator==(const Job&) const = default;
};

// Bounds of a training job. They keep sums and wire values in range.
inline constexpr std::uint32_t job_steps_max = 1'000'000'000;
inline constexpr std::uint32_t job_batch_max = 100'000'000;

/// queued -> leased -> running -> finished | failed | cancelled. Leased and running jobs return to
/// queued when the attempt is refused or lost. A job reaches exactly one terminal state, once.
enum class JobState : std::uint8_t { queued, leased, running, finished, failed, cancelled };
inline constexpr int job_state_count = 6;
std::string_view to_text(JobState state);
std::optional<JobState> parse_job_state(std::string_view text);
inline bool is_terminal(JobState state) { return state >= JobState::finished; }

/// Why placed work makes no progress at the moment.
enum class Pause : std::uint8_t {
  none,
  loading,    // the model's weights
  compiling,  // a shape that is not compiled yet
  prefill,    // other requests' prompts are processed first
  peer,       // another host's part of the gang is paused or not there yet
};
std::string_view to_text(Pause pause);

/// The usage of one attempt: its share of each step's device-seconds, joules and dollars.
struct Usage {
  double device_s = 0;
  double energy_j = 0;
  double cost_usd = 0;
  Usage& operator+=(const Usage& other);
  bool operator==(const Usage&) const = default;
};

/// The result of a finished attempt. Times are fleet seconds from the arrival at the agent.
struct Outcome {
  std::uint64_t input_tokens = 0;
  std::uint64_t output_tokens = 0;
  std::uint32_t steps = 0;
  double first_token_s = 0;  // serve: until the first token; else 0
  double run_s = 0;          // until the end
  bool operator==(const Outcome&) const = default;
};

}  // namespace drover
