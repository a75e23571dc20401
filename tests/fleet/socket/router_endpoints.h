// A router's doors without keys, and who comes to them: through our own sockets, or with a socket
// of another make. Real sockets on loopback.
#pragma once

#include <chrono>
#include <functional>
#include <initializer_list>
#include <iterator>
#include <string>
#include <utility>
#include <vector>

#include <gtest/gtest.h>
#include <zmq.hpp>

#include "fleet/socket/socket.h"

namespace drover {

// Far longer than anything here takes; a broken promise fails, a slow machine does not.
inline constexpr std::chrono::seconds patience{60};
inline const std::string any_port = "tcp://127.0.0.1:*";

/// A router's doors on free ports, and what came in through them.
struct RouterEndpoints {
  Sockets sockets;
  Sockets::Bound bound;
  std::vector<Incoming> received;

  RouterEndpoints() {
    auto result = sockets.bind_router(any_port, any_port, any_port);
    if (!result) ADD_FAILURE() << result.error().message;
    bound = *std::move(result);
  }
  void turn() {
    auto taken = sockets.wait(std::chrono::milliseconds(5));
    std::move(taken.messages.begin(), taken.messages.end(), std::back_inserter(received));
  }
};

/// Somebody who connects to them.
struct TestClient {
  Sockets sockets;
  std::vector<Incoming> received;

  void turn() {
    auto taken = sockets.wait(std::chrono::milliseconds(5));
    std::move(taken.messages.begin(), taken.messages.end(), std::back_inserter(received));
  }
  std::uint64_t count_of(std::string_view bytes) const {
    std::uint64_t count = 0;
    for (const Incoming& incoming : received) count += incoming.bytes == bytes ? 1 : 0;
    return count;
  }
};

/// Gives both sides turns until `done`; false when patience ends first.
inline bool until(const std::function<bool()>& done,
                  std::initializer_list<std::function<void()>> turns) {
  const auto end = std::chrono::steady_clock::now() + patience;
  while (!done()) {
    if (std::chrono::steady_clock::now() > end) return false;
    for (const auto& turn : turns) turn();
  }
  return true;
}

/// Somebody with a socket of another make: frames as they like.
struct Stranger {
  zmq::context_t context;
  zmq::socket_t socket;

  Stranger(zmq::socket_type type, const std::string& endpoint, const std::string& id = "")
      : socket(context, type) {
    socket.set(zmq::sockopt::linger, 0);
    if (!id.empty()) socket.set(zmq::sockopt::routing_id, id);
    socket.connect(endpoint);
  }
  void send(const std::vector<std::string>& frames) {
    for (std::size_t index = 0; index < frames.size(); ++index) {
      const bool last = index + 1 == frames.size();
      socket.send(zmq::buffer(frames[index]),
                  last ? zmq::send_flags::none : zmq::send_flags::sndmore);
    }
  }
};

}  // namespace drover
