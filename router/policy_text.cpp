#include "router/policy_text.h"

#include <algorithm>
#include <cstdint>
#include <utility>

#include "fleet/text.h"

namespace drover::router {

Policy at_speed(Policy policy, double speed) {
  policy.stale_after_s *= std::max(1.0, speed);
  return policy;
}

// FNV-1a, 64 bits (Fowler, Noll, Vo).
std::string policy_hash(std::string_view text) {
  std::uint64_t hash = 0xcbf29ce484222325U;
  for (const char byte : text) hash = (hash ^ static_cast<unsigned char>(byte)) * 0x100000001b3U;
  return fmt::format("{:016x}", hash);
}

Status check_succession(const Policy& in_force, const Policy& fresh, std::string_view place) {
  if (fresh.version > in_force.version) return {};
  return error("{}: policy.version: found {}, expected more than {}, the version in force{}",
               printable(place), fresh.version, in_force.version,
               fresh.version == in_force.version ? " with another text" : "");
}

}  // namespace drover::router
