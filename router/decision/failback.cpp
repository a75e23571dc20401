#include "router/decision/failback.h"

#include "router/fleet_state/prices.h"

namespace drover::router {

FailbackPhase failback_phase(const Rule& rule, const FailbackState* route, Instant now) {
  if (route == nullptr || !route->fallback || *route->fallback >= rule.fallbacks.size()) {
    return FailbackPhase::none;
  }
  const Failback& failback = rule.fallbacks[*route->fallback].failback;
  if (now >= saturating_add(route->fell_back, failback.after)) return FailbackPhase::none;
  return route->probes < failback.probe ? FailbackPhase::probe : FailbackPhase::held;
}

const FailbackState* FailbackTable::find(std::string_view rule) const {
  const auto found = routes_.find(rule);
  return found == routes_.end() ? nullptr : &found->second;
}

void FailbackTable::fell_back(Instant now, const std::string& rule, std::size_t fallback,
                              Reason reason) {
  if (is_permanent(reason)) return;
  FailbackState& route = routes_[rule];
  route.fallback = fallback;
  route.reason = reason;
  route.fell_back = now;
}

void FailbackTable::probe_began(const std::string& rule) { ++routes_[rule].probes; }

void FailbackTable::probe_ended(const std::string& rule, bool good) {
  const auto found = routes_.find(rule);
  if (found == routes_.end()) return;
  FailbackState& route = found->second;
  if (route.probes > 0) --route.probes;
  if (good) route.fallback.reset();
}

void FailbackTable::set_leaving(const std::string& rule, bool leaving) {
  if (leaving || find(rule) != nullptr) routes_[rule].leaving = leaving;
}

double cost_in_objective(const Spill& spill, std::string_view objective, double start_s,
                         double finish_s, double energy_j, double cost_usd) {
  if (objective == "cost") return cost_usd + spill.wait_usd_per_h * start_s / seconds_per_hour;
  if (objective == "energy") return energy_j + spill.wait_w * start_s;
  return finish_s;
}

bool pays_to_leave(const Spill& spill, bool leaving, double stay, double leave) {
  return leaving ? leave <= stay * (1 + spill.back) : leave * (1 + spill.margin) < stay;
}

}  // namespace drover::router
