#include "fleet/socket/socket_connection.h"

#include <algorithm>
#include <atomic>
#include <cstring>
#include <string>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "fleet/socket/socket_frames.h"

namespace drover {
namespace {

using std::chrono::milliseconds;

// A key that is allowed at last gets in within `mend_max` and what the router needs to notice.
constexpr milliseconds mend_first{250};
constexpr milliseconds mend_max{4000};

// A router that ends in the middle of a handshake says nothing either; it does not do so twice.
constexpr int unanswered_max = 2;

constexpr int events_watched =
    ZMQ_EVENT_HANDSHAKE_SUCCEEDED | ZMQ_EVENT_DISCONNECTED | ZMQ_EVENT_HANDSHAKE_FAILED_AUTH |
    ZMQ_EVENT_HANDSHAKE_FAILED_PROTOCOL | ZMQ_EVENT_HANDSHAKE_FAILED_NO_DETAIL;

}  // namespace

std::string address_of(zmq::socket_t& socket, const Endpoint& endpoint) {
  const bool six = endpoint.host.find(':') != std::string::npos;
  socket.set(zmq::sockopt::ipv6, six);
  const bool named_loopback = endpoint.host == "localhost";
  return Endpoint{named_loopback ? "127.0.0.1" : endpoint.host, endpoint.port}.to_text();
}

Connection::Connection(std::shared_ptr<zmq::context_t> context, Channel channel, Endpoint endpoint,
                       std::optional<ClientKeys> keys)
    : context_(std::move(context)),
      channel_(channel),
      endpoint_(std::move(endpoint)),
      keys_(std::move(keys)),
      patience_(mend_first) {}

zmq::socket_t Connection::make() const {
  switch (channel_) {
    case Channel::control:
      return make_socket(*context_, zmq::socket_type::dealer, control_queue_max);
    case Channel::samples: {
      zmq::socket_t socket = make_socket(*context_, zmq::socket_type::pub, samples_queue_max);
      // Old telemetry is not kept for a router that comes back; what finds its queue full is told.
      socket.set(zmq::sockopt::immediate, true);
      socket.set(zmq::sockopt::xpub_nodrop, true);
      return socket;
    }
    default: {
      zmq::socket_t socket = make_socket(*context_, zmq::socket_type::sub, publish_queue_max);
      socket.set(zmq::sockopt::subscribe, "");
      return socket;
    }
  }
}

Status Connection::open() {
  // What was meant for the old connection must not go out late and twice.
  if (socket_) socket_->set(zmq::sockopt::linger, 0);
  close();
  connected_ = stood_once_ = false;
  unanswered_ = 0;
  mend_at_.reset();
  try {
    zmq::socket_t socket = make();
    ask_for_signs_of_life(socket);
    if (keys_) {
      socket.set(zmq::sockopt::maxmsgsize, encrypted_bytes_max);
      socket.set(zmq::sockopt::curve_serverkey, keys_->router_key);
      socket.set(zmq::sockopt::curve_publickey, keys_->key);
      socket.set(zmq::sockopt::curve_secretkey, keys_->secret);
    }
    socket_.emplace(std::move(socket));
    watch(*socket_);
    socket_->connect(address_of(*socket_, endpoint_));
  } catch (const zmq::error_t& problem) {
    close();
    return error("{}: cannot connect: {}", endpoint_.to_text(), problem.what());
  }
  return {};
}

// ZeroMQ's thread waits for whoever listens to a socket's events. So the telling ends first, then
// the socket, and only then the listener: in another order that thread may wait for ever.
void Connection::close() {
  if (socket_) zmq_socket_monitor(socket_->handle(), nullptr, 0);
  socket_.reset();
  monitor_.reset();
}

void Connection::watch(zmq::socket_t& socket) {
  static std::atomic<std::uint64_t> named{0};
  const std::string name = fmt::format("inproc://drover-connection-{}", ++named);
  if (zmq_socket_monitor(socket.handle(), name.c_str(), events_watched) != 0) {
    throw zmq::error_t();
  }
  zmq::socket_t listener(*context_, zmq::socket_type::pair);
  listener.set(zmq::sockopt::linger, 0);
  listener.connect(name);
  monitor_.emplace(std::move(listener));
}

// An event is a frame of a 16-bit number and a 32-bit value, then a frame with the address.
void Connection::follow(Moment now) {
  while (monitor_) {
    const std::vector<zmq::message_t> frames = receive_frames(*monitor_);
    if (frames.empty()) break;
    std::uint16_t event = 0;
    std::uint32_t value = 0;
    if (frames[0].size() < sizeof event + sizeof value) continue;
    std::memcpy(&event, frames[0].data(), sizeof event);
    std::memcpy(&value, frames[0].data<char>() + sizeof event, sizeof value);
    hear(event, value, now);
  }
  if (!mend_at_ || now < *mend_at_) return;
  // Without descriptors, say, there is no socket: the next time may be better.
  if (const Status opened = open(); !opened) mend_later(now);
}

void Connection::hear(std::uint16_t event, std::uint32_t value, Moment now) {
  connected_ = event == ZMQ_EVENT_HANDSHAKE_SUCCEEDED;
  switch (event) {
    case ZMQ_EVENT_HANDSHAKE_SUCCEEDED:
      stood_once_ = true;
      ++times_stood_;
      unanswered_ = 0;
      barred_.reset();
      patience_ = mend_first;
      break;
    case ZMQ_EVENT_HANDSHAKE_FAILED_AUTH:
      barred_ = Barred::key;
      mend_later(now);
      break;
    case ZMQ_EVENT_HANDSHAKE_FAILED_PROTOCOL:
      if (value == ZMQ_PROTOCOL_ERROR_ZMTP_MECHANISM_MISMATCH) {
        barred_ = keys_ ? Barred::encryption : Barred::plain_text;
      }
      mend_later(now);
      break;
    case ZMQ_EVENT_HANDSHAKE_FAILED_NO_DETAIL:
      // ZeroMQ tries this one again by itself. Which end notices first that mechanisms differ is
      // chance: the other one sees no more than this.
      if (++unanswered_ >= unanswered_max) {
        barred_ = keys_ ? Barred::router_key : Barred::plain_text;
      }
      break;
    default:
      break;
  }
}

void Connection::mend_later(Moment now) {
  if (mend_at_ && *mend_at_ > now) return;
  mend_at_ = now + patience_;
  patience_ = std::min(2 * patience_, mend_max);
}

}  // namespace drover
