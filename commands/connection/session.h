// The client side of a connection to the router: find it, say who we are, learn fleet time, ask.
#pragma once

#include <chrono>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
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

inline constexpr const char* software_name = "drover 0.1.0";

struct SessionOptions {
  RouterAddress router;
  Role role = Role::client;
  std::string name = "client";
  std::chrono::milliseconds patience{3000};  // for the Welcome
};

class Session {
 public:
  /// Joins, and asks again until a Welcome comes or patience ends. The error for a router that is
  /// not there says how to start one; that for one which refuses us says how to mend it.
  static Result<std::unique_ptr<Session>> open(const SessionOptions& options);

  const RouterAddress& router() const { return options_.router; }
  const Welcome& welcome() const { return welcome_; }
  /// The router listens beyond loopback, and takes anyone who can reach it: it took us without
  /// keys.
  bool insecure() const { return insecure_; }
  Clock& clock() { return clock_; }
  Sockets& sockets() { return sockets_; }

  /// To the router. False when it could not go (its queue is full, or the connection is lost).
  bool send(Message message);
  bool send_join();
  /// To all that the router publishes; again after a Welcome: a router that was started anew may
  /// publish elsewhere.
  Status subscribe();

  struct Turn {
    std::vector<std::pair<Peer, Envelope>> messages;
    std::vector<int> ready_descriptors;
    /// A Welcome among the messages told another time than the clock's, by more than is lived
    /// through: the clock begins anew there.
    std::optional<TimeLeap> leap;
  };
  /// Waits once. Messages that do not decode, and a Welcome of a time that cannot be, are counted
  /// and dropped; a Welcome anchors the clock;
  /// a connection that came back is answered by a Join.
  Turn wait(std::chrono::milliseconds longest);
  std::uint64_t undecodable() const { return undecodable_; }

  /// To be called after each `wait` while an answer is expected. After 2 s without a word from the
  /// router it sends Join again, because the router may have forgotten us. After 5 s it replaces a
  /// connection that has keys: ZeroMQ keeps the old one open when the key is revoked, and refuses
  /// only a new one. `sockets().barred()` then gives the reason.
  void knock();

  /// Sends a request and waits for its answer; asks again every second, because a router that
  /// restarts forgets questions, and one that has too much to do turns them away. Other messages of
  /// the meantime are dropped. The error for a router that shuts us out by then says how to mend
  /// it.
  template <typename Answer>
  Result<Answer> ask(const Message& request, std::chrono::milliseconds patience);

 private:
  Session(SessionOptions options);
  void be_welcomed(const Welcome& welcome, Turn& turn);
  Status join();
  Error nobody_there() const;

  SessionOptions options_;
  Sockets sockets_;
  Welcome welcome_;
  Clock clock_{Instant{}, 1};
  std::uint64_t sequence_ = 0;
  std::uint64_t undecodable_ = 0;
  std::uint64_t connections_ = 0;
  std::optional<Wall> unanswered_since_;  // on this connection, without a word from the router
  Wall joined_{0};                        // the last Join
  std::string subscribed_;                // the endpoint
  std::string trouble_;                   // with the last Welcome that was dropped
  bool welcomed_ = false;
  bool insecure_ = false;
};

template <typename Answer>
Result<Answer> Session::ask(const Message& request, std::chrono::milliseconds patience) {
  const Wall end = wall_now() + patience;
  Wall ask_again{0};
  std::string turned_away;
  while (wall_now() < end) {
    if (wall_now() >= ask_again) {
      send(request);
      ask_again = wall_now() + std::chrono::seconds(1);
    }
    for (auto& [from, envelope] : wait(std::chrono::milliseconds(100)).messages) {
      if (auto* answer = std::get_if<Answer>(&envelope.body); answer && from == router_peer) {
        return std::move(*answer);
      }
      const auto* problem = std::get_if<Problem>(&envelope.body);
      if (problem == nullptr) continue;
      if (!problem->passing) return error("the router answers: {}", printable(problem->what));
      turned_away = problem->what;
    }
    knock();
  }
  if (const auto barred = sockets_.barred()) {
    return Error{barred_text(*barred, options_.router, "")};
  }
  if (!turned_away.empty()) {
    return error("the router at {} has too much to do: {}", options_.router.endpoint,
                 printable(turned_away));
  }
  return error("the router at {} did not answer within {} ms", options_.router.endpoint,
               patience.count());
}

}  // namespace drover::commands
