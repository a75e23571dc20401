// One attempt of a job on this host: its key, why it may be refused, how it ended.
#pragma once

#include <compare>
#include <cstdint>
#include <optional>
#include <string>

#include "fleet/base/identity.h"
#include "fleet/base/time.h"
#include "fleet/job.h"
#include "fleet/reason.h"

namespace drover::agents {

struct AttemptKey {
  JobId job;
  std::uint32_t attempt = 0;
  auto operator<=>(const AttemptKey&) const = default;
};

struct Refusal {
  Reason reason = Reason::capacity;
  std::string detail;
};

/// How an attempt ended: with an outcome, or with a failure reason.
struct EndedAttempt {
  AttemptKey key;
  Instant at{};
  Usage usage;
  Outcome outcome;                // if it finished
  std::optional<Reason> failure;  // if it did not
  std::string detail;
  // train: steps at its end and at its last checkpoint; with the steps of earlier attempts.
  double steps_done = 0;
  std::uint32_t steps_saved = 0;
};

/// The energy counter of a set of devices at one instant: joules since the start, summed over the
/// set.
struct EnergyReading {
  Instant at{};
  double energy_j = 0;
};

/// What holds a device.
struct DeviceWork {
  bool training = false;
  std::uint64_t number = 0;  // of the replica; of the gang, in the order in which gangs began
  std::string model;
};

}  // namespace drover::agents
