// Power caps: those that operators set over the policy's own, until they end; how far device caps
// go down, at once, so that the total power of the devices under a cap is no more than the cap; how
// far they may rise again; and texts on why power is above a cap.
//
// All devices under a cap get the same share of their rated power, because a gang is as slow as
// its slowest device. Each kind has a minimum cap (its floor); a device without power capping
// draws what it draws. Pure, on the same values as the power lever
// (router/policy/power_cap_steps.h), which moves one step at a time and keeps power below the cap.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "fleet/actions.h"
#include "fleet/base/result.h"
#include "fleet/base/time.h"
#include "router/fleet_state/fleet_state.h"
#include "router/policy/policy.h"
#include "router/policy/power_cap_steps.h"

namespace drover::router {

/// Faults and caps last a week at most, in fleet time.
inline constexpr Duration action_duration_max = std::chrono::hours(7 * 24);
/// A gigawatt: more than any site.
inline constexpr double power_cap_max_w = 1e9;

/// Whether the target can have a cap, watts and duration are in range, and the pool is in the
/// policy.
Status check_cap(const SetPowerCap& cap, const Policy& policy);

/// "cap 20kW for 1m", "remove the cap".
std::string action_text(const SetPowerCap& cap);

class PowerCapOverrides {
 public:
  explicit PowerCapOverrides(Limits own) : own_(std::move(own)) {}

  /// REQUIRES that `check_cap` passed.
  void set(Instant now, const SetPowerCap& cap);
  bool holds(const std::string& target) const { return caps_.contains(target); }
  /// Ends caps whose time is over and returns their targets; the policy's caps hold there again.
  std::vector<std::string> end(Instant now);
  /// `never` when nothing ends.
  Instant next_end() const;
  /// Sets another policy's limits; caps set by operators stay over them.
  void set_own(Limits own) { own_ = std::move(own); }
  /// The policy's limits with these caps.
  Limits in_force() const;

 private:
  struct Cap {
    double watts = 0;
    Instant until{};
    bool admission_only = false;
  };
  Limits own_;
  std::map<std::string, Cap> caps_;  // by target text
};

/// Shares of the cap: power is lowered to `cap_target_share`, and raised only up to
/// `cap_release_share`. Nothing moves between the latter and the cap, so that a lowered cap does
/// not rise just because it was lowered.
inline constexpr double cap_target_share = 0.97;
inline constexpr double cap_release_share = 0.85;

/// Steps that lower the group's power to `cap_target_share`, or as near to it as the floors allow;
/// empty while its power is within the cap.
std::vector<CapStep> lower_to_cap(const CappedGroup& limit);

/// The share of its rated power to which each device may be capped so that together they draw at
/// most `headroom_w` more than now, if each draws up to its cap. At most 1.
double share_with_headroom(const CappedGroup& limit, double headroom_w);

struct CapReach {
  double least_w = 0;        // total power with every device at its floor
  std::size_t at_floor = 0;  // devices whose cap cannot go lower
};
/// The reach after these steps.
CapReach reach_of(const CappedGroup& limit, const std::vector<CapStep>& steps = {});

struct IdleDraw {
  std::size_t devices = 0;
  double watts = 0;
};
/// Idle power of the devices under a cap; without a pool, of the site.
IdleDraw idle_draw(const FleetState& fleet_state, const std::optional<std::uint32_t>& pool);

/// Why power cannot go lower even after these steps: "16 devices at their floor, 8 TPUs accept no
/// cap". REQUIRES that it is more than `limit.cap_w`.
std::string cap_floor_text(const FleetState& fleet_state, const std::optional<std::uint32_t>& pool,
                           const CappedGroup& limit, const std::vector<CapStep>& steps);

/// Why power is above the cap although it could be lower: "16 devices have not applied the caps
/// they were sent".
std::string cap_ignored_text(const FleetState& fleet_state, const CappedGroup& limit,
                             const SentCaps& sent_caps);

}  // namespace drover::router
