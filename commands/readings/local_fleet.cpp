#include "commands/readings/local_fleet.h"

#include <algorithm>

#include "fleet/base/overloaded.h"
#include "fleet/base/version.h"

namespace drover::commands {
namespace {

/// The connections of hosts follow that of the dashboard.
constexpr std::uint64_t first_host_peer = LocalFleet::dashboard.number + 1;

Peer peer_of(std::size_t host) { return {Channel::control, first_host_peer + host}; }

}  // namespace

Result<std::unique_ptr<LocalFleet>> LocalFleet::make(const RouterStart& start,
                                                     agents::WatchedHostSettings hosts,
                                                     const devices::Catalogue& catalogue) {
  DROVER_ASSIGN(auto router, make_router(start, catalogue));
  DROVER_TRY(router->restored());
  return std::unique_ptr<LocalFleet>(
      new LocalFleet(std::move(router), std::move(hosts), catalogue));
}

LocalFleet::LocalFleet(std::unique_ptr<router::Router> router, agents::WatchedHostSettings hosts,
                       const devices::Catalogue& catalogue)
    : router_(std::move(router)), hosts_(std::move(hosts), catalogue) {}

void LocalFleet::take(Instant now, const agents::TargetNews& news) {
  hosts_.take(now, news, [&](std::size_t host) { join(now, host); });
  if (std::string note = hosts_.take_note(); !note.empty())
    receive(now, publish_peer,
            {"here", 0, now, Event{Severity::warning, "hosts", std::move(note)}});
  for (std::size_t host = 0; host < hosts_.size(); ++host) take_effects(now, host);
  settle(now);
}

void LocalFleet::join(Instant now, std::size_t host) {
  const std::string& name = hosts_.host(host).settings().host;
  router_->receive(now, peer_of(host), {name, 0, now, Join{Role::agent, name, software_name}});
  settle(now);
}

void LocalFleet::receive(Instant now, Peer from, const Envelope& envelope) {
  router_->receive(now, from, envelope);
  settle(now);
}

void LocalFleet::tick(Instant now) {
  hosts_.tick(now);
  for (std::size_t host = 0; host < hosts_.size(); ++host) take_effects(now, host);
  router_->tick(now);
  settle(now);
}

Instant LocalFleet::next_deadline() const {
  return std::min(router_->next_deadline(), hosts_.next_deadline());
}

/// Passes messages on until nobody has any more. Nothing is kept on a disk: what the router writes
/// counts as committed at once.
void LocalFleet::settle(Instant now) {
  PendingSends waiting;
  for (;;) {
    Outbox outbox = router_->take_outbox();
    if (outbox.empty()) return;
    std::vector<Send> sends = waiting.hold_or_pass(std::move(outbox.sends));
    if (!outbox.writes.empty()) {
      const std::uint64_t last = outbox.writes.back().sequence;
      router_->committed(now, last);
      for (Send& send : waiting.release_up_to(last)) sends.push_back(std::move(send));
    }
    for (const Send& send : sends) deliver(now, send);
  }
}

void LocalFleet::deliver(Instant now, const Send& send) {
  const std::size_t host = send.to.number - first_host_peer;
  if (send.to.channel != Channel::control || host >= hosts_.size()) {
    messages_.emplace_back(send.to, send.envelope);
    return;
  }
  if (const auto* accepted = std::get_if<JoinAccepted>(&send.envelope.body)) {
    hosts_.host(host).handle_join_accepted(now, *accepted);
  } else {
    hosts_.host(host).receive(now, send.envelope);
  }
  take_effects(now, host);
}

void LocalFleet::take_effects(Instant now, std::size_t host) {
  for (const agents::WatchEffect& effect : hosts_.host(host).take_effects()) {
    std::visit(Overloaded{[&](const Send& send) {
                            const bool samples = send.to.channel == Channel::samples;
                            // Viewers must know the host before its samples.
                            if (samples) settle(now);
                            router_->receive(now, samples ? send.to : peer_of(host), send.envelope);
                            if (samples) messages_.emplace_back(publish_peer, send.envelope);
                          },
                          [&](const agents::CapBoard& cap) { caps_.emplace_back(host, cap); },
                          [](const auto&) {}},
               effect);
  }
}

std::vector<std::pair<Peer, Envelope>> LocalFleet::take_messages() {
  return std::exchange(messages_, {});
}

std::vector<std::pair<std::size_t, agents::CapBoard>> LocalFleet::take_caps() {
  return std::exchange(caps_, {});
}

void LocalFleet::cap_set(Instant now, std::size_t host, const agents::CapBoard& asked,
                         const Status& answer) {
  hosts_.host(host).cap_set(now, asked, answer);
  take_effects(now, host);
  settle(now);
}

void LocalFleet::leave(Instant now, const std::string& why) {
  for (std::size_t host = 0; host < hosts_.size(); ++host) {
    hosts_.host(host).leave(now, why);
    take_effects(now, host);
  }
  settle(now);
}

}  // namespace drover::commands
