#include "router/health/health.h"

#include <algorithm>

namespace drover::router {
namespace {

// Four sweeps per heartbeat: a suspect is found at most a quarter of a heartbeat late.
constexpr int sweeps_per_heartbeat = 4;

}  // namespace

HealthBook::HealthBook(HealthTimes times, Instant start)
    : times_(times), last_tick_(start), next_sweep_(start + sweep_every()) {}

Duration HealthBook::sweep_every() const {
  return std::max(times_.heartbeat_every / sweeps_per_heartbeat, Duration{1});
}

void HealthBook::enrolled(Instant now, HostIndex host) { pulses_[host] = {now, Health::ok}; }

bool HealthBook::heard(Instant now, HostIndex host) {
  const auto found = pulses_.find(host);
  if (found == pulses_.end() || is_gone(found->second.health)) return false;
  found->second.heard = std::max(found->second.heard, now);
  const bool recovered = found->second.health == Health::suspect;
  found->second.health = Health::ok;
  return recovered;
}

void HealthBook::left(HostIndex host) {
  const auto found = pulses_.find(host);
  if (found != pulses_.end()) found->second.health = Health::left;
}

Health HealthBook::health(HostIndex host) const {
  const auto found = pulses_.find(host);
  return found == pulses_.end() ? Health::lost : found->second.health;
}

Instant HealthBook::last_heard(HostIndex host) const {
  const auto found = pulses_.find(host);
  DROVER_REQUIRE(found != pulses_.end());
  return found->second.heard;
}

Sweep HealthBook::sweep(Instant now) {
  Sweep sweep;
  const bool stalled = now - last_tick_ > times_.heartbeat_every;
  last_tick_ = std::max(last_tick_, now);
  if (stalled) {
    next_sweep_ = saturating_add(now, sweep_every());
    sweep.stalled = true;
    return sweep;
  }
  if (now < next_sweep_) return sweep;
  next_sweep_ = saturating_add(now, sweep_every());
  judge(now, sweep);
  return sweep;
}

void HealthBook::judge(Instant now, Sweep& sweep) {
  std::size_t living = 0;
  std::vector<HostIndex> expired;
  bool overdue = false;  // one was held for its whole grace
  for (auto& [host, pulse] : pulses_) {
    if (is_gone(pulse.health)) continue;
    ++living;
    const Duration silence = now - pulse.heard;
    if (silence >= times_.lost_after) {
      expired.push_back(host);
      overdue = overdue || silence >= 2 * times_.lost_after;
    }
    if (silence >= times_.suspect_after && pulse.health == Health::ok) {
      pulse.health = Health::suspect;
      sweep.suspect.push_back(host);
    }
  }
  const bool many =
      expired.size() > mass_loss_hosts &&
      static_cast<double>(expired.size()) > mass_loss_share * static_cast<double>(living);
  if (many && !overdue) {
    sweep.held = expired.size();
    sweep.hold_began = !holding_;
    holding_ = true;
    return;
  }
  // After an overdue hold the rest may follow in later sweeps without a new alarm.
  holding_ = many;
  for (const HostIndex host : expired) pulses_[host].health = Health::lost;
  sweep.lost = std::move(expired);
}

}  // namespace drover::router
