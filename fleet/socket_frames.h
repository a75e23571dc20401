// What every ZeroMQ socket of this process shares: the context, the options, whole messages in and
// out. Only fleet/socket.cpp includes it.
#pragma once

#include <memory>
#include <string_view>
#include <vector>

#include <zmq.hpp>

namespace drover {

/// The process's one context. It begins with the first that asks for it and ends with the last that
/// holds it.
std::shared_ptr<zmq::context_t> shared_context();

/// A socket with the options that all have, and room for so many messages in each direction of each
/// connection. Throws zmq::error_t.
zmq::socket_t make_socket(zmq::context_t& context, zmq::socket_type type, int queue_max);

/// Takes one whole message without waiting; no frames: there is none.
std::vector<zmq::message_t> receive_frames(zmq::socket_t& socket);

/// True when the frame went. `flags` may hold ZMQ_SNDMORE; never waits.
bool send_frame(zmq::socket_t& socket, std::string_view bytes, int flags);

/// Both frames of one message, or none.
bool send_pair(zmq::socket_t& socket, std::string_view first, std::string_view second);

}  // namespace drover
