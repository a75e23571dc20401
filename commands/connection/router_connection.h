// When a peer of a router sends Join, when the router counts as silent, and when the connection is
// replaced by a new one. Commands, dashboards and agents follow the same rules with the same time
// limits. Pure: time is an argument, and the caller sends and reconnects.
#pragma once

#include <cstdint>
#include <optional>

#include "commands/connection/fleet_time_bounds.h"
#include "commands/shell/clock.h"
#include "fleet/messages.h"

namespace drover::commands {

/// A Join that was not answered is sent again after this time.
inline constexpr WallSpan join_interval = std::chrono::seconds(1);
/// The router is silent when an expected message has not arrived for this long. It may have
/// restarted: Join is sent again.
inline constexpr WallSpan router_silence_max = std::chrono::seconds(3);
/// A router that had no room for this peer is asked again after this time.
inline constexpr WallSpan room_interval = std::chrono::seconds(5);

// After this silence the connection is replaced: ZeroMQ keeps the old one open when its key is
// revoked, and refuses only a new one.
/// For a command that waits for an answer. A router answers Join at once, so a connection that is
/// silent for this long is dead.
inline constexpr WallSpan client_connection_timeout = std::chrono::seconds(5);
/// For an agent. A router answers each of its heartbeats.
inline constexpr WallSpan agent_connection_timeout = std::chrono::seconds(8);

class RouterConnection {
 public:
  /// `replace_after`: the silence after which the connection is replaced. None: never.
  explicit RouterConnection(std::optional<WallSpan> replace_after = std::nullopt)
      : replace_after_(replace_after) {}

  /// From now on the router sends messages all the time, not only answers: it answers each
  /// heartbeat of an agent, and publishes its totals twice a second.
  void expect_messages(WallTime now);
  /// A message to the router was sent, which it answers.
  void sent(WallTime now);
  /// A message of the router has arrived.
  void received(WallTime now);
  /// How often the connection has been established so far. A new one may lead to a router that was
  /// restarted: Join is due. Returns whether it is new.
  bool established(std::uint64_t connections);
  /// The router does not know this peer: it has restarted.
  void forgotten() { join_needed_ = true; }
  /// The router may accept this peer later.
  void rejected_for_now(WallTime now);
  /// The next JoinAccepted starts the clock, like the first one. Join is due.
  void restart();

  struct Joined {
    bool starts_clock = false;            // else its time only corrects the clock
    std::optional<ClockJump> clock_jump;  // of a clock that ran already
  };
  /// The router accepted this peer. `here`: the fleet time of this peer's clock.
  Joined accepted(const JoinAccepted& welcome, Instant here);

  /// How long the expected message has not arrived; 0: none is expected.
  WallSpan silence(WallTime now) const;
  bool silent(WallTime now) const { return silence(now) >= router_silence_max; }
  /// Whether to send Join now.
  bool take_join(WallTime now);
  /// Whether to replace the connection now.
  bool take_replacement(WallTime now);
  /// When the next of the two may be due.
  WallTime next_deadline() const;

 private:
  WallTime join_due() const;
  WallTime replacement_due() const;

  std::optional<WallSpan> replace_after_;
  bool expects_messages_ = false;
  bool join_needed_ = true;
  bool clock_runs_ = false;
  std::optional<WallTime> expected_since_;  // the next message of the router
  WallTime join_from_ = WallTime::min();    // no Join before
  WallTime replaced_ = WallTime::min();
  std::uint64_t connections_ = 0;
};

}  // namespace drover::commands
