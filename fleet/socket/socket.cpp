// Frames on the wire, besides ZMTP's own:
//   control  ROUTER [routing id][line?][envelope] <-> [line?][envelope] DEALER
//   samples  PUB ["samples"][envelope] -> SUB
//   publish  XPUB [topic][envelope] -> SUB
//
// A ROUTER assigns each connection without an id of its own five bytes: zero and a counter. The
// peer's number is that counter plus one, so it identifies the connection without a table that
// unknown peers could fill, and 0 stays `router_peer`. Ids chosen by peers are refused. An agent
// that speaks for many hosts has a line for each (frames.h).
#include "fleet/socket/socket.h"

#include <algorithm>
#include <array>
#include <utility>

#include <fmt/format.h>
#include <zmq.hpp>

#include "fleet/base/enum_tables.h"
#include "fleet/base/text.h"
#include "fleet/codec/codec.h"
#include "fleet/socket/state.h"

namespace drover {
namespace {

// Further authentication requests wait for the next call: each takes about 0.1 ms.
constexpr int requests_per_poll = 1024;
// The system releases a port shortly after its socket was closed.
constexpr std::chrono::milliseconds reopen_again{20};

constexpr std::array<std::string_view, 5> topics{"state", "samples", "decisions", "events",
                                                 "bundles"};

constexpr auto last_topic = static_cast<std::uint64_t>(Topic::bundles);

using Milliseconds = std::chrono::milliseconds;
using SteadyClock = std::chrono::steady_clock;

}  // namespace

std::string_view to_text(Topic topic) { return row_at(topics, topic); }

bool is_topic(std::string_view text) {
  return std::find(topics.begin(), topics.end(), text) != topics.end();
}

Topic topic_of(const Message& message) {
  switch (facts(message).publication) {
    case Publication::samples:
      return Topic::samples;
    case Publication::decisions:
      return Topic::decisions;
    case Publication::events:
    case Publication::audit:
    case Publication::alerts:
      return Topic::events;
    case Publication::bundles:
      return Topic::bundles;
    default:
      return Topic::state;
  }
}

Peer publish_under(Topic topic) {
  return Peer{Channel::publish, static_cast<std::uint64_t>(topic)};
}

zmq::socket_t* Sockets::State::socket_of(Channel channel) {
  if (!serves) {
    const auto found = connections.find(channel);
    return found == connections.end() ? nullptr : found->second.socket();
  }
  std::optional<zmq::socket_t>& endpoint_socket = channel == Channel::control   ? control
                                                  : channel == Channel::samples ? samples
                                                                                : publish;
  return endpoint_socket ? &*endpoint_socket : nullptr;
}

Status Sockets::State::connect(Channel channel, const std::string& text, std::string_view topic) {
  DROVER_REQUIRE(!serves);
  DROVER_ASSIGN(const auto endpoint, parse_endpoint(text, ""));
  if (endpoint.port == 0 || endpoint.host == "*") {
    return error("{}: expected a host and a port to connect to", endpoint.to_text());
  }
  connections.erase(channel);
  return connections.try_emplace(channel, context, channel, endpoint, keys, topic)
      .first->second.open();
}

const Connection* Sockets::State::control_connection() const {
  const auto found = connections.find(Channel::control);
  return found == connections.end() ? nullptr : &found->second;
}

void Sockets::State::follow_connections() {
  for (auto& [channel, connection] : connections) connection.process_events(SteadyClock::now());
}

void Sockets::use_keys(ClientKeys keys) { state_->keys = std::move(keys); }

Status Sockets::connect_control(const std::string& endpoint) {
  return state_->connect(Channel::control, endpoint);
}

Status Sockets::connect_samples(const std::string& endpoint) {
  return state_->connect(Channel::samples, endpoint);
}

Status Sockets::connect_publish(const std::string& endpoint, std::optional<Topic> topic) {
  return state_->connect(Channel::publish, endpoint, topic ? to_text(*topic) : "");
}

Status Sockets::reconnect_control() {
  const auto control = state_->connections.find(Channel::control);
  DROVER_REQUIRE(control != state_->connections.end());
  return control->second.open();
}

/// The sender of these frames as text: a key, a connection, or the name that it gave itself.
std::string sender_of_frames(const std::vector<zmq::message_t>& frames, const Peer& from,
                             const std::string& address, const std::string& key) {
  const bool named = from.channel == Channel::control && from.number == 0 && key.empty();
  if (!named) return sender_text(from, address, key);
  constexpr std::size_t shown_max = 24;
  const std::string id = printable(frames[0].to_string_view().substr(0, shown_max));
  return fmt::format("id \"{}\"{}{}", id, address.empty() ? "" : " from ", address);
}

void Sockets::State::drop(const std::vector<zmq::message_t>& frames, Peer from, std::string why,
                          PollResult& turn, std::string asked) {
  ++malformed;
  if (!serves) return;
  Dropped dropped{from, {}, std::move(why)};
  dropped.address = address_of_sender(frames.back());
  dropped.asked = std::move(asked);
  const std::optional<ZapAuthenticator::Holder> holder =
      authenticator ? authenticator->holder_of(frames.back()) : std::nullopt;
  if (holder && holder->allowed_key) dropped.key = holder->name;
  // The name may belong to another key by now.
  const std::string key_name =
      holder && !holder->allowed_key ? holder->name + " (revoked)" : dropped.key;
  dropped.sender = sender_of_frames(frames, from, dropped.address, key_name);
  turn.dropped.push_back(std::move(dropped));
}

/// Sets the sender of these frames, or returns what is wrong with them.
std::optional<std::string> Sockets::State::sort(const std::vector<zmq::message_t>& frames,
                                                Peer& from) const {
  const bool numbered = from.channel == Channel::control && serves;
  if (numbered) {
    const auto number = connection_number(frames[0]);
    if (!number) return "found a routing id set by the peer, expected none";
    from.number = *number;
  }
  const std::size_t expected = numbered || from.channel != Channel::control ? 2 : 1;
  if (from.channel == Channel::control && frames.size() == expected + 1) {
    const auto line = line_in(frames[expected - 1]);
    if (!line) return fmt::format("an invalid line, expected a number from 1 to {}", lines_max);
    from.number |= serves ? std::uint64_t{*line} << line_shift : *line;
    return std::nullopt;
  }
  if (frames.size() != expected) {
    const std::size_t before = numbered ? 1 : 0;  // the routing id, which is not from the sender
    return fmt::format("found {} frames{}, expected {}", frames.size() - before,
                       frames.size() == frames_kept ? " or more" : "", expected - before);
  }
  if (from.channel != Channel::control && !is_topic(frames[0].to_string_view())) {
    return "an unknown topic";
  }
  return std::nullopt;
}

// Takes one message from the channel's socket, if there is one.
bool Sockets::State::take_one(Channel channel, PollResult& turn, Intake& intake) {
  const std::vector<zmq::message_t> frames = receive_frames(*socket_of(channel));
  if (frames.empty()) return false;
  Peer from{channel, 0};
  if (auto wrong = sort(frames, from)) {
    drop(frames, from, *std::move(wrong), turn);
  } else {
    const zmq::message_t& last = frames.back();
    const PublicKey* key =
        authenticator ? authenticator->sender_of(last, connection_of(from.number)) : nullptr;
    if (authenticator && key == nullptr) {
      // Nothing is sent to its connection any more, so it cannot be answered.
      drop(frames, {channel, 0}, "its key was removed from the allow-list", turn, "send");
      return true;
    }
    if (serves && channel == Channel::control)
      backlog.record_received(connection_of(from.number), last);
    Incoming head{from, {}, serves ? address_of_sender(last) : std::string(), key};
    ++intake.messages;
    traffic += last.size();
    if (intake.take) {
      if (intake.take(std::move(head), last.to_string_view())) intake.buffered_bytes += last.size();
    } else {
      intake.buffered_bytes += last.size();
      head.bytes = last.to_string();
      turn.messages.push_back(std::move(head));
    }
  }
  return true;
}

namespace {

/// Line 0: the connection has no lines.
bool send_on_line(zmq::socket_t& socket, std::uint32_t line, std::string_view bytes) {
  if (line == 0) return send_frame(socket, bytes, 0);
  const std::array<char, 4> number = line_frame(line);
  return send_pair(socket, {number.data(), number.size()}, bytes);
}

}  // namespace

bool Sockets::State::send_control(std::uint64_t peer, std::string_view bytes) {
  const std::uint64_t number = connection_of(peer);
  const std::uint32_t line = line_of(peer);
  if (number == 0 || number > 1 + std::uint64_t{0xffffffff}) return false;
  if (authenticator && authenticator->is_revoked(number)) return false;
  if (backlog.waiting(number) + bytes.size() > control_waiting_max) return false;
  const std::array<char, 5> id = routing_id_of(number);
  if (!send_frame(*control, {id.data(), id.size()}, ZMQ_SNDMORE)) return false;
  if (!send_on_line(*control, line, bytes)) return false;
  backlog.sent(number, bytes.size());
  return true;
}

bool Sockets::State::send(const Peer& to, std::string_view bytes) {
  if (bytes.size() > message_bytes_max) {
    ++oversize;
    return false;
  }
  zmq::socket_t* socket = socket_of(to.channel);
  if (socket == nullptr) return false;
  switch (to.channel) {
    case Channel::control:
      if (serves) return send_control(to.number, bytes);
      // Nothing is queued for a lost connection: it would arrive late, before the next Join.
      return (control_connection()->connected() || !control_connection()->was_connected()) &&
             send_on_line(*socket, static_cast<std::uint32_t>(to.number), bytes);
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

/// Limits the wait to the time of the next retry.
Milliseconds Sockets::State::wait_max(Milliseconds wait) const {
  if (serves && !publish) wait = std::min(wait, reopen_again);
  for (const auto& [channel, connection] : connections) {
    if (!connection.reconnect_at()) continue;
    const auto left = *connection.reconnect_at() - SteadyClock::now();
    wait = std::min(wait, std::chrono::ceil<Milliseconds>(left));
  }
  return wait;
}

Sockets::PollResult Sockets::wait(Milliseconds wait, PollLimits limits, const Take& take) {
  State& state = *state_;
  // Only the sockets that receive messages; PUB receives none.
  std::vector<Channel> channels;
  std::vector<zmq_pollitem_t> items;
  const auto poll_socket = [&](zmq::socket_t& socket) {
    items.push_back({socket.handle(), 0, ZMQ_POLLIN, 0});
  };
  for (auto& [channel, connection] : state.connections) {
    if (connection.monitor() != nullptr) poll_socket(*connection.monitor());
  }
  if (state.authenticator) poll_socket(state.authenticator->zap_socket());
  if (state.publish) poll_socket(*state.publish);
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
  PollResult turn;
  // A signal ends the wait early, so that the caller can handle it.
  const long timeout = std::max<long>(0, static_cast<long>(state.wait_max(wait).count()));
  if (zmq_poll(items.data(), static_cast<int>(items.size()), timeout) < 0) return turn;
  for (std::size_t index = first_descriptor; index < items.size(); ++index) {
    if (items[index].revents != 0) turn.ready_descriptors.push_back(items[index].fd);
  }
  state.follow_connections();
  state.reopen_publish();
  if (state.authenticator) state.authenticator->answer_requests(requests_per_poll, turn.dropped);
  if (state.publish) state.serve_subscriptions(turn);
  // One message from each socket in turn, so that a flood on one does not delay the others.
  State::Intake intake{take};
  const auto end = SteadyClock::now() + limits.time;
  const auto full = [&] {
    return intake.messages + turn.dropped.size() >= limits.messages ||
           intake.buffered_bytes >= limits.buffered_bytes || SteadyClock::now() >= end;
  };
  while (!channels.empty() && !full()) {
    std::erase_if(channels, [&](Channel channel) {
      return full() || !state.take_one(channel, turn, intake);
    });
  }
  return turn;
}

bool Sockets::ever_subscribed(Topic topic) const { return state_->subscribed.contains(topic); }

bool Sockets::send(const Peer& to, std::string_view bytes) {
  const bool sent = state_->send(to, bytes);
  if (sent) state_->traffic += bytes.size();
  if (!sent) ++state_->drops;
  return sent;
}

bool Sockets::control_connected() const {
  const Connection* control = state_->control_connection();
  return control != nullptr && control->connected();
}

std::uint64_t Sockets::control_connections() const {
  const Connection* control = state_->control_connection();
  return control == nullptr ? 0 : control->connect_count();
}

std::optional<ConnectRefusal> Sockets::connect_refusal() const {
  const Connection* control = state_->control_connection();
  if (control == nullptr || control->connect_refusal()) {
    return control == nullptr ? std::nullopt : control->connect_refusal();
  }
  const auto publish = state_->connections.find(Channel::publish);
  return publish == state_->connections.end() ? std::nullopt : publish->second.connect_refusal();
}

std::size_t Sockets::waiting_bytes(const Peer& to) {
  return state_->backlog.waiting(connection_of(to.number));
}

std::size_t Sockets::waiting_bytes(const PublicKey& key) {
  DROVER_REQUIRE(state_->authenticator != nullptr);
  std::size_t bytes = 0;
  state_->authenticator->visit_connections(
      key.key, [&](std::uint64_t number) { bytes += state_->backlog.waiting(number); });
  return bytes;
}

const PublicKey* Sockets::allowed_key(const std::string& key) const {
  DROVER_REQUIRE(state_->authenticator != nullptr);
  return state_->authenticator->allowed_key(key);
}

std::uint64_t Sockets::bytes() const { return state_->traffic; }

std::uint64_t Sockets::drops() const { return state_->drops; }

std::uint64_t Sockets::oversize() const { return state_->oversize; }

std::uint64_t Sockets::malformed() const { return state_->malformed; }

}  // namespace drover
