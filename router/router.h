// The router core: where every job should run, and a ledger that loses nothing. A state machine
// without clock, socket, file, thread or log.
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
#include "fleet/dropped.h"
#include "fleet/messages.h"
#include "fleet/outbox.h"
#include "router/ledger/retention.h"
#include "router/policy/policy.h"
#include "router/roster/roster_limits.h"

namespace drover::router {

/// Wall-clock spans are given in fleet time: the shell multiplies by the speed at start.
struct RouterSettings {
  std::string software;
  double speed = 1;
  std::string samples_endpoint;  // as bound; told in Welcome
  std::string publish_endpoint;
  Duration heartbeat_every = std::chrono::seconds(1);
  Duration suspect_after = std::chrono::seconds(3);       // unheard: no new work
  Duration lease = std::chrono::seconds(10);              // the agent stops by itself
  Duration lost_after = std::chrono::seconds(12);         // unheard: its work is requeued
  Duration forget_left_after = std::chrono::minutes(10);  // hosts that left in order
  Duration summary_every = std::chrono::seconds(1);
  std::uint64_t seed = 1;
  std::size_t decisions_kept = 10'000;  // for `why`
  Retention retention;                  // in memory: of ended jobs, and of ids
  /// The file that the policy was read from; empty: none was named, and one that was applied to an
  /// earlier life is in force again in any case.
  std::string policy_place;
  RosterLimits roster_limits;
};

class Router {
 public:
  Router(RouterSettings settings, Policy policy, const devices::Catalogue& catalogue,
         Instant start);
  ~Router();

  /// The rows of an earlier life, oldest first, before anything else. Open jobs are queued again
  /// unless their agent still holds them; ended ones stay ended.
  Status restore(const std::vector<LedgerRow>& rows);
  /// The same, row by row: `restore_row` for each, and `restored` after the last.
  Status restore_row(const LedgerRow& row);
  Status restored();

  /// `key`: the name of the key that the connection has proven to hold. A client is called by it,
  /// before the label that it gives itself: "alice/inject". From the publish channel comes what the
  /// shell has to tell: an Event, to be published; an Audit, to be put on record; an ApplyPolicy,
  /// the policy's file read anew in the name of the envelope's sender; a Leave, at the life's end.
  void receive(Instant now, Peer from, const Envelope& envelope, std::string_view key = {});
  /// Came in and goes no further. Rubbish is counted by sender and told; a request that its sender
  /// may not make is also answered and put on record. One that is put off is answered.
  void turn_away(Instant now, const Dropped& dropped);
  /// Why the role that the connection has said in its Join may not send this; none: it may.
  /// `receive` turns it away by itself; the shell, which knows the address, asks before.
  std::optional<std::string> refusal(Peer from, const Envelope& envelope) const;
  /// Whether this connection is an agent's whose Hello was accepted.
  bool speaks_for_host(Peer from) const;
  /// The store has committed every write up to this sequence.
  void committed(Instant now, std::uint64_t sequence);
  void tick(Instant now);
  /// Whether anybody may hear what is published, as at the start. While nobody does, it is counted,
  /// so that whoever comes sees a gap and asks for a snapshot, but not made. Decisions do not
  /// depend on it; the outbox does: a core whose outboxes are compared stays watched.
  void set_watched(bool watched);
  Instant next_deadline() const;
  Outbox take_outbox();

  Summary summary(Instant now) const;
  /// What WhyRequest is answered with; changes nothing.
  WhyReply why(Instant now, const std::string& job_prefix);
  /// How all candidates stood in the decision of this number; empty when that is no longer kept.
  std::vector<Standing> standings(std::uint64_t decision) const;
  /// The one in force.
  const Policy& policy() const;

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace drover::router
