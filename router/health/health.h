// Who lives: hosts by the time since anything was heard of them.
//
//   ok --suspect_after--> suspect (no new work) --lost_after--> lost (its work is requeued)
//   suspect --heard--> ok         lost, left --Hello--> ok   ok, suspect --Leave--> left
//
// Two rules keep one bad moment from emptying the fleet. A router that itself stood still longer
// than a heartbeat skips one sweep: what it did not hear lies in its own sockets. And when more
// than 30 % of the hosts (and more than three) would be lost in one sweep, the network is the
// likelier culprit: they stay suspect, for at most another `lost_after`, and an alarm is raised.
#pragma once

#include <cstdint>
#include <map>
#include <vector>

#include "fleet/base/time.h"
#include "fleet/messages.h"
#include "router/roster/roster.h"

namespace drover::router {

struct HealthTimes {
  Duration heartbeat_every{};
  Duration suspect_after{};
  Duration lost_after{};
};

/// More than this share of the hosts, and more than this number, lost in one sweep is held.
inline constexpr double mass_loss_share = 0.30;
inline constexpr std::size_t mass_loss_hosts = 3;

/// What one sweep found, each list in host order.
struct Sweep {
  std::vector<HostIndex> suspect;
  std::vector<HostIndex> lost;
  bool stalled = false;     // the router stood still: nothing was judged
  std::size_t held = 0;     // would be lost, held by the 30 % rule
  bool hold_began = false;  // in this sweep: raise the alarm once
};

class HealthBook {
 public:
  HealthBook(HealthTimes times, Instant start);

  /// After an accepted Hello: healthy from now.
  void enrolled(Instant now, HostIndex host);
  /// Anything was heard. Answers true when a suspect host is healthy again; a lost one stays lost
  /// until it says Hello.
  bool heard(Instant now, HostIndex host);
  /// It said that it ends: gone at once, and no sign of a bad network.
  void left(HostIndex host);
  /// It is not waited for.
  void forget(HostIndex host) { pulses_.erase(host); }
  Health health(HostIndex host) const;
  /// REQUIRES that the host is enrolled.
  Instant last_heard(HostIndex host) const;

  /// To be called at every tick; judges at most once per `sweep_every()`.
  Sweep sweep(Instant now);
  Duration sweep_every() const;
  Instant next_sweep() const { return next_sweep_; }

 private:
  struct Pulse {
    Instant heard{};
    Health health = Health::ok;
  };
  void judge(Instant now, Sweep& sweep);

  HealthTimes times_;
  Instant last_tick_;
  Instant next_sweep_;
  bool holding_ = false;
  std::map<HostIndex, Pulse> pulses_;
};

}  // namespace drover::router
