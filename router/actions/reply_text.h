// Texts that action replies share: targets, counts, effects of a fault.
#pragma once

#include <string>
#include <vector>

#include "fleet/action_duration.h"
#include "fleet/actions.h"
#include "fleet/base/time.h"
#include "fleet/target.h"

namespace drover::router {

/// "h1/3", "h1", "rack rack-a", "pool v5e", "the site".
std::string describe_target(const Target& target);

/// "14:02:10 fleet time": fleet time need not equal the time of day.
std::string fleet_time_text(Instant at);

/// What the fault does to the work on its target. `hosts`: the target is whole hosts.
std::string fault_effect_text(const Fault& fault, bool hosts);

/// "h1/0-3, h2/5": devices and hosts, a host's devices together; the number alone when there are
/// more than a few.
std::string compact_targets(const std::vector<std::string>& targets);

}  // namespace drover::router
