// Power caps, as the devices draw: each is met within the time that the router states, or its alert
// is up.
#pragma once

#include <string>
#include <vector>

#include "simulator/simulation.h"
#include "tests/simulator/transient_violations.h"

namespace drover::simulator {

class PowerCapInvariants {
 public:
  explicit PowerCapInvariants(const Simulation& world) : world_(world) {}

  void look(std::vector<std::string>& broken);

 private:
  /// What hosts draw that are connected and shown as well: of others the router knows nothing.
  /// Empty: of all pools.
  double drawn_w(const std::string& pool) const;

  const Simulation& world_;
  TransientViolations transients_;
  std::uint64_t life_ = 0;  // of the router
};

}  // namespace drover::simulator
