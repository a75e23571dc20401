// Power caps that people have set over the policy's own, until they end.
#pragma once

#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "fleet/actions.h"
#include "fleet/base/result.h"
#include "fleet/base/time.h"
#include "router/policy/policy.h"

namespace drover::router {

/// Faults and caps last a week at most, in fleet time.
inline constexpr Duration action_span_max = std::chrono::hours(7 * 24);
/// A gigawatt: more than any site.
inline constexpr double power_cap_max_w = 1e9;

/// A target that has a cap, watts and a span that make sense; the pool is one of the policy's.
Status check_cap(const SetPowerCap& cap, const Policy& policy);

/// "cap 20kW for 1m", "remove the cap".
std::string action_text(const SetPowerCap& cap);

class PowerCaps {
 public:
  explicit PowerCaps(Limits own) : own_(std::move(own)) {}

  /// REQUIRES that `check_cap` passed.
  void set(Instant now, const SetPowerCap& cap);
  bool holds(const std::string& target) const { return caps_.contains(target); }
  /// Targets whose caps' time is over; the policy's own hold there again.
  std::vector<std::string> end(Instant now);
  /// `never` when nothing ends.
  Instant next_end() const;
  /// Another policy's limits; caps that people have set stay over them.
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
  std::map<std::string, Cap> caps_;  // by target, as text
};

}  // namespace drover::router
