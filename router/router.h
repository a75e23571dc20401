// The router core: decides where every job runs and keeps a ledger that loses nothing. A state
// machine without clock, socket, file, thread or log.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "devices/catalogue/catalogue.h"
#include "fleet/base/result.h"
#include "fleet/base/time.h"
#include "fleet/messages.h"
#include "fleet/outbox.h"
#include "router/fleet_state/limits.h"
#include "router/health/timing.h"
#include "router/ledger/compactor.h"
#include "router/policy/policy.h"

namespace drover::router {

struct RouterCore;

struct RouterSettings : RouterTiming {
  std::string software;
  std::string samples_endpoint;  // as bound; sent in JoinAccepted
  std::string publish_endpoint;
  std::uint64_t seed = 1;
  std::size_t decisions_kept = 10'000;  // for `why`
  Retention retention;                  // in memory, for ended jobs and ids
  /// The policy's file; empty: none was given. A policy that was applied before a restart is
  /// restored in either case.
  std::string policy_place;
  FleetStateLimits fleet_state_limits;
};

class Router {
 public:
  Router(RouterSettings settings, Policy policy, const devices::Catalogue& catalogue,
         Instant start);
  ~Router();

  /// Restores the ledger's rows, oldest first, before any other call. Open jobs are queued again
  /// unless their agent still holds them; ended jobs stay ended.
  Status restore(const std::vector<LedgerRow>& rows);
  /// The same row by row: `restore_row` for each, and `restored` after the last.
  Status restore_row(const LedgerRow& row);
  Status restored();

  /// `key`: name of the key by which the connection is authenticated. A client's name starts with
  /// it, followed by the client's own label: "alice/inject". The shell sends its own messages on
  /// the publish channel: an Event to publish; an Audit to record; an ApplyPolicy with the reloaded
  /// policy file, on behalf of the envelope's sender; a Leave when the router ends.
  void receive(Instant now, Peer from, const Envelope& envelope, std::string_view key = {});
  /// Rejects a message. An undecodable one is counted by sender and reported; a request that its
  /// sender may not make is also answered and audited; a deferred one is answered.
  void reject_message(Instant now, const Dropped& dropped);
  /// Why the connection's role, from its Join, may not send this; nullopt: it may. `receive`
  /// rejects it as well, but the shell checks first because it knows the address.
  std::optional<std::string> refusal(Peer from, const Envelope& envelope) const;
  /// Whether this connection is an agent whose Register was accepted.
  bool speaks_for_host(Peer from) const;
  /// The store has committed every write up to this sequence.
  void committed(Instant now, std::uint64_t sequence);
  void tick(Instant now);
  /// Whether there are subscribers; true at the start. Without any, publications are counted but
  /// not built, so that a later subscriber sees a gap and requests a snapshot. Decisions do not
  /// depend on it, but the outbox does: compare outboxes with subscribers only.
  void set_has_subscribers(bool has_subscribers);
  Instant next_deadline() const;
  Outbox take_outbox();

  Summary summary(Instant now) const;
  /// The reply to a WhyRequest; changes nothing.
  WhyReply why(Instant now, const std::string& job_prefix);
  /// All candidates of the decision with this number; empty when they are no longer kept.
  std::vector<CandidateStatus> candidates(std::uint64_t decision) const;
  /// The policy in force.
  const Policy& policy() const;

 private:
  std::unique_ptr<RouterCore> core_;
};

}  // namespace drover::router
