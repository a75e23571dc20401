// A client's connection to the router: it joins, keeps the fleet's clock, and sends requests.
#pragma once

#include <chrono>
#include <memory>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "commands/connection/fleet_time_bounds.h"
#include "commands/connection/router_address.h"
#include "commands/shell/clock.h"
#include "commands/shell/options.h"
#include "fleet/base/text.h"
#include "fleet/codec/codec.h"
#include "fleet/messages.h"
#include "fleet/socket/socket.h"

namespace drover::commands {

// How long a router may be silent before its connection is replaced by a new one.
/// For a command that waits for an answer. A router answers Join at once, so a connection that is
/// silent for this long is dead.
inline constexpr WallSpan client_connection_timeout = std::chrono::seconds(5);
/// For an agent. A router answers each of its heartbeats.
inline constexpr WallSpan agent_connection_timeout = std::chrono::seconds(8);

struct SessionOptions {
  RouterAddress router;
  Role role = Role::client;
  std::string name = "client";
  std::chrono::milliseconds timeout{3000};  // for the JoinAccepted
};

class Session {
 public:
  /// Sends Join until JoinAccepted arrives or the timeout passes. The error says how to start a
  /// router if none answers, and how to fix it if the router refuses the client.
  static Result<std::unique_ptr<Session>> open(const SessionOptions& options);

  const RouterAddress& router() const { return options_.router; }
  const JoinAccepted& welcome() const { return welcome_; }
  /// The router listens beyond loopback and accepts clients without keys.
  bool insecure() const { return insecure_; }
  Clock& clock() { return clock_; }
  Sockets& sockets() { return sockets_; }

  /// Sends to the router. False if the queue is full or the connection is lost.
  bool send(Message message);
  bool send_join();
  /// Subscribes to the published stream. Call it after each JoinAccepted: a router that was
  /// restarted may publish at another endpoint.
  Status subscribe();

  struct PollResult {
    std::vector<std::pair<Peer, Envelope>> messages;
    /// Set if a JoinAccepted among the messages reported a time too far from the clock's. The clock
    /// was then set to the new time.
    std::optional<ClockJump> clock_jump;
  };
  /// Waits once. Drops and counts messages that do not decode and JoinAccepted with an invalid
  /// time. Anchors the clock at each JoinAccepted. Sends Join when a lost connection is back.
  PollResult wait(std::chrono::milliseconds longest);
  std::uint64_t undecodable() const { return undecodable_; }

  /// Call it after each `wait` while an answer is expected. After 2 s without a message from the
  /// router it sends Join again, because the router may have restarted. After 5 s it replaces a
  /// connection that has keys: ZeroMQ keeps the old one open when the key is revoked, and refuses
  /// only a new one. `sockets().connect_refusal()` then gives the reason.
  void try_join();

  /// Sends a request and waits for its answer. Repeats the request every second, because a router
  /// that restarts loses requests and an overloaded one rejects them. Drops other messages that
  /// arrive meanwhile. If the router refuses the client, the error says how to fix it.
  template <typename Answer>
  Result<Answer> ask(const Message& request, std::chrono::milliseconds timeout);

 private:
  Session(SessionOptions options);
  void handle_join_accepted(const JoinAccepted& welcome, PollResult& turn);
  Status join();
  Error no_router_error() const;

  SessionOptions options_;
  Sockets sockets_;
  JoinAccepted welcome_;
  Clock clock_{Instant{}, 1};
  std::uint64_t sequence_ = 0;
  std::uint64_t undecodable_ = 0;
  std::uint64_t connections_ = 0;
  std::optional<WallTime> unanswered_since_;  // on this connection, since the router's last message
  WallTime joined_{};                         // the last Join
  std::string subscribed_;                    // the endpoint
  std::string welcome_problem_;               // with the last JoinAccepted that was dropped
  bool welcomed_ = false;
  bool insecure_ = false;
};

/// Reports on standard error that the router refuses a client that it had accepted before. For
/// commands that keep running and have no screen.
class ConnectRefusalNotice {
 public:
  /// `command`: the prefix of the line, "drover record".
  explicit ConnectRefusalNotice(std::string command) : command_(std::move(command)) {}

  /// Returns whether the router refuses the client now. Each reason is reported once until the
  /// router accepts the client again; the sockets retry by themselves.
  bool update(Session& session);

 private:
  std::string command_;
  std::optional<ConnectRefusal> reported_;
};

/// The login name of the user that runs this process, or `otherwise` if the system has none. The
/// router's records and replies use it. It is not authenticated; with a key, the router puts the
/// key's name before it.
std::string user_name(const std::string& otherwise);

template <typename Answer>
Result<Answer> Session::ask(const Message& request, std::chrono::milliseconds timeout) {
  const WallTime end = wall_now() + timeout;
  WallTime ask_again{};
  std::string rejection;
  while (wall_now() < end) {
    if (wall_now() >= ask_again) {
      send(request);
      ask_again = wall_now() + std::chrono::seconds(1);
    }
    for (auto& [from, envelope] : wait(std::chrono::milliseconds(100)).messages) {
      if (auto* answer = std::get_if<Answer>(&envelope.body); answer && from == router_peer) {
        return std::move(*answer);
      }
      const auto* problem = std::get_if<RequestError>(&envelope.body);
      if (problem == nullptr) continue;
      if (!problem->retryable) {
        return error(ErrorKind::refused, "the router refused the request: {}",
                     printable(problem->what));
      }
      rejection = problem->what;
    }
    try_join();
  }
  if (const auto connect_refusal = sockets_.connect_refusal()) {
    return error(ErrorKind::refused, "{}",
                 connect_refusal_text(*connect_refusal, options_.router, ""));
  }
  if (!rejection.empty()) {
    return error(ErrorKind::lost, "the router at {} is overloaded: {}", options_.router.endpoint,
                 printable(rejection));
  }
  return error(ErrorKind::lost, "the router at {} did not answer within {} ms",
               options_.router.endpoint, timeout.count());
}

}  // namespace drover::commands
