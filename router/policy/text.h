// A policy's text: adapted to the fleet's speed, hashed, and compared with the text in force.
#pragma once

#include <string>
#include <string_view>

#include "fleet/base/result.h"
#include "router/policy/policy.h"

namespace drover::router {

/// The policy for a fleet at this speed: the telemetry age limit also holds in wall time, because
/// at most 20 batches arrive per wall second at any speed.
Policy at_speed(Policy policy, double speed);

/// A hash of the text, 16 hexadecimal digits.
std::string policy_hash(std::string_view text);

/// Decisions record the policy version, so a version must always mean the same text: a changed text
/// needs a higher version. `place`: location of the new text, for the message.
Status check_version_increase(const Policy& in_force, const Policy& fresh, std::string_view place);

}  // namespace drover::router
