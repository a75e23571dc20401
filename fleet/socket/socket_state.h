// What `Sockets` holds: a router's doors, or connections to one. Only fleet/socket*.cpp include it.
#pragma once

#include <chrono>
#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include <zmq.hpp>

#include "fleet/socket/socket.h"
#include "fleet/socket/socket_backlog.h"
#include "fleet/socket/socket_connection.h"
#include "fleet/socket/socket_frames.h"
#include "fleet/socket/socket_gate.h"

namespace drover {

struct Sockets::State {
  std::shared_ptr<zmq::context_t> context = shared_context();
  // One of each at most. `serves` tells the router's doors from the others' connections.
  bool serves = false;
  std::optional<zmq::socket_t> control, samples, publish;  // the doors
  std::map<Channel, Connection> connections;
  std::unique_ptr<Gate> gate;
  Backlog backlog;  // of a router's control door
  std::optional<ClientKeys> keys;
  std::string publish_endpoint;
  std::vector<int> descriptors;
  std::set<std::string, std::less<>> subscribed;  // topics, "" for all; ever
  std::uint64_t traffic = 0, drops = 0, oversize = 0, malformed = 0;

  Result<std::string> bind(std::optional<zmq::socket_t>& place, zmq::socket_type type,
                           int queue_max, const std::string& text);
  Status connect(Channel channel, const std::string& text);
  const Connection* control_connection() const;
  void follow_connections();
  void reopen_publish();
  std::chrono::milliseconds wait_max(std::chrono::milliseconds wait) const;
  void serve_subscriptions(Turn& turn);
  struct Intake {
    const Take& take;
    std::size_t messages = 0;
    std::size_t kept_bytes = 0;
  };
  bool take_one(Channel channel, Turn& turn, Intake& intake);
  bool send_control(std::uint64_t number, std::string_view bytes);
  std::optional<std::string> sort(const std::vector<zmq::message_t>& frames, Peer& from) const;
  /// `asked`: what was refused, of somebody who may not have it; empty: it was no message.
  void drop(const std::vector<zmq::message_t>& frames, Peer from, std::string why, Turn& turn,
            std::string asked = {});
  bool send(const Peer& to, std::string_view bytes);
  zmq::socket_t* socket_of(Channel channel);
};

}  // namespace drover
