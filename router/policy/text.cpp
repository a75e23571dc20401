#include "router/policy/text.h"

#include <algorithm>

#include "fleet/base/fnv1a.h"
#include "fleet/base/text.h"

namespace drover::router {

Policy at_speed(Policy policy, double speed) {
  policy.stale_after_s *= std::max(1.0, speed);
  return policy;
}

std::string policy_hash(std::string_view text) { return fmt::format("{:016x}", fnv1a(text)); }

Status check_version_increase(const Policy& in_force, const Policy& fresh, std::string_view place) {
  if (fresh.version > in_force.version) return {};
  return error("{}: policy.version: found {}, expected more than {}, the version in force{}",
               printable(place), fresh.version, in_force.version,
               fresh.version == in_force.version ? " with another text" : "");
}

}  // namespace drover::router
