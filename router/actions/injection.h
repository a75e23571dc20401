// Whom a fault reaches: a target on the roster, and a draw among its devices or hosts.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "fleet/actions.h"
#include "fleet/base/result.h"
#include "fleet/target.h"
#include "router/policy/policy.h"
#include "router/roster/roster.h"

namespace drover::router {

/// What one host's agent is told.
struct Reached {
  HostIndex host = nowhere;
  bool whole = false;  // the host itself; then no devices are named
  std::vector<std::uint16_t> devices;
};

/// In the order of the hosts' names, whatever the order in which they enrolled: the same seed draws
/// the same devices in every run. The problem names what is unknown, with what is known; what
/// cannot be reached (a host that is lost or has fallen silent); what makes no sense (an Xid of a
/// TPU, the loss of the site).
///
/// `inlet`, `fan` and `reclaim` are faults of hosts (`reclaim` of spot hosts), `lose` of hosts
/// where the target is a host or a rack; all others, and `lose` of a device or pool, are faults of
/// devices. Of a target that holds both, an Xid takes the GPUs. Where a fault takes whole groups
/// (slow-link; lose, of TPUs), all their devices are named, and a draw is among groups.
Result<std::vector<Reached>> plan_injection(const Inject& inject, const Roster& roster,
                                            const Policy& policy);

/// It makes sense, lasts, and is not over at once.
bool can_be_in_force(const Fault& fault);

/// The problem names what is unknown, with what is known.
Status check_known(const Target& target, const Roster& roster, const Policy& policy);

std::vector<HostIndex> hosts_by_name(const Roster& roster);

/// "inject xid=79 for 1m, any 2 with seed 7".
std::string action_text(const Inject& inject);

}  // namespace drover::router
