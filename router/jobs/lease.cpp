#include "router/jobs/lease.h"

#include <algorithm>

namespace drover::router {

Member* Lease::member(std::string_view host) {
  const auto found = std::find_if(members.begin(), members.end(),
                                  [&](const Member& each) { return each.host == host; });
  return found == members.end() ? nullptr : &*found;
}

const Member* Lease::member(std::string_view host) const {
  const auto found = std::find_if(members.begin(), members.end(),
                                  [&](const Member& each) { return each.host == host; });
  return found == members.end() ? nullptr : &*found;
}

std::size_t Lease::devices() const {
  std::size_t count = 0;
  for (const Member& each : members) count += each.devices.size();
  return count;
}

bool Lease::accepted_by_any() const {
  return std::any_of(members.begin(), members.end(),
                     [](const Member& each) { return each.accepted; });
}

bool Lease::accepted_by_all() const {
  return std::all_of(members.begin(), members.end(),
                     [](const Member& each) { return each.accepted; });
}

bool Lease::ended_by_all() const {
  return std::all_of(members.begin(), members.end(),
                     [](const Member& each) { return each.used.has_value(); });
}

Usage Lease::used() const {
  Usage sum;
  for (const Member& each : members) {
    if (each.used) sum += *each.used;
  }
  return sum;
}

Outcome Lease::outcome() const {
  Outcome whole;
  for (const Member& each : members) {
    if (each.outcome.run_s >= whole.run_s) whole = each.outcome;
  }
  return whole;
}

std::optional<double> Lease::gang_step_s() const {
  double compute_s = 0, exchange_s = 0;
  bool still = false;
  for (const Member& each : members) {
    if (!each.step_time) return std::nullopt;
    still |= each.step_time->compute_s <= 0;
    compute_s = std::max(compute_s, each.step_time->compute_s);
    exchange_s = std::max(exchange_s, each.step_time->exchange_s);
  }
  return still ? 0 : compute_s + exchange_s;
}

}  // namespace drover::router
