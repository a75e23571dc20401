// Frames on the wire, besides ZMTP's own:
//   control  ROUTER [routing id][envelope] <-> [envelope] DEALER
//   samples  PUB ["samples"][envelope] -> SUB
//   publish  XPUB [topic][envelope] -> SUB
//
// A ROUTER gives each connection that brings no id of its own five bytes: zero and a counter. The
// peer's number is that counter plus one, so a number says which connection it is without a table
// that strangers could fill, and 0 stays `router_peer`. Ids of a peer's own making are refused.
#include "fleet/socket.h"

#include <algorithm>
#include <array>
#include <atomic>
#include <cerrno>
#include <cstring>
#include <utility>

#include <fmt/format.h>
#include <zmq.hpp>

#include "fleet/codec.h"
#include "fleet/socket_frames.h"
#include "fleet/text.h"

namespace drover {
namespace {

// libzmq keeps about 32 bytes for each byte of a subscription, also of a refused one.
constexpr std::int64_t subscription_bytes_max = 64;
// More wait for the next turn, so that a flood of them holds up no message.
constexpr int subscriptions_per_turn = 4096;

constexpr auto last_topic = static_cast<std::uint64_t>(Topic::events);

using Milliseconds = std::chrono::milliseconds;

// High-water marks, in messages per connection.
// Control: half a second of the most that one agent is ever assigned (about 300 bytes each).
constexpr int control_queue_max = 16'384;
// Samples: a batch is at most 45 kB, and 10,000 devices on one host make ten at once; stale samples
// are worth less than memory.
constexpr int samples_queue_max = 64;
// Publish: some seconds of a busy fleet, 4 MB or so for each viewer that stands still.
constexpr int publish_queue_max = 8'192;

// The address in ZeroMQ's words: binding takes numbers only, and IPv6 must be asked for.
std::string address_of(zmq::socket_t& socket, const Endpoint& endpoint) {
  const bool six = endpoint.host.find(':') != std::string::npos;
  socket.set(zmq::sockopt::ipv6, six);
  const bool named_loopback = endpoint.host == "localhost";
  return Endpoint{named_loopback ? "127.0.0.1" : endpoint.host, endpoint.port}.to_text();
}

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

}  // namespace

// ---- State -------------------------------------------------------------------------------------

struct Sockets::State {
  std::shared_ptr<zmq::context_t> context = shared_context();
  // One of each at most. `serves` tells the router's doors from the others' connections.
  bool serves = false;
  std::optional<zmq::socket_t> control, samples, publish;
  std::optional<zmq::socket_t> monitor;  // tells of the control connection
  std::string control_endpoint;
  bool connected = false;
  bool stood_once = false;  // this control socket has been connected before
  std::uint64_t connections = 0;
  std::vector<int> descriptors;
  std::uint64_t drops = 0, oversize = 0, malformed = 0;

  Result<std::string> bind(std::optional<zmq::socket_t>& place, zmq::socket_type type,
                           int queue_max, const std::string& text);
  Status connect(Channel channel, zmq::socket_type type, int queue_max, const std::string& text);
  void watch_connection(zmq::socket_t& socket);
  void follow_connection();
  void serve_subscriptions(Turn& turn);
  bool take_one(Channel channel, Turn& turn);
  std::optional<std::string> sort(const std::vector<zmq::message_t>& frames, Peer& from) const;
  void drop(const std::vector<zmq::message_t>& frames, Peer from, std::string why, Turn& turn);
  bool send(const Peer& to, std::string_view bytes);
  std::optional<zmq::socket_t>& socket_of(Channel channel);
};

std::optional<zmq::socket_t>& Sockets::State::socket_of(Channel channel) {
  switch (channel) {
    case Channel::control:
      return control;
    case Channel::samples:
      return samples;
    default:
      return publish;
  }
}

// ---- Doors and connections ---------------------------------------------------------------------

Result<std::string> Sockets::State::bind(std::optional<zmq::socket_t>& place, zmq::socket_type type,
                                         int queue_max, const std::string& text) {
  const Result<Endpoint> endpoint = parse_endpoint(text, "");
  if (!endpoint) return endpoint.error();
  try {
    zmq::socket_t socket = make_socket(*context, type, queue_max);
    if (type == zmq::socket_type::router) {
      // An unknown peer is an error, not silence; a second peer of the same id is never let in.
      socket.set(zmq::sockopt::router_mandatory, true);
      socket.set(zmq::sockopt::router_handover, false);
    } else if (type == zmq::socket_type::sub) {
      socket.set(zmq::sockopt::subscribe, to_text(Topic::samples));
    } else {
      // Subscriptions are taken by hand, so that only our few topics take memory. All that comes
      // in here is a subscription: longer than any topic, and the peer is cut off.
      socket.set(zmq::sockopt::xpub_manual, true);
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
  return bound;
}

Status Sockets::State::connect(Channel channel, zmq::socket_type type, int queue_max,
                               const std::string& text) {
  const Result<Endpoint> endpoint = parse_endpoint(text, "");
  if (!endpoint) return endpoint.error();
  if (endpoint->port == 0 || endpoint->host == "*") {
    return error("{}: expected a host and a port to connect to", endpoint->to_text());
  }
  std::optional<zmq::socket_t>& place = socket_of(channel);
  place.reset();
  try {
    zmq::socket_t socket = make_socket(*context, type, queue_max);
    if (channel == Channel::control) watch_connection(socket);
    if (channel == Channel::samples) {
      // Old telemetry is not kept for a router that comes back; what finds its queue full is told.
      socket.set(zmq::sockopt::immediate, true);
      socket.set(zmq::sockopt::xpub_nodrop, true);
    }
    if (channel == Channel::publish) socket.set(zmq::sockopt::subscribe, "");
    socket.connect(address_of(socket, *endpoint));
    place.emplace(std::move(socket));
  } catch (const zmq::error_t& problem) {
    return error("{}: cannot connect: {}", endpoint->to_text(), problem.what());
  }
  return {};
}

void Sockets::State::watch_connection(zmq::socket_t& socket) {
  static std::atomic<std::uint64_t> named{0};
  const std::string name = fmt::format("inproc://drover-connection-{}", ++named);
  monitor.reset();
  connected = false;
  stood_once = false;
  if (zmq_socket_monitor(socket.handle(), name.c_str(),
                         ZMQ_EVENT_HANDSHAKE_SUCCEEDED | ZMQ_EVENT_DISCONNECTED) != 0) {
    throw zmq::error_t();
  }
  zmq::socket_t listener(*context, zmq::socket_type::pair);
  listener.set(zmq::sockopt::linger, 0);
  listener.connect(name);
  monitor.emplace(std::move(listener));
}

// An event is a frame of a 16-bit number and a 32-bit value, then a frame with the address.
void Sockets::State::follow_connection() {
  while (true) {
    const std::vector<zmq::message_t> frames = receive_frames(*monitor);
    if (frames.empty()) return;
    std::uint16_t event = 0;
    if (frames[0].size() < sizeof event) continue;
    std::memcpy(&event, frames[0].data(), sizeof event);
    connected = event == ZMQ_EVENT_HANDSHAKE_SUCCEEDED;
    if (!connected) continue;
    stood_once = true;
    ++connections;
  }
}

Status Sockets::connect_control(const std::string& endpoint) {
  DROVER_REQUIRE(!state_->serves);
  state_->control_endpoint = endpoint;
  return state_->connect(Channel::control, zmq::socket_type::dealer, control_queue_max, endpoint);
}

Status Sockets::connect_samples(const std::string& endpoint) {
  DROVER_REQUIRE(!state_->serves);
  return state_->connect(Channel::samples, zmq::socket_type::pub, samples_queue_max, endpoint);
}

Status Sockets::connect_publish(const std::string& endpoint) {
  DROVER_REQUIRE(!state_->serves);
  return state_->connect(Channel::publish, zmq::socket_type::sub, publish_queue_max, endpoint);
}

Status Sockets::reconnect_control() {
  DROVER_REQUIRE(!state_->control_endpoint.empty());
  // What was meant for the old connection must not go out late and twice.
  if (state_->control) state_->control->set(zmq::sockopt::linger, 0);
  return connect_control(state_->control_endpoint);
}

// ---- Traffic -----------------------------------------------------------------------------------

/// The words for whoever sent these frames: the connection, or the name that it gave itself.
std::string sender_text(const std::vector<zmq::message_t>& frames, const Peer& from) {
  const std::string address = address_of_sender(frames.back());
  if (from.channel != Channel::control || from.number != 0) return connection_text(from, address);
  constexpr std::size_t shown_max = 24;
  const std::string id = printable(frames[0].to_string_view().substr(0, shown_max));
  return fmt::format("id \"{}\"{}{}", id, address.empty() ? "" : " from ", address);
}

void Sockets::State::drop(const std::vector<zmq::message_t>& frames, Peer from, std::string why,
                          Turn& turn) {
  ++malformed;
  if (serves) turn.dropped.push_back({from, sender_text(frames, from), std::move(why)});
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
    const std::string_view topic = request.substr(1);
    if (!topic.empty() && !is_topic(topic)) {
      drop(frames, publish_peer, "a subscription to a topic that there is not", turn);
      continue;
    }
    const int option = request[0] == 1 ? ZMQ_SUBSCRIBE : ZMQ_UNSUBSCRIBE;
    zmq_setsockopt(publish->handle(), option, topic.data(), topic.size());
  }
}

/// Who sent these frames; or what is wrong with them.
std::optional<std::string> Sockets::State::sort(const std::vector<zmq::message_t>& frames,
                                                Peer& from) const {
  const bool numbered = from.channel == Channel::control && serves;
  if (numbered) {
    const auto number = number_of(frames[0]);
    if (!number) return "a routing id of its own making, expected none";
    from.number = *number;
  }
  const std::size_t wanted = numbered || from.channel != Channel::control ? 2 : 1;
  if (frames.size() != wanted) {
    const std::size_t before = numbered ? 1 : 0;  // the routing id is ours, not the sender's
    return fmt::format("found {} frames{}, expected {}", frames.size() - before,
                       frames.size() == frames_kept ? " or more" : "", wanted - before);
  }
  if (from.channel != Channel::control && !is_topic(frames[0].to_string_view())) {
    return "a topic that there is not";
  }
  return std::nullopt;
}

// Takes one message from the channel's socket, if there is one.
bool Sockets::State::take_one(Channel channel, Turn& turn) {
  const std::vector<zmq::message_t> frames = receive_frames(*socket_of(channel));
  if (frames.empty()) return false;
  Peer from{channel, 0};
  if (auto wrong = sort(frames, from)) {
    drop(frames, from, *std::move(wrong), turn);
  } else {
    const zmq::message_t& last = frames.back();
    turn.messages.push_back(
        {from, last.to_string(), serves ? address_of_sender(last) : std::string()});
  }
  return true;
}

bool Sockets::State::send(const Peer& to, std::string_view bytes) {
  if (bytes.size() > message_bytes_max) {
    ++oversize;
    return false;
  }
  std::optional<zmq::socket_t>& socket = socket_of(to.channel);
  if (!socket) return false;
  switch (to.channel) {
    case Channel::control:
      if (serves) {
        if (to.number == 0 || to.number > 1 + std::uint64_t{0xffffffff}) return false;
        const std::array<char, 5> id = routing_id_of(to.number);
        return send_pair(*socket, {id.data(), id.size()}, bytes);
      }
      // A lost connection takes nothing: what waited would come late, before the next Join.
      return (connected || !stood_once) && send_frame(*socket, bytes, 0);
    case Channel::samples:
      return !serves && send_pair(*socket, to_text(Topic::samples), bytes);
    default:
      return serves && to.number <= last_topic &&
             send_pair(*socket, to_text(static_cast<Topic>(to.number)), bytes);
  }
}

Sockets::Sockets() : state_(std::make_unique<State>()) {}

Sockets::~Sockets() = default;

void Sockets::watch(int descriptor) { state_->descriptors.push_back(descriptor); }

void Sockets::unwatch(int descriptor) { std::erase(state_->descriptors, descriptor); }

Sockets::Turn Sockets::wait(Milliseconds wait, std::size_t limit) {
  State& state = *state_;
  // Only the doors that bring messages; PUB brings none.
  std::vector<Channel> channels;
  std::vector<zmq_pollitem_t> items;
  const auto poll_socket = [&](zmq::socket_t& socket) {
    items.push_back({socket.handle(), 0, ZMQ_POLLIN, 0});
  };
  if (state.monitor) poll_socket(*state.monitor);
  if (state.serves) poll_socket(*state.publish);
  for (const Channel channel : {Channel::control, Channel::samples, Channel::publish}) {
    const bool sends_only = channel == (state.serves ? Channel::publish : Channel::samples);
    if (sends_only || !state.socket_of(channel)) continue;
    channels.push_back(channel);
    poll_socket(*state.socket_of(channel));
  }
  const std::size_t first_descriptor = items.size();
  for (const int descriptor : state.descriptors) {
    items.push_back({nullptr, descriptor, ZMQ_POLLIN | ZMQ_POLLERR, 0});
  }
  Turn turn;
  // A signal ends the wait early, so the caller can look at what it means.
  const long timeout = std::max<long>(0, static_cast<long>(wait.count()));
  if (zmq_poll(items.data(), static_cast<int>(items.size()), timeout) < 0) return turn;
  for (std::size_t index = first_descriptor; index < items.size(); ++index) {
    if (items[index].revents != 0) turn.ready_descriptors.push_back(items[index].fd);
  }
  if (state.monitor) state.follow_connection();
  if (state.serves) state.serve_subscriptions(turn);
  // One from each in turn, so a flood on one door holds up no other.
  const auto full = [&] { return turn.messages.size() + turn.dropped.size() >= limit; };
  while (!channels.empty() && !full()) {
    std::erase_if(channels,
                  [&](Channel channel) { return full() || !state.take_one(channel, turn); });
  }
  return turn;
}

bool Sockets::send(const Peer& to, std::string_view bytes) {
  const bool sent = state_->send(to, bytes);
  if (!sent) ++state_->drops;
  return sent;
}

bool Sockets::control_connected() const { return state_->connected; }

std::uint64_t Sockets::control_connections() const { return state_->connections; }

std::uint64_t Sockets::drops() const { return state_->drops; }

std::uint64_t Sockets::oversize() const { return state_->oversize; }

std::uint64_t Sockets::malformed() const { return state_->malformed; }

}  // namespace drover
