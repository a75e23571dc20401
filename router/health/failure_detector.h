// Host liveness by the time since the last contact.
//
//   ok --suspect_after--> suspect (no new work) --lost_after--> lost (its work is requeued)
//   suspect --any message--> ok        lost, left --Register--> ok   ok, suspect --Leave--> left
//
// Two rules prevent one bad moment from losing the fleet. A router that was itself stalled for
// longer than a heartbeat skips one sweep: unread messages are in its own sockets. And if more
// than 30 % of the hosts (and more than three) would be lost in one sweep, the network is the
// likelier cause: they stay suspect for at most another `lost_after`, and an alarm is raised.
#pragma once

#include <map>
#include <vector>

#include "fleet/base/search.h"
#include "fleet/base/time.h"
#include "fleet/messages.h"
#include "router/fleet_state/fleet_state.h"

namespace drover::router {

struct FailureTimeouts {
  Duration heartbeat_every{};
  Duration suspect_after{};
  Duration lost_after{};
};

/// Losses of more than this share and this number of hosts in one sweep are held back.
inline constexpr double mass_loss_share = 0.30;
inline constexpr std::size_t mass_loss_hosts = 3;

/// The result of one sweep, each list in host order.
struct Sweep {
  std::vector<HostIndex> suspect;
  std::vector<HostIndex> lost;
  bool stalled = false;     // the router was stalled: nothing was evaluated
  std::size_t held = 0;     // hosts that the 30 % rule keeps from being lost
  bool hold_began = false;  // began in this sweep: raise the alarm once
};

class FailureDetector {
 public:
  FailureDetector(FailureTimeouts times, Instant start);

  /// After an accepted Register: the host is healthy from now.
  void registered(Instant now, HostIndex host) { liveness_[host] = {now, Health::ok}; }
  /// Records a message from the host. Returns true when a suspect host is healthy again; a lost
  /// one stays lost until it registers.
  bool record_contact(Instant now, HostIndex host);
  /// The host left cleanly: gone at once, and no sign of a bad network.
  void mark_left(HostIndex host) {
    if (HostLiveness* known = find_in(liveness_, host)) known->health = Health::left;
  }
  /// The agent that reads the host remotely reports that it does not answer. This does not count
  /// toward the share of silent hosts, since it is no sign of a bad network at the router.
  void mark_lost(HostIndex host) {
    if (HostLiveness* known = find_in(liveness_, host)) known->health = Health::lost;
  }
  /// Stops watching the host.
  void forget(HostIndex host) { liveness_.erase(host); }
  Health health(HostIndex host) const;
  /// REQUIRES that the host is registered.
  Instant last_contact(HostIndex host) const;

  /// Called at every tick; evaluates at most once per `sweep_every()`.
  Sweep sweep(Instant now);
  Duration sweep_every() const;
  Instant next_sweep() const { return next_sweep_; }

 private:
  struct HostLiveness {
    Instant last_contact{};
    Health health = Health::ok;
  };
  void evaluate(Instant now, Sweep& sweep);

  FailureTimeouts times_;
  Instant last_tick_;
  Instant next_sweep_;
  bool holding_ = false;
  std::map<HostIndex, HostLiveness> liveness_;
};

}  // namespace drover::router
