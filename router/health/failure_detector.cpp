#include "router/health/failure_detector.h"

#include <algorithm>
#include <utility>

namespace drover::router {
namespace {

// Four sweeps per heartbeat: a suspect host is found at most a quarter of a heartbeat late.
constexpr int sweeps_per_heartbeat = 4;

}  // namespace

FailureDetector::FailureDetector(FailureTimeouts times, Instant start)
    : times_(times), last_tick_(start), next_sweep_(start + sweep_every()) {}

Duration FailureDetector::sweep_every() const {
  return std::max(times_.heartbeat_every / sweeps_per_heartbeat, Duration{1});
}

bool FailureDetector::record_contact(Instant now, HostIndex host) {
  HostLiveness* known = find_in(liveness_, host);
  if (known == nullptr || is_gone(known->health)) return false;
  known->last_contact = std::max(known->last_contact, now);
  return std::exchange(known->health, Health::ok) == Health::suspect;
}

Health FailureDetector::health(HostIndex host) const {
  const HostLiveness* known = find_in(liveness_, host);
  return known == nullptr ? Health::lost : known->health;
}

Instant FailureDetector::last_contact(HostIndex host) const {
  const HostLiveness* known = find_in(liveness_, host);
  DROVER_REQUIRE(known != nullptr);
  return known->last_contact;
}

Sweep FailureDetector::sweep(Instant now) {
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
  evaluate(now, sweep);
  return sweep;
}

void FailureDetector::evaluate(Instant now, Sweep& sweep) {
  std::size_t living = 0;
  std::vector<HostIndex> expired;
  bool overdue = false;  // one was held for its whole grace period
  for (auto& [host, pulse] : liveness_) {
    if (is_gone(pulse.health)) continue;
    ++living;
    const Duration silence = now - pulse.last_contact;
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
  // After an overdue hold, the rest may follow in later sweeps without a new alarm.
  holding_ = many;
  for (const HostIndex host : expired) liveness_[host].health = Health::lost;
  sweep.lost = std::move(expired);
}

}  // namespace drover::router
