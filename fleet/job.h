// One submitted workload and what became of it.
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
  std::string stage;                // "experiment", "production"; empty: as its class says
  std::string data_set;             // that it reads; empty: as its class says
  std::int8_t priority = 0;         // higher goes first; chat 10, training 0 in the demo
  Duration deadline = Duration{0};  // after submission; 0: none
  bool operator==(const Job&) const = default;
};

/// queued -> leased -> running -> finished | failed | cancelled; leased and running go back to
/// queued when the attempt is refused or lost. Exactly one terminal state, reached once.
enum class JobState : std::uint8_t { queued, leased, running, finished, failed, cancelled };
inline constexpr int job_state_count = 6;
std::string_view to_text(JobState state);
std::optional<JobState> parse_job_state(std::string_view text);
inline bool is_terminal(JobState state) { return state >= JobState::finished; }

/// Why work that has its place makes no progress at this moment.
enum class Pause : std::uint8_t {
  none,
  loading,    // the model's weights
  compiling,  // a shape that was not compiled yet
  prefill,    // prompts of others are read first
  peer,       // another host's part of the gang stands still, or has not come
};
std::string_view to_text(Pause pause);

/// What one attempt used: its share of each step's device-seconds, joules and dollars.
struct Usage {
  double device_s = 0;
  double energy_j = 0;
  double cost_usd = 0;
  Usage& operator+=(const Usage& other);
  bool operator==(const Usage&) const = default;
};

/// What a finished attempt delivered. Times in fleet seconds, from the arrival at the agent.
struct Outcome {
  std::uint64_t input_tokens = 0;
  std::uint64_t output_tokens = 0;
  std::uint32_t steps = 0;
  double first_token_s = 0;  // serve: until the first token; else 0
  double run_s = 0;          // until the end
  bool operator==(const Outcome&) const = default;
};

}  // namespace drover
