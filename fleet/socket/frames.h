// Common to all ZeroMQ sockets of this process: the context, the options, sending and receiving
// whole messages.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <zmq.hpp>

#include "fleet/codec/codec.h"

namespace drover {

/// The process's one context. The first caller creates it; it ends with its last owner.
std::shared_ptr<zmq::context_t> shared_context();

/// A socket with the common options and queues of `queue_max` messages in each direction of each
/// connection. Throws zmq::error_t.
zmq::socket_t make_socket(zmq::context_t& context, zmq::socket_type type, int queue_max);

/// For a socket that connects: a dead link is detected after 3 s here, and after 4 s at the other
/// end.
///
/// Not for endpoint sockets. libzmq up to 4.3.5 aborts the process (`Assertion failed: !_io_error`,
/// libzmq #4841) when its timer sends a heartbeat on a connection that broke while its queue here
/// was full: a client that floods and disconnects would stop the router.
void enable_heartbeats(zmq::socket_t& connecting);
/// For an endpoint socket: the kernel drops peers within half a minute that send no heartbeats and
/// do not receive what is sent to them.
void enable_tcp_timeouts(zmq::socket_t& endpoint_socket);

/// Maximum number of frames that are read of one message: one more than Drover's messages have.
inline constexpr std::size_t frames_kept = 4;

/// Bytes that encryption adds to a message, and the longest encrypted message. ZeroMQ's limit
/// applies to the bytes on the wire.
inline constexpr std::int64_t encryption_bytes = 64;
inline constexpr std::int64_t encrypted_bytes_max =
    static_cast<std::int64_t>(message_bytes_max) + encryption_bytes;

/// Receives one whole message without waiting and returns its first `kept` frames; empty when there
/// is no message.
std::vector<zmq::message_t> receive_frames(zmq::socket_t& socket, std::size_t kept = frames_kept);

/// Whether the frame was sent. `flags` may include ZMQ_SNDMORE. Never waits.
bool send_frame(zmq::socket_t& socket, std::string_view bytes, int flags);

/// Sends a message of two frames, or nothing.
bool send_pair(zmq::socket_t& socket, std::string_view first, std::string_view second);

/// The peer's number in the routing id that a ROUTER assigned; none for an id chosen by the peer.
std::optional<std::uint64_t> connection_number(const zmq::message_t& routing_id);
/// REQUIRES a number that `connection_number` has returned.
std::array<char, 5> routing_id_of(std::uint64_t number);

/// A process that reads many hosts has a line for each of them on its one connection, numbered from
/// 1. A connection with one line has no numbers. `lines_max` is the largest.
inline constexpr std::uint32_t lines_max = 10'000;
/// The line of a message, in its first frame after the routing id; none: the frame is no number of
/// a line.
std::optional<std::uint32_t> line_in(const zmq::message_t& frame);
std::array<char, 4> line_frame(std::uint32_t line);

/// A Peer's number on a router's control channel has the connection below and the line above.
inline constexpr int line_shift = 40;
inline std::uint64_t connection_of(std::uint64_t peer) {
  return peer & ((std::uint64_t{1} << line_shift) - 1);
}
inline std::uint32_t line_of(std::uint64_t peer) {
  return static_cast<std::uint32_t>(peer >> line_shift);
}

/// The IP address of the sender of this frame; empty when it is not known. The routing id's frame
/// has none.
std::string address_of_sender(const zmq::message_t& frame);

}  // namespace drover
