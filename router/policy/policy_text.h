// A policy's text: read for a router of some speed, its problems listed, and told apart from the
// text in force.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "fleet/base/result.h"
#include "router/policy/policy.h"

namespace drover::router {

/// As a router follows it whose fleet runs at this speed: telemetry is stale in wall time too, for
/// at most 20 batches a wall second arrive at any speed.
Policy at_speed(Policy policy, double speed);

/// Of the text, 16 hexadecimal digits.
std::string policy_hash(std::string_view text);

/// A version that decisions have named stands for one text for good: what follows it has a higher
/// one. `place`: of the fresh one, for the message.
Status check_succession(const Policy& in_force, const Policy& fresh, std::string_view place);

}  // namespace drover::router
