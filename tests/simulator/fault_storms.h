// Storms: small mixed fleets of GPUs and TPUs with demanding work, hit by faults of every kind
// and by drains, caps and cancels, all drawn from a seed; and what must hold in each of them
// (reliability: I1, I2, I3, I10, that no work runs where it cannot, and that none waits without a
// reason that is true).
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "simulator/scenario.h"
#include "simulator/simulation.h"

namespace drover::simulator {

struct FaultStorm {
  Scenario scenario;
  Duration calm{};  // when the last fault has ended, from the start
};
/// The policy is given: every seed may meet each.
FaultStorm random_fault_storm(std::uint64_t seed, router::Policy policy);
/// Those that storms take turns with: all of examples/policies, the one built into the program, and
/// crowded.toml. `folder`: of the source tree.
std::vector<router::Policy> storm_policies(const std::string& folder);

/// One storm lived through to the end.
struct FaultStormReport {
  std::uint64_t jobs = 0, finished = 0, failed = 0, cancelled = 0;
  std::uint64_t attempts = 0, returned = 0, stale = 0;
  std::uint64_t router_lives = 0, faults = 0;
  std::uint64_t assignments = 0;    // held against what devices can run
  std::uint64_t looks = 0;          // at what runs where
  std::uint64_t asked_why = 0;      // of jobs that waited
  std::vector<std::string> broken;  // promises, in words; must be empty
  FaultStormReport& operator+=(const FaultStormReport& other);
};

/// Somebody who watches a storm besides, as a client and a subscriber.
class StormObserver {
 public:
  virtual ~StormObserver() = default;
  virtual void begin(Simulation& world, const FaultStorm& storm) = 0;
  virtual void hear(Peer from, const Envelope& envelope) = 0;
  /// Ten times a second, and once a second after the calm. What is wrong goes to `broken`.
  virtual void look(std::vector<std::string>& broken) = 0;
};
FaultStormReport run_fault_storm(const FaultStorm& storm, StormObserver* onlooker = nullptr);

}  // namespace drover::simulator
