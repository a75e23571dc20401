#include "fleet/socket/connection.h"

#include <algorithm>
#include <atomic>
#include <cstring>
#include <string>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "fleet/socket/frames.h"

namespace drover {
namespace {

using std::chrono::milliseconds;

// A newly allowed key connects within `retry_delay_max` plus the time the router needs to read its
// keys.
constexpr milliseconds retry_delay_first{250};
constexpr milliseconds retry_delay_max{4000};

// A router that ends during a handshake does not answer either, but not twice in a row.
constexpr int unanswered_max = 2;
// With keys, a router without them may hang up before its greeting is read, on a loaded machine
// several times in a row. One greeting that is read tells it apart from a router with another key.
// So the verdict waits for a dozen tries (ZeroMQ makes one every 100 to 200 ms) or, on slow links,
// for 1.5 s: a client waits 3 s for its router.
constexpr int unanswered_with_keys_max = 12;
constexpr milliseconds unanswered_with_keys_for{1500};

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
                       std::optional<ClientKeys> keys, std::string_view topic)
    : context_(std::move(context)),
      channel_(channel),
      endpoint_(std::move(endpoint)),
      keys_(std::move(keys)),
      topic_(topic),
      retry_delay_(retry_delay_first) {}

zmq::socket_t Connection::make() const {
  switch (channel_) {
    case Channel::control:
      return make_socket(*context_, zmq::socket_type::dealer, control_queue_max);
    case Channel::samples: {
      zmq::socket_t socket = make_socket(*context_, zmq::socket_type::pub, samples_queue_max);
      // Old samples are not kept for a router that reconnects; a full queue is reported as a drop.
      socket.set(zmq::sockopt::immediate, true);
      socket.set(zmq::sockopt::xpub_nodrop, true);
      return socket;
    }
    default: {
      zmq::socket_t socket = make_socket(*context_, zmq::socket_type::sub, publish_queue_max);
      socket.set(zmq::sockopt::subscribe, topic_);
      return socket;
    }
  }
}

Status Connection::open() {
  // Messages for the old connection must not be sent late or twice.
  if (socket_) socket_->set(zmq::sockopt::linger, 0);
  close();
  connected_ = was_connected_ = false;
  unanswered_ = 0;
  reconnect_at_.reset();
  try {
    zmq::socket_t socket = make();
    enable_heartbeats(socket);
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
    return error(ErrorKind::io, "{}: cannot connect: {}", endpoint_.to_text(), problem.what());
  }
  return {};
}

// ZeroMQ's thread waits for the reader of a socket's events. So the monitoring is stopped first,
// then the socket is closed, and then the reader: in another order the thread may block for ever.
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
void Connection::process_events(SteadyTime now) {
  while (monitor_) {
    const std::vector<zmq::message_t> frames = receive_frames(*monitor_);
    if (frames.empty()) break;
    std::uint16_t event = 0;
    std::uint32_t value = 0;
    if (frames[0].size() < sizeof event + sizeof value) continue;
    std::memcpy(&event, frames[0].data(), sizeof event);
    std::memcpy(&value, frames[0].data<char>() + sizeof event, sizeof value);
    handle_event(event, value, now);
  }
  if (!reconnect_at_ || now < *reconnect_at_) return;
  // Opening fails for example without free descriptors; it is retried.
  if (const Status opened = open(); !opened) schedule_reconnect(now);
}

void Connection::handle_event(std::uint16_t event, std::uint32_t value, SteadyTime now) {
  connected_ = event == ZMQ_EVENT_HANDSHAKE_SUCCEEDED;
  switch (event) {
    case ZMQ_EVENT_HANDSHAKE_SUCCEEDED:
      was_connected_ = true;
      ++connect_count_;
      unanswered_ = 0;
      connect_refusal_.reset();
      retry_delay_ = retry_delay_first;
      break;
    case ZMQ_EVENT_HANDSHAKE_FAILED_AUTH:
      connect_refusal_ = ConnectRefusal::key;
      schedule_reconnect(now);
      break;
    case ZMQ_EVENT_HANDSHAKE_FAILED_PROTOCOL:
      if (value == ZMQ_PROTOCOL_ERROR_ZMTP_MECHANISM_MISMATCH) {
        connect_refusal_ = keys_ ? ConnectRefusal::encryption : ConnectRefusal::plain_text;
      }
      schedule_reconnect(now);
      break;
    case ZMQ_EVENT_HANDSHAKE_FAILED_NO_DETAIL:
      // ZeroMQ retries by itself. Either end may notice first that the mechanisms differ; the other
      // one sees only this event.
      if (unanswered_++ == 0) unanswered_since_ = now;
      if (is_refused(now)) {
        connect_refusal_ = keys_ ? ConnectRefusal::router_key : ConnectRefusal::plain_text;
      }
      break;
    default:
      break;
  }
}

// Whether so many handshakes without an answer are a refusal.
bool Connection::is_refused(SteadyTime now) const {
  if (unanswered_ < unanswered_max) return false;
  return !keys_ || unanswered_ >= unanswered_with_keys_max ||
         now - unanswered_since_ >= unanswered_with_keys_for;
}

void Connection::schedule_reconnect(SteadyTime now) {
  if (reconnect_at_ && *reconnect_at_ > now) return;
  reconnect_at_ = now + retry_delay_;
  retry_delay_ = std::min(2 * retry_delay_, retry_delay_max);
}

}  // namespace drover
