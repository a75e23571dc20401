// The router's side of `Sockets`: its endpoints, its keys, and subscriptions.
#include <algorithm>
#include <array>
#include <cerrno>
#include <utility>

#include "fleet/socket/state.h"

namespace drover {
namespace {

// libzmq uses about 32 bytes of memory per byte of a subscription, also of a refused one.
constexpr std::int64_t subscription_bytes_max = 64;
// An encrypted connection begins with longer frames, and only allowed keys can subscribe there.
constexpr std::int64_t guarded_subscription_bytes_max = 1024;
// More of them wait for the next call, so that a flood does not delay messages.
constexpr int subscriptions_per_turn = 4096;
Error bind_error(const Endpoint& endpoint, int code) {
  const std::string place = endpoint.to_text();
  switch (code) {
    case EADDRINUSE:
      return error(ErrorKind::io, "{}: the port is in use (is another router running?)", place);
    case EADDRNOTAVAIL:
    case ENODEV:
      return error(ErrorKind::io, "{}: this machine has no such address", place);
    case EACCES:
      return error(ErrorKind::io, "{}: not allowed to listen on this port", place);
    default:
      return error(ErrorKind::io, "{}: cannot listen: {}", place, zmq_strerror(code));
  }
}

Channel channel_of(zmq::socket_type endpoint_socket) {
  return endpoint_socket == zmq::socket_type::router ? Channel::control
         : endpoint_socket == zmq::socket_type::sub  ? Channel::samples
                                                     : Channel::publish;
}

}  // namespace

Result<std::string> Sockets::State::bind(std::optional<zmq::socket_t>& place, zmq::socket_type type,
                                         int queue_max, const std::string& text) {
  DROVER_ASSIGN(const auto endpoint, parse_endpoint(text, ""));
  try {
    zmq::socket_t socket = make_socket(*context, type, queue_max);
    enable_tcp_timeouts(socket);
    if (type == zmq::socket_type::router) {
      // Sending to an unknown peer is an error. A second peer with the same id is refused.
      socket.set(zmq::sockopt::rcvhwm, control_received_max);
      socket.set(zmq::sockopt::router_mandatory, true);
      socket.set(zmq::sockopt::router_handover, false);
    } else if (type == zmq::socket_type::sub) {
      socket.set(zmq::sockopt::subscribe, to_text(Topic::samples));
    } else {
      // Subscriptions are accepted explicitly, so that only the known topics use memory. Peers send
      // only subscriptions here; one longer than any topic disconnects its peer.
      socket.set(zmq::sockopt::xpub_manual, true);
    }
    const bool publishes = type == zmq::socket_type::xpub;
    if (authenticator) {
      authenticator->require_keys(socket, channel_of(type));
      socket.set(zmq::sockopt::maxmsgsize,
                 publishes ? guarded_subscription_bytes_max : encrypted_bytes_max);
    } else if (publishes) {
      socket.set(zmq::sockopt::maxmsgsize, subscription_bytes_max);
    }
    socket.bind(address_of(socket, endpoint));
    std::string bound = socket.get(zmq::sockopt::last_endpoint);
    place.emplace(std::move(socket));
    return bound;
  } catch (const zmq::error_t& problem) {
    return bind_error(endpoint, problem.num());
  }
}

Result<Sockets::Bound> Sockets::bind_router(const std::string& control, const std::string& samples,
                                            const std::string& publish) {
  State& state = *state_;
  DROVER_REQUIRE(!state.control && !state.samples && !state.publish);
  Bound bound;
  struct EndpointSocket {
    std::optional<zmq::socket_t>& place;
    zmq::socket_type type;
    int queue_max;
    const std::string& requested;
    std::string& bound_as;
  };
  const std::array<EndpointSocket, 3> endpoint_sockets{{
      {state.control, zmq::socket_type::router, control_queue_max, control, bound.control},
      {state.samples, zmq::socket_type::sub, samples_queue_max, samples, bound.samples},
      {state.publish, zmq::socket_type::xpub, publish_queue_max, publish, bound.publish},
  }};
  for (const EndpointSocket& endpoint_socket : endpoint_sockets) {
    Result<std::string> taken = state.bind(endpoint_socket.place, endpoint_socket.type,
                                           endpoint_socket.queue_max, endpoint_socket.requested);
    if (!taken) {
      for (const EndpointSocket& open : endpoint_sockets) open.place.reset();
      return taken.error();
    }
    endpoint_socket.bound_as = *std::move(taken);
  }
  state.serves = true;
  state.publish_endpoint = bound.publish;
  return bound;
}

Status Sockets::require_keys(const std::string& secret) {
  DROVER_REQUIRE(!state_->control && !state_->authenticator);
  try {
    state_->authenticator = std::make_unique<ZapAuthenticator>(*state_->context, secret);
  } catch (const zmq::error_t& problem) {
    return error(ErrorKind::io, "cannot start ZAP authentication: {}", problem.what());
  }
  return {};
}

void Sockets::allow_keys(std::vector<PublicKey> keys) {
  DROVER_REQUIRE(state_->authenticator != nullptr);
  if (!state_->authenticator->allow_keys(std::move(keys)) || !state_->publish) return;
  // Buffered messages must not reach a subscriber whose key was removed.
  state_->publish->set(zmq::sockopt::linger, 0);
  state_->publish.reset();
}

// Allowed subscribers reconnect by themselves and see in the sequence numbers what they missed.
void Sockets::State::reopen_publish() {
  if (publish || !serves) return;
  // The port becomes free shortly; until then there are no subscribers. A failure is retried.
  (void)bind(publish, zmq::socket_type::xpub, publish_queue_max, publish_endpoint);
}

// A subscription is a frame of one byte, 1 to begin or 0 to end, and a topic. Unknown topics are
// not stored, so that peers cannot fill the router's memory with them.
void Sockets::State::serve_subscriptions(PollResult& turn) {
  for (int taken = 0; taken < subscriptions_per_turn; ++taken) {
    const std::vector<zmq::message_t> frames = receive_frames(*publish);
    if (frames.empty()) return;
    const std::string_view request = frames[0].to_string_view();
    if (request.empty()) {
      drop(frames, publish_peer, "an empty subscription", turn);
      continue;
    }
    // When a connection ends, ZeroMQ itself sends the ends of its subscriptions: they have no
    // sender.
    if (authenticator && request[0] == 1 && authenticator->subscriber_of(frames[0]) == nullptr) {
      drop(frames, publish_peer, "its key may not subscribe", turn, "subscribe");
      continue;
    }
    const std::string_view topic = request.substr(1);
    if (!topic.empty() && !is_topic(topic)) {
      drop(frames, publish_peer, "a subscription to an unknown topic", turn);
      continue;
    }
    subscribe(topic, request[0] == 1);
  }
}

/// Without a topic: all but bundles, in which the messages of the others come again.
void Sockets::State::subscribe(std::string_view wanted, bool begins) {
  for (const Topic topic :
       {Topic::state, Topic::samples, Topic::decisions, Topic::events, Topic::bundles}) {
    const std::string_view name = to_text(topic);
    if (wanted.empty() ? topic == Topic::bundles : wanted != name) continue;
    if (begins) subscribed.insert(topic);
    const int option = begins ? ZMQ_SUBSCRIBE : ZMQ_UNSUBSCRIBE;
    zmq_setsockopt(publish->handle(), option, name.data(), name.size());
  }
}

}  // namespace drover
