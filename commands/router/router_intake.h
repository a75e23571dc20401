// How a router reads its doors: agents before clients, each sender in its turn, and no more of
// anything than has room.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "commands/router/inbox.h"
#include "commands/shell/clock.h"
#include "fleet/socket/socket.h"

namespace drover::commands {

class RouterIntake {
 public:
  explicit RouterIntake(Sockets& sockets) : sockets_(sockets) {}

  struct Turn {
    std::vector<Incoming> samples;
    std::vector<Dropped> dropped;
  };
  /// Waits, unless messages wait here, and reads. `speaks_for_host`: whether this connection is an
  /// agent's, where keys do not tell.
  Turn read(std::chrono::milliseconds longest,
            const std::function<bool(const Peer&)>& speaks_for_host);

  /// Gives out what waits: agents' messages for some of a turn's time, then clients'. Each message
  /// is `serve`d, or dropped: put off where its sender must read its answers first.
  void serve(const std::function<void(const Incoming&)>& serve,
             const std::function<void(const Dropped&)>& drop);

 private:
  /// Whether there was room for it.
  bool take(Turn& turn, Incoming head, std::string_view bytes,
            const std::function<bool(const Peer&)>& speaks_for_host);
  std::optional<std::string> unread(const Incoming& message);
  void give_memory_back();

  Sockets& sockets_;
  Inbox inbox_;
  std::uint64_t given_back_at_ = 0;  // of the sockets' bytes
  Wall next_give_back_{0};
};

}  // namespace drover::commands
