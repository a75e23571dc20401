// Power caps that operators set over the policy's own, until they end.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "fleet/actions.h"
#include "fleet/base/result.h"
#include "fleet/base/time.h"
#include "router/policy/policy.h"

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

}  // namespace drover::router
