#include "fleet/socket/frames.h"

#include <cerrno>
#include <cstdint>
#include <memory>
#include <utility>

#include "fleet/base/mutex.h"
#include "fleet/codec/codec.h"

namespace drover {
namespace {

// At the end of a process: long enough for a last reply on any network, and not noticeable.
constexpr int linger_ms = 250;
// A peer that connects and sends nothing is dropped after this time.
constexpr int handshake_ms = 5000;
// A dead link is detected after 3 s: measured with the far interface down (without this: never).
constexpr int heartbeat_every_ms = 1000;
constexpr int heartbeat_timeout_ms = 3000;
constexpr int heartbeat_ttl_ms = 4000;
// Peers without heartbeats, which are not Drover's, are checked by TCP keepalives.
constexpr int keepalive_idle_s = 10;
constexpr int keepalive_every_s = 5;
constexpr int keepalive_tries = 3;
// Bytes for a peer that does not read are kept no longer than this.
constexpr int unacknowledged_max_ms = 20'000;
// 10,000 agents reconnect in 2 s with this backlog, in 33 s with ZeroMQ's default of 100.
constexpr int backlog = 4096;
// ZeroMQ adds up to the same again at random. A restarted router waits at most 2 s for its peers.
constexpr int reconnect_ms = 100;
constexpr int reconnect_max_ms = 2000;
constexpr int connect_timeout_ms = 3000;

void set_common_options(zmq::socket_t& socket) {
  socket.set(zmq::sockopt::linger, linger_ms);
  socket.set(zmq::sockopt::maxmsgsize, static_cast<std::int64_t>(message_bytes_max));
  socket.set(zmq::sockopt::handshake_ivl, handshake_ms);
  socket.set(zmq::sockopt::tcp_keepalive, 1);
  socket.set(zmq::sockopt::backlog, backlog);
  socket.set(zmq::sockopt::reconnect_ivl, reconnect_ms);
  socket.set(zmq::sockopt::reconnect_ivl_max, reconnect_max_ms);
  socket.set(zmq::sockopt::connect_timeout, connect_timeout_ms);
}

}  // namespace

// One context, shared by all Sockets of the process and destroyed with the last of them. A static's
// destructor would wait for ever for a socket that exit() left open.
std::shared_ptr<zmq::context_t> shared_context() {
  static Mutex mutex;
  static std::weak_ptr<zmq::context_t> current DROVER_GUARDED_BY(mutex);
  const MutexLock lock(mutex);
  std::shared_ptr<zmq::context_t> context = current.lock();
  if (!context) {
    context = std::make_shared<zmq::context_t>();
    current = context;
  }
  return context;
}

void enable_heartbeats(zmq::socket_t& connecting) {
  connecting.set(zmq::sockopt::heartbeat_ivl, heartbeat_every_ms);
  connecting.set(zmq::sockopt::heartbeat_timeout, heartbeat_timeout_ms);
  connecting.set(zmq::sockopt::heartbeat_ttl, heartbeat_ttl_ms);
}

void enable_tcp_timeouts(zmq::socket_t& endpoint_socket) {
  endpoint_socket.set(zmq::sockopt::tcp_keepalive_idle, keepalive_idle_s);
  endpoint_socket.set(zmq::sockopt::tcp_keepalive_intvl, keepalive_every_s);
  endpoint_socket.set(zmq::sockopt::tcp_keepalive_cnt, keepalive_tries);
  endpoint_socket.set(zmq::sockopt::tcp_maxrt, unacknowledged_max_ms);
}

zmq::socket_t make_socket(zmq::context_t& context, zmq::socket_type type, int queue_max) {
  zmq::socket_t socket(context, type);
  set_common_options(socket);
  socket.set(zmq::sockopt::sndhwm, queue_max);
  socket.set(zmq::sockopt::rcvhwm, queue_max);
  return socket;
}

std::vector<zmq::message_t> receive_frames(zmq::socket_t& socket, std::size_t kept) {
  std::vector<zmq::message_t> frames;
  // A peer may send any number of frames; those beyond `kept` are dropped as they arrive.
  while (true) {
    zmq::message_t frame;
    // All frames of a message arrive together, so there is no wait between them.
    const int size = zmq_msg_recv(frame.handle(), socket.handle(), ZMQ_DONTWAIT);
    if (size < 0 && zmq_errno() == EINTR) continue;
    if (size < 0) return {};
    const bool more = frame.more();
    if (frames.size() < kept) frames.push_back(std::move(frame));
    if (!more) return frames;
  }
}

bool send_frame(zmq::socket_t& socket, std::string_view bytes, int flags) {
  while (true) {
    if (zmq_send(socket.handle(), bytes.data(), bytes.size(), flags | ZMQ_DONTWAIT) >= 0)
      return true;
    if (zmq_errno() != EINTR) return false;
  }
}

bool send_pair(zmq::socket_t& socket, std::string_view first, std::string_view second) {
  return send_frame(socket, first, ZMQ_SNDMORE) && send_frame(socket, second, 0);
}

std::optional<std::uint64_t> connection_number(const zmq::message_t& routing_id) {
  if (routing_id.size() != 5) return std::nullopt;
  const auto* bytes = routing_id.data<unsigned char>();
  if (bytes[0] != 0) return std::nullopt;
  std::uint64_t counter = 0;
  for (int index = 1; index < 5; ++index) counter = counter << 8 | bytes[index];
  return counter + 1;
}

std::array<char, 5> routing_id_of(std::uint64_t number) {
  const std::uint64_t counter = number - 1;
  std::array<char, 5> bytes{};
  for (int index = 1; index < 5; ++index) {
    bytes[static_cast<std::size_t>(index)] = static_cast<char>(counter >> (8 * (4 - index)) & 0xff);
  }
  return bytes;
}

std::optional<std::uint32_t> line_in(const zmq::message_t& frame) {
  if (frame.size() != 4) return std::nullopt;
  const auto* bytes = frame.data<unsigned char>();
  std::uint32_t line = 0;
  for (int index = 0; index < 4; ++index) line = line << 8U | bytes[index];
  if (line == 0 || line > lines_max) return std::nullopt;
  return line;
}

std::array<char, 4> line_frame(std::uint32_t line) {
  return {static_cast<char>(line >> 24U & 0xff), static_cast<char>(line >> 16U & 0xff),
          static_cast<char>(line >> 8U & 0xff), static_cast<char>(line & 0xff)};
}

std::string address_of_sender(const zmq::message_t& frame) {
  const char* address = zmq_msg_gets(frame.handle(), "Peer-Address");
  return address == nullptr ? "" : address;
}

}  // namespace drover
