// One connection to an endpoint of a router: the socket, the events of its monitor, and the
// reconnection after a refusal.
//
// ZeroMQ gives up on a connection for good when its key is refused or when only one end encrypts.
// Keys may be allowed later and routers may be restarted with keys, so such a socket is replaced by
// a new one until it connects.
#pragma once

#include <chrono>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include <zmq.hpp>

#include "fleet/base/result.h"
#include "fleet/outbox.h"
#include "fleet/socket/socket.h"

namespace drover {

class Connection {
 public:
  using SteadyTime = std::chrono::steady_clock::time_point;

  Connection(std::shared_ptr<zmq::context_t> context, Channel channel, Endpoint endpoint,
             std::optional<ClientKeys> keys, std::string_view topic = "");
  ~Connection() { close(); }
  Connection(const Connection&) = delete;
  Connection& operator=(const Connection&) = delete;

  /// Replaces the socket with a new one. Unsent messages are dropped.
  Status open();

  zmq::socket_t* socket() { return socket_ ? &*socket_ : nullptr; }
  zmq::socket_t* monitor() { return monitor_ ? &*monitor_ : nullptr; }

  /// Handles the monitor's events, and opens a new socket when that is due.
  void process_events(SteadyTime now);
  /// When `process_events` must be called next even without an event; none: no such time.
  std::optional<SteadyTime> reconnect_at() const { return reconnect_at_; }

  bool connected() const { return connected_; }
  /// Whether this socket has ever been connected.
  bool was_connected() const { return was_connected_; }
  std::uint64_t connect_count() const { return connect_count_; }
  std::optional<ConnectRefusal> connect_refusal() const { return connect_refusal_; }

 private:
  zmq::socket_t make() const;
  void close();
  void watch(zmq::socket_t& socket);
  void handle_event(std::uint16_t event, std::uint32_t value, SteadyTime now);
  bool is_refused(SteadyTime now) const;
  void schedule_reconnect(SteadyTime now);

  std::shared_ptr<zmq::context_t> context_;
  Channel channel_;
  Endpoint endpoint_;
  std::optional<ClientKeys> keys_;
  std::string topic_;  // to subscribe to, of the publish channel; empty: all
  std::optional<zmq::socket_t> socket_;
  std::optional<zmq::socket_t> monitor_;
  bool connected_ = false;
  bool was_connected_ = false;
  std::uint64_t connect_count_ = 0;
  int unanswered_ = 0;             // consecutive handshakes without an answer
  SteadyTime unanswered_since_{};  // the first of them
  std::optional<ConnectRefusal> connect_refusal_;
  std::optional<SteadyTime> reconnect_at_;
  std::chrono::milliseconds retry_delay_;
};

/// The address as ZeroMQ requires it: binding needs numeric addresses, and IPv6 must be enabled on
/// the socket.
std::string address_of(zmq::socket_t& socket, const Endpoint& endpoint);

// High-water marks, in messages per connection.
// Control: half a second at the maximum rate of assignments to one agent (about 300 bytes each).
inline constexpr int control_queue_max = 16'384;
// Messages received at a router's control endpoint may be 1 MiB each. When the router reads more
// slowly than peers send, the peers must wait, so that this process's memory stays bounded. With 16
// a router accepts half as many jobs per second.
inline constexpr int control_received_max = 64;
// Samples: a batch is at most 45 kB, and 10,000 devices on one host make ten at once. Old samples
// are dropped rather than buffered.
inline constexpr int samples_queue_max = 64;
// Publish: some seconds of a busy fleet. Bundles have at most 128 KiB, so a viewer that does not
// read takes at most 128 MiB, and 4 MB of a fleet that says little.
inline constexpr int publish_queue_max = 1'024;

}  // namespace drover
