// Reads the router's endpoints: agents before clients, senders in turn, and within memory limits.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "commands/router/inbox.h"
#include "commands/shell/clock.h"
#include "fleet/socket/socket.h"

namespace drover::commands {

class RouterIngress {
 public:
  explicit RouterIngress(Sockets& sockets) : sockets_(sockets) {}

  struct IngressBatch {
    std::vector<Incoming> samples;
    std::vector<Dropped> dropped;
  };
  /// Reads; waits only if no message is queued. `speaks_for_host`: whether a connection without a
  /// key is an agent's.
  IngressBatch read(std::chrono::milliseconds longest,
                    const std::function<bool(const Peer&)>& speaks_for_host);

  /// Handles queued messages: agents' for a part of the turn, then clients'. Calls `serve` for each
  /// message, or `drop` if the sender's key was revoked or the sender must first read its answers.
  void serve(const std::function<void(const Incoming&)>& serve,
             const std::function<void(const Dropped&)>& drop);

 private:
  /// Returns false if the message was rejected.
  bool take(IngressBatch& turn, Incoming head, std::string_view bytes,
            const std::function<bool(const Peer&)>& speaks_for_host);
  std::optional<std::string> unread_answers(const Incoming& message);
  void release_free_memory();

  Sockets& sockets_;
  Inbox inbox_;
  std::uint64_t released_at_bytes_ = 0;  // the sockets' byte count at the last release
  WallTime next_release_{};
};

}  // namespace drover::commands
