#include "tests/simulator/power_cap_invariants.h"

#include <chrono>

#include <fmt/format.h>

namespace drover::simulator {
namespace {

/// Ten seconds are stated, then two beats pass until the alert is told. A host that joins or comes
/// back is believed after its first samples.
constexpr Duration met_or_said_within = std::chrono::seconds(16);
/// Sensors read a little wrong, and caps are met by what they say.
constexpr double sensor_slack = 1.05;

}  // namespace

double PowerCapInvariants::drawn_w(const std::string& pool) const {
  double sum_w = 0;
  for (const auto& [name, devices] : world_.devices()) {
    const auto host = world_.seen().hosts.find(name);
    if (host == world_.seen().hosts.end() || host->second.health != Health::ok) continue;
    if (!world_.is_connected(name)) continue;
    for (std::size_t group = 0; group < host->second.registration.groups.size(); ++group) {
      const Group& at = host->second.registration.groups[group];
      const auto& pools = host->second.pools;
      if (!pool.empty() && (group >= pools.size() || pools[group] != pool)) continue;
      for (std::uint16_t device = 0; device < at.count; ++device) {
        sum_w += devices.at(at.first + device).power_w;
      }
    }
  }
  return sum_w;
}

void PowerCapInvariants::look(std::vector<std::string>& broken) {
  if (!world_.has_router() || world_.router_incarnation() != life_) {
    life_ = world_.router_incarnation();
    transients_ = {};
    return;
  }
  const router::Limits& limits = world_.policy_in_force().limits;
  std::map<std::string, TransientViolation> wrong;
  const auto judge = [&](const std::string& subject, const std::string& pool, double cap_w) {
    const double watts = drawn_w(pool);
    if (cap_w <= 0 || watts <= sensor_slack * cap_w) return;
    if (world_.seen().standing.contains({"power_cap_unmet", subject})) return;
    wrong[fmt::format("C: {} draws more than its cap, and no alert says so", subject)] = {
        met_or_said_within, fmt::format("{:.0f} of {:.0f} W", watts, cap_w)};
  };
  if (!limits.site_admission_only) judge("site", "", limits.site_power_cap_w);
  for (const auto& [pool, cap_w] : limits.pool_power_cap_w) {
    if (!limits.pools_admission_only.contains(pool)) judge("pool:" + pool, pool, cap_w);
  }
  transients_.match(world_.now(), wrong, broken);
}

}  // namespace drover::simulator
