// The state of `Sockets`: a router's endpoints, or the connections to a router.
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

#include "fleet/socket/backlog.h"
#include "fleet/socket/connection.h"
#include "fleet/socket/frames.h"
#include "fleet/socket/socket.h"
#include "fleet/socket/zap_authenticator.h"

namespace drover {

struct Sockets::State {
  std::shared_ptr<zmq::context_t> context = shared_context();
  bool serves = false;                                     // this is a router
  std::optional<zmq::socket_t> control, samples, publish;  // a router's endpoints
  std::map<Channel, Connection> connections;
  std::unique_ptr<ZapAuthenticator> authenticator;
  Backlog backlog;  // of a router's control endpoint
  std::optional<ClientKeys> keys;
  std::string publish_endpoint;
  std::vector<int> descriptors;
  std::set<Topic> subscribed;  // topics that ever had a subscriber
  std::uint64_t traffic = 0, drops = 0, oversize = 0, malformed = 0;

  Result<std::string> bind(std::optional<zmq::socket_t>& place, zmq::socket_type type,
                           int queue_max, const std::string& text);
  /// `topic`: what a connection to the publish endpoint subscribes to; empty: all topics.
  Status connect(Channel channel, const std::string& text, std::string_view topic = "");
  const Connection* control_connection() const;
  void follow_connections();
  void reopen_publish();
  std::chrono::milliseconds wait_max(std::chrono::milliseconds wait) const;
  void serve_subscriptions(PollResult& turn);
  void subscribe(std::string_view wanted, bool begins);
  struct Intake {
    const Take& take;
    std::size_t messages = 0;
    std::size_t buffered_bytes = 0;
  };
  bool take_one(Channel channel, PollResult& turn, Intake& intake);
  bool send_control(std::uint64_t peer, std::string_view bytes);
  std::optional<std::string> sort(const std::vector<zmq::message_t>& frames, Peer& from) const;
  /// `asked`: what was refused to a peer without the permission; empty: it was not a message.
  void drop(const std::vector<zmq::message_t>& frames, Peer from, std::string why, PollResult& turn,
            std::string asked = {});
  bool send(const Peer& to, std::string_view bytes);
  zmq::socket_t* socket_of(Channel channel);
};

}  // namespace drover
