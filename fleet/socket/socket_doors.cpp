// The router's side: its doors, who may come in, and what subscribers ask for.
#include <algorithm>
#include <array>
#include <cerrno>
#include <utility>

#include <fmt/format.h>

#include "fleet/socket/socket_state.h"

namespace drover {
namespace {

// libzmq keeps about 32 bytes for each byte of a subscription, also of a refused one.
constexpr std::int64_t subscription_bytes_max = 64;
// An encrypted connection begins with longer frames than that, and only known keys subscribe there.
constexpr std::int64_t guarded_subscription_bytes_max = 1024;
// More wait for the next turn, so that a flood of them holds up no message.
constexpr int subscriptions_per_turn = 4096;
Error bind_error(const Endpoint& endpoint, int code) {
  const std::string place = endpoint.to_text();
  switch (code) {
    case EADDRINUSE:
      return error("{}: the port is in use (is another router running?)", place);
    case EADDRNOTAVAIL:
    case ENODEV:
      return error("{}: this machine has no such address", place);
    case EACCES:
      return error("{}: not allowed to listen on this port", place);
    default:
      return error("{}: cannot listen: {}", place, zmq_strerror(code));
  }
}

Channel channel_of(zmq::socket_type door) {
  return door == zmq::socket_type::router ? Channel::control
         : door == zmq::socket_type::sub  ? Channel::samples
                                          : Channel::publish;
}

}  // namespace

Result<std::string> Sockets::State::bind(std::optional<zmq::socket_t>& place, zmq::socket_type type,
                                         int queue_max, const std::string& text) {
  const Result<Endpoint> endpoint = parse_endpoint(text, "");
  if (!endpoint) return endpoint.error();
  try {
    zmq::socket_t socket = make_socket(*context, type, queue_max);
    drop_dead_peers(socket);
    if (type == zmq::socket_type::router) {
      // An unknown peer is an error, not silence; a second peer of the same id is never let in.
      socket.set(zmq::sockopt::rcvhwm, control_received_max);
      socket.set(zmq::sockopt::router_mandatory, true);
      socket.set(zmq::sockopt::router_handover, false);
    } else if (type == zmq::socket_type::sub) {
      socket.set(zmq::sockopt::subscribe, to_text(Topic::samples));
    } else {
      // Subscriptions are taken by hand, so that only our few topics take memory. All that comes
      // in here is a subscription: longer than any topic, and the peer is cut off.
      socket.set(zmq::sockopt::xpub_manual, true);
    }
    const bool publishes = type == zmq::socket_type::xpub;
    if (gate) {
      gate->guard(socket, channel_of(type));
      socket.set(zmq::sockopt::maxmsgsize,
                 publishes ? guarded_subscription_bytes_max : encrypted_bytes_max);
    } else if (publishes) {
      socket.set(zmq::sockopt::maxmsgsize, subscription_bytes_max);
    }
    socket.bind(address_of(socket, *endpoint));
    std::string bound = socket.get(zmq::sockopt::last_endpoint);
    place.emplace(std::move(socket));
    return bound;
  } catch (const zmq::error_t& problem) {
    return bind_error(*endpoint, problem.num());
  }
}

Result<Sockets::Bound> Sockets::bind_router(const std::string& control, const std::string& samples,
                                            const std::string& publish) {
  State& state = *state_;
  DROVER_REQUIRE(!state.control && !state.samples && !state.publish);
  Bound bound;
  struct Door {
    std::optional<zmq::socket_t>& place;
    zmq::socket_type type;
    int queue_max;
    const std::string& wanted;
    std::string& answered;
  };
  const std::array<Door, 3> doors{{
      {state.control, zmq::socket_type::router, control_queue_max, control, bound.control},
      {state.samples, zmq::socket_type::sub, samples_queue_max, samples, bound.samples},
      {state.publish, zmq::socket_type::xpub, publish_queue_max, publish, bound.publish},
  }};
  for (const Door& door : doors) {
    Result<std::string> taken = state.bind(door.place, door.type, door.queue_max, door.wanted);
    if (!taken) {
      for (const Door& open : doors) open.place.reset();
      return taken.error();
    }
    door.answered = *std::move(taken);
  }
  state.serves = true;
  state.publish_endpoint = bound.publish;
  return bound;
}

Status Sockets::guard(const std::string& secret) {
  DROVER_REQUIRE(!state_->control && !state_->gate);
  try {
    state_->gate = std::make_unique<Gate>(*state_->context, secret);
  } catch (const zmq::error_t& problem) {
    return error("no gate for the keys: {}", problem.what());
  }
  return {};
}

void Sockets::admit(std::vector<PublicKey> keys) {
  DROVER_REQUIRE(state_->gate != nullptr);
  if (!state_->gate->admit(std::move(keys)) || !state_->publish) return;
  // What still waits there must not reach the one who is shut out.
  state_->publish->set(zmq::sockopt::linger, 0);
  state_->publish.reset();
}

// Who is still welcome comes back by itself, and sees in the sequence numbers what it missed.
void Sockets::State::reopen_publish() {
  if (publish || !serves) return;
  // The port is free in a moment; until then, nobody is there to be told anything.
  (void)bind(publish, zmq::socket_type::xpub, publish_queue_max, publish_endpoint);
}

// A subscription is a frame of one byte, 1 to begin or 0 to end, and a topic. Those that are no
// topic of ours are not entered, so nobody can fill the router's memory with them.
void Sockets::State::serve_subscriptions(Turn& turn) {
  for (int taken = 0; taken < subscriptions_per_turn; ++taken) {
    const std::vector<zmq::message_t> frames = receive_frames(*publish);
    if (frames.empty()) return;
    const std::string_view request = frames[0].to_string_view();
    if (request.empty()) {
      drop(frames, publish_peer, "an empty subscription", turn);
      continue;
    }
    // The ends of subscriptions are ZeroMQ's own when a connection ends: nobody's.
    if (gate && request[0] == 1 && gate->subscriber_of(frames[0]) == nullptr) {
      drop(frames, publish_peer, "its key is not let in to watch", turn, "subscribe");
      continue;
    }
    const std::string_view topic = request.substr(1);
    if (!topic.empty() && !is_topic(topic)) {
      drop(frames, publish_peer, "a subscription to a topic that there is not", turn);
      continue;
    }
    if (request[0] == 1) subscribed.emplace(topic);
    const int option = request[0] == 1 ? ZMQ_SUBSCRIBE : ZMQ_UNSUBSCRIBE;
    zmq_setsockopt(publish->handle(), option, topic.data(), topic.size());
  }
}

}  // namespace drover
