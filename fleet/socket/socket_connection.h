// One connection to a router's door: the socket, what its monitor tells, and the mending of one
// that was refused. Only fleet/socket*.cpp include it.
//
// ZeroMQ gives up on a connection for good when its key is refused or when one end encrypts and the
// other does not. Keys are allowed later and routers are started anew with keys, so such a socket
// is replaced by a fresh one, again and again.
#pragma once

#include <chrono>
#include <cstdint>
#include <memory>
#include <optional>

#include <zmq.hpp>

#include "fleet/base/result.h"
#include "fleet/outbox.h"
#include "fleet/socket/socket.h"

namespace drover {

class Connection {
 public:
  using Moment = std::chrono::steady_clock::time_point;

  Connection(std::shared_ptr<zmq::context_t> context, Channel channel, Endpoint endpoint,
             std::optional<ClientKeys> keys);
  ~Connection() { close(); }
  Connection(const Connection&) = delete;
  Connection& operator=(const Connection&) = delete;

  /// A fresh socket in place of the present one, whose unsent messages are dropped.
  Status open();

  zmq::socket_t* socket() { return socket_ ? &*socket_ : nullptr; }
  zmq::socket_t* monitor() { return monitor_ ? &*monitor_ : nullptr; }

  /// Takes what the monitor tells, and opens a fresh socket when that is due.
  void follow(Moment now);
  /// When `follow` is to be called next without an event; none: not by itself.
  std::optional<Moment> mend_at() const { return mend_at_; }

  bool connected() const { return connected_; }
  /// This socket has been connected before.
  bool stood_once() const { return stood_once_; }
  std::uint64_t times_stood() const { return times_stood_; }
  std::optional<Barred> barred() const { return barred_; }

 private:
  zmq::socket_t make() const;
  void close();
  void watch(zmq::socket_t& socket);
  void hear(std::uint16_t event, std::uint32_t value, Moment now);
  void mend_later(Moment now);

  std::shared_ptr<zmq::context_t> context_;
  Channel channel_;
  Endpoint endpoint_;
  std::optional<ClientKeys> keys_;
  std::optional<zmq::socket_t> socket_;
  std::optional<zmq::socket_t> monitor_;
  bool connected_ = false;
  bool stood_once_ = false;
  std::uint64_t times_stood_ = 0;
  int unanswered_ = 0;  // handshakes in a row that ended without a word
  std::optional<Barred> barred_;
  std::optional<Moment> mend_at_;
  std::chrono::milliseconds patience_;
};

/// The address in ZeroMQ's words: binding takes numbers only, and IPv6 must be asked for.
std::string address_of(zmq::socket_t& socket, const Endpoint& endpoint);

// High-water marks, in messages per connection.
// Control: half a second of the most that one agent is ever assigned (about 300 bytes each).
inline constexpr int control_queue_max = 16'384;
// What comes in at a router's control door may be 1 MiB each. The router reads faster than anybody
// sends; while it does not, whoever sends is to wait, not this process's memory. With 16 a router
// takes half as many jobs a second.
inline constexpr int control_received_max = 64;
// Samples: a batch is at most 45 kB, and 10,000 devices on one host make ten at once; stale samples
// are worth less than memory.
inline constexpr int samples_queue_max = 64;
// Publish: some seconds of a busy fleet, 4 MB or so for each viewer that stands still.
inline constexpr int publish_queue_max = 8'192;

}  // namespace drover
