// What every ZeroMQ socket of this process shares: the context, the options, whole messages in and
// out. Only fleet/socket/socket.cpp includes it.
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

/// The process's one context. It begins with the first that asks for it and ends with the last that
/// holds it.
std::shared_ptr<zmq::context_t> shared_context();

/// A socket with the options that all have, and room for so many messages in each direction of each
/// connection. Throws zmq::error_t.
zmq::socket_t make_socket(zmq::context_t& context, zmq::socket_type type, int queue_max);

/// For a socket that connects: a dead link is found after 3 s here, and after 4 s at the other end.
///
/// Not for doors. libzmq up to 4.3.5 ends the process (`Assertion failed: !_io_error`, libzmq
/// #4841) when its timer asks for a sign of life on a connection that broke while its queue here
/// was full: whoever floods and goes away would end the router.
void ask_for_signs_of_life(zmq::socket_t& connecting);
/// For a door: peers that send no signs of life of their own, or take nothing that is sent to them,
/// are dropped by the kernel within half a minute.
void drop_dead_peers(zmq::socket_t& door);

/// Frames of one message that are looked at: one more than any message of ours has.
inline constexpr std::size_t frames_kept = 3;

/// What a message takes more when it is encrypted, and the longest message then. ZeroMQ's limit
/// holds for what stands on the wire.
inline constexpr std::int64_t encryption_bytes = 64;
inline constexpr std::int64_t encrypted_bytes_max =
    static_cast<std::int64_t>(message_bytes_max) + encryption_bytes;

/// Takes one whole message without waiting, its first `kept` frames; no frames: there is none.
std::vector<zmq::message_t> receive_frames(zmq::socket_t& socket, std::size_t kept = frames_kept);

/// True when the frame went. `flags` may hold ZMQ_SNDMORE; never waits.
bool send_frame(zmq::socket_t& socket, std::string_view bytes, int flags);

/// Both frames of one message, or none.
bool send_pair(zmq::socket_t& socket, std::string_view first, std::string_view second);

/// The peer's number in the routing id that a ROUTER gave it; none for an id of its own making.
std::optional<std::uint64_t> number_of(const zmq::message_t& routing_id);
/// REQUIRES a number that `number_of` has answered.
std::array<char, 5> routing_id_of(std::uint64_t number);

/// The IP address at the other end of the connection that this frame came in by; empty: not known.
/// The routing id's own frame has none.
std::string address_of_sender(const zmq::message_t& frame);

}  // namespace drover
