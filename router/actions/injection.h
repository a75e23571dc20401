// Which hosts and devices a fault reaches: a target in the fleet, and a random draw among its
// devices or hosts.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "fleet/actions.h"
#include "fleet/base/result.h"
#include "fleet/target.h"
#include "router/fleet_state/fleet_state.h"
#include "router/policy/policy.h"

namespace drover::router {

/// The part of a fault that one host's agent is sent.
struct FaultTarget {
  HostIndex host = no_index;
  bool whole = false;  // the host itself; then no devices are named
  std::vector<std::uint16_t> devices;
};

/// In order of host names, whatever the order of registration: the same seed draws the same
/// devices in every run. The error names what is unknown, with the known names; what cannot be
/// reached (a lost or silent host); and what makes no sense (an Xid of a TPU, the loss of the
/// site).
///
/// `inlet`, `fan` and `reclaim` apply to hosts (`reclaim` to spot hosts only), and so does `lose`
/// if the target is a host or a rack. All other faults, and `lose` of a device or pool, apply to
/// devices. If a target has GPUs and TPUs, an Xid applies to the GPUs. Where a fault affects whole
/// groups (slow-link; lose, for TPUs), all their devices are named, and a draw is among groups.
Result<std::vector<FaultTarget>> plan_injection(const InjectFault& inject,
                                                const FleetState& fleet_state,
                                                const Policy& policy);

/// Whether the fault is valid and lasts, instead of being over at once.
bool can_be_in_force(const Fault& fault);

/// Whether the target exists; the error names what is unknown, with the known names.
Status check_known(const Target& target, const FleetState& fleet_state, const Policy& policy);

std::vector<HostIndex> hosts_by_name(const FleetState& fleet_state);

/// "inject xid=79 for 1m, any 2 with seed 7".
std::string action_text(const InjectFault& inject);

}  // namespace drover::router
