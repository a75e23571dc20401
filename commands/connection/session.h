// A client's connection to the router: it joins, keeps the fleet's clock, and sends requests.
#pragma once

#include <chrono>
#include <deque>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "commands/connection/fleet_time_bounds.h"
#include "commands/connection/router_address.h"
#include "commands/connection/router_connection.h"
#include "commands/shell/clock.h"
#include "commands/shell/options.h"
#include "fleet/codec/codec.h"
#include "fleet/messages.h"
#include "fleet/socket/socket.h"

namespace drover::commands {

/// How long a command waits for what it asked a router.
inline constexpr std::chrono::milliseconds answer_timeout{5000};

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
  /// `refusal`: set if the router refuses the connection itself.
  static Result<std::unique_ptr<Session>> open(const SessionOptions& options,
                                               std::optional<ConnectRefusal>* refusal = nullptr);

  const RouterAddress& router() const { return options_.router; }
  const JoinAccepted& welcome() const { return welcome_; }
  /// The router listens beyond loopback and accepts clients without keys.
  bool insecure() const { return insecure_; }
  Clock& clock() { return clock_; }
  Sockets& sockets() { return sockets_; }

  /// Sends to the router. False if the queue is full or the connection is lost.
  bool send(Message message);
  /// Subscribes to the published stream. Call it after each JoinAccepted: a router that was
  /// restarted may publish at another endpoint.
  Status subscribe();

  struct PollResult {
    std::vector<std::pair<Peer, Envelope>> messages;
    std::vector<std::string> encoded;  // each of them, as it came
    /// Set if a JoinAccepted among the messages reported a time too far from the clock's. The clock
    /// was then set to the new time.
    std::optional<ClockJump> clock_jump;
  };
  /// Waits once, unless messages of the last time are left: a bundle of many is passed on in parts,
  /// so that a user's keys need not wait for all of them. Drops and counts messages that do not
  /// decode and JoinAccepted with an invalid time. Anchors the clock at each JoinAccepted. Sends
  /// Join when a lost connection is back.
  PollResult wait(std::chrono::milliseconds longest);
  /// Whether messages that have come are left for the next `wait`.
  bool has_more() const { return !bundled_.empty() || !arrived_.empty(); }
  std::uint64_t undecodable() const { return undecodable_; }

  /// The same, at most until this time.
  PollResult wait_until(WallTime latest);

  /// Call it after each `wait` while messages of the router are expected: answers or, once
  /// subscribed, the stream. It sends Join to a silent router, and replaces a connection that has
  /// keys. `sockets().connect_refusal()` then says whether the key was revoked.
  void keep_joined();
  /// Whether an expected message has not arrived for `router_silence_max`.
  bool silent() const { return connection_.silent(wall_now()); }

  /// Sends a request, and passes the router's messages to `take` until it returns true. Repeats the
  /// request every second, because a router that restarts loses requests and an overloaded one
  /// rejects them. If the router refuses the client, the error says how to fix it.
  using Take = std::function<bool(Message& body)>;
  Status ask_until(const Message& request, std::chrono::milliseconds timeout, const Take& take);

  /// Sends a request and waits for its answer. Drops other messages that arrive meanwhile.
  template <typename Answer>
  Result<Answer> ask(const Message& request, std::chrono::milliseconds timeout = answer_timeout);

 private:
  explicit Session(SessionOptions options);
  void join_when_due(WallTime now);
  void receive(std::chrono::milliseconds longest);
  void pass_on(Incoming incoming, PollResult& turn);
  void pass_on_bundled(std::string bytes, PollResult& turn);
  void handle_join_accepted(const JoinAccepted& welcome, PollResult& turn);
  Status join();
  Error no_router_error() const;

  SessionOptions options_;
  Sockets sockets_;
  JoinAccepted welcome_;
  Clock clock_{Instant{}, 1};
  std::uint64_t sequence_ = 0;
  std::uint64_t undecodable_ = 0;
  RouterConnection connection_;
  std::deque<Incoming> arrived_;     // not yet passed on
  std::deque<std::string> bundled_;  // of the bundle that came before them
  std::string subscribed_;           // the endpoint
  std::string welcome_problem_;      // with the last JoinAccepted that was dropped
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

/// The login name of the user that runs this process, or `otherwise` if the system has none.
std::string user_name(const std::string& otherwise);
/// Who acts here, as the name of a session: that user (or `otherwise`, if no message can carry the
/// name), a colon, and this host's name. The router's records and replies show it as "ann@node-7".
/// It is not authenticated; with a key, the router puts the key's name before it.
std::string user_and_host(const std::string& otherwise);

template <typename Answer>
Result<Answer> Session::ask(const Message& request, std::chrono::milliseconds timeout) {
  std::optional<Answer> answer;
  const Status asked = ask_until(request, timeout, [&](Message& body) {
    if (auto* found = std::get_if<Answer>(&body)) answer = std::move(*found);
    return answer.has_value();
  });
  if (!asked) return asked.error();
  return *std::move(answer);
}

}  // namespace drover::commands
