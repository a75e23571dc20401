// The fleet's curves: what was known of it at each instant of a grid of fleet time.
#pragma once

#include <vector>

#include "fleet/time.h"
#include "tui/held_times.h"

namespace drover::tui {

/// One point of the curves; shares are 0..1, NaN when unknown.
struct TrendPoint {
  Instant at{};
  double utilization = absent;
  double power = absent;  // share of all caps
  double queued = absent;
  double running = absent;
  double finished_per_s = absent;
  double power_w = absent;           // of all devices that report
  double usd_per_h = absent;         // of all devices of hosts that are not lost
  double spend_usd_per_h = absent;   // of devices that work, as the router says
  double budget_usd_per_h = absent;  // also where there is none
  double site_cap_w = absent;        // also where there is none
  HeldTimes held_s{};                // of all devices, since the model began
  struct Pool {
    double power_w = absent;
    double cap_w = absent;  // also where there is none
  };
  std::vector<Pool> pools;  // by the numbers of Model::pools(); may be shorter
};

}  // namespace drover::tui
