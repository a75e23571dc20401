// A fleet in one process, for commands that need no router: the router's core and the cores of the
// hosts that are read, which pass messages to each other without sockets. A dashboard, a recording
// and alerts work as with a router, because they get the same messages.
#pragma once

#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "agents/watch/watched_hosts.h"
#include "commands/connection/router_start.h"
#include "devices/catalogue/catalogue.h"
#include "fleet/outbox.h"
#include "router/router.h"

namespace drover::commands {

class LocalFleet {
 public:
  /// The error is about the policy. The catalogue must outlive the fleet.
  static Result<std::unique_ptr<LocalFleet>> make(const RouterStart& start,
                                                  agents::WatchedHostSettings hosts,
                                                  const devices::Catalogue& catalogue);

  /// The connection of the dashboard. A viewer may have any other number that is far above it.
  static constexpr Peer dashboard{Channel::control, 1};

  /// Readings that have come, or have failed.
  void take(Instant now, const agents::TargetNews& news);
  /// A request of a viewer, or with `publish_peer` a message of this process, such as an Event.
  void receive(Instant now, Peer from, const Envelope& envelope);
  void tick(Instant now);
  Instant next_deadline() const;

  /// What the router has published (to `publish_peer`) and answered, in order.
  std::vector<std::pair<Peer, Envelope>> take_messages();
  /// Power caps to be set, by host.
  std::vector<std::pair<std::size_t, agents::CapBoard>> take_caps();
  void cap_set(Instant now, std::size_t host, const agents::CapBoard& asked, const Status& answer);
  /// Restores the power caps; `take_caps` has them.
  void leave(Instant now, const std::string& why);

  std::size_t hosts() const { return hosts_.size(); }
  agents::WatchedHost& host(std::size_t number) { return hosts_.host(number); }

 private:
  LocalFleet(std::unique_ptr<router::Router> router, agents::WatchedHostSettings hosts,
             const devices::Catalogue& catalogue);
  void join(Instant now, std::size_t host);
  void settle(Instant now);
  void take_effects(Instant now, std::size_t host);
  void deliver(Instant now, const Send& send);

  std::unique_ptr<router::Router> router_;
  agents::WatchedHosts hosts_;
  std::vector<std::pair<Peer, Envelope>> messages_;
  std::vector<std::pair<std::size_t, agents::CapBoard>> caps_;
};

}  // namespace drover::commands
