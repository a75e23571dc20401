// Storms: small mixed fleets of GPUs and TPUs with demanding work, hit by faults of every kind, all
// drawn from a seed; and what must hold in each of them (reliability: I1, I2, I3, I10, and that no
// work runs where it cannot).
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "simulator/scenario.h"

namespace drover::simulator {

struct Storm {
  Scenario scenario;
  Duration calm{};  // when the last fault has ended, from the start
};
/// The policy is given: every seed may meet each.
Storm storm_of(std::uint64_t seed, router::Policy policy);

/// One storm lived through to the end.
struct StormReport {
  std::uint64_t jobs = 0, finished = 0, failed = 0;
  std::uint64_t attempts = 0, returned = 0, stale = 0;
  std::uint64_t router_lives = 0, faults = 0;
  std::uint64_t assignments = 0;    // held against what devices can run
  std::uint64_t looks = 0;          // at what runs where
  std::vector<std::string> broken;  // promises, in words; must be empty
  StormReport& operator+=(const StormReport& other);
};
StormReport live_through(const Storm& storm);

}  // namespace drover::simulator
