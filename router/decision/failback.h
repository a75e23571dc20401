// Where rules have fallen back to and whether they should still be there: the state behind
// `failback` and `spill`. A decision reads its rule's state and does not change it.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>

#include "fleet/base/search.h"
#include "fleet/base/time.h"
#include "fleet/reason.h"
#include "router/fleet_state/prices.h"
#include "router/policy/rule.h"

namespace drover::router {

struct FailbackState {
  std::optional<std::size_t> fallback;  // last sticky fallback that applied, by index in the rule
  Reason reason = Reason::capacity;     // its reason
  Instant fell_back{};
  std::uint32_t probes = 0;  // running jobs that were allowed to try the preferred pools
  bool leaving = false;      // jobs leave by `spill`
};

/// What the rule's sticky fallback means for this job.
enum class FailbackPhase : std::uint8_t {
  none,   // try the preferred pools as usual
  probe,  // try them, and report how it ended
  held,   // go where the fallback leads
};
inline FailbackPhase failback_phase(const Rule& rule, const FailbackState* route, Instant now) {
  if (route == nullptr || !route->fallback || *route->fallback >= rule.fallbacks.size()) {
    return FailbackPhase::none;
  }
  const Failback& failback = rule.fallbacks[*route->fallback].failback;
  if (now >= saturating_add(route->fell_back, failback.after)) return FailbackPhase::none;
  return route->probes < failback.probe ? FailbackPhase::probe : FailbackPhase::held;
}

class FailbackTable {
 public:
  /// The rule's state; null before its first fallback.
  const FailbackState* find(std::string_view rule) const { return find_in(routes_, rule); }

  /// A job that tried the preferred pools took this sticky fallback. A permanent reason is
  /// specific to that job and changes nothing for others.
  void fell_back(Instant now, const std::string& rule, std::size_t fallback, Reason reason) {
    if (is_permanent(reason)) return;
    FailbackState& route = routes_[rule];
    route.fallback = fallback;
    route.reason = reason;
    route.fell_back = now;
  }
  void probe_began(const std::string& rule) { ++routes_[rule].probes; }
  /// `good`: it finished; the rule returns to its preferred pools.
  void probe_ended(const std::string& rule, bool good) {
    FailbackState* route = find_in(routes_, rule);
    if (route == nullptr) return;
    if (route->probes > 0) --route->probes;
    if (good) route->fallback.reset();
  }
  void set_leaving(const std::string& rule, bool leaving) {
    if (leaving || find(rule) != nullptr) routes_[rule].leaving = leaving;
  }
  /// Clears all state, for a new policy.
  void clear() { routes_.clear(); }

 private:
  std::map<std::string, FailbackState, std::less<>> routes_;
};

/// Cost of a placement in dollars, joules or seconds, by the policy's objective, waiting included.
inline double cost_in_objective(const Spill& spill, std::string_view objective, double start_s,
                                double finish_s, double energy_j, double cost_usd) {
  if (objective == "cost") return cost_usd + spill.wait_usd_per_h * start_s / seconds_per_hour;
  if (objective == "energy") return energy_j + spill.wait_w * start_s;
  return finish_s;
}

/// Whether leaving pays: it starts when leaving costs less by `margin`; once `leaving`, it
/// continues until it costs more by `back`.
inline bool pays_to_leave(const Spill& spill, bool leaving, double stay, double leave) {
  return leaving ? leave <= stay * (1 + spill.back) : leave * (1 + spill.margin) < stay;
}

}  // namespace drover::router
