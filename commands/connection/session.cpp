#include "commands/connection/session.h"

#include <algorithm>

#include "commands/shell/silence.h"
#include "fleet/base/text.h"

namespace drover::commands {

namespace {

constexpr std::chrono::milliseconds join_again{500};
/// The router has said nothing for so long to what was sent: it may have a new life.
constexpr Wall silence_max = std::chrono::seconds(2);

}  // namespace

Session::Session(SessionOptions options) : options_(std::move(options)) {}

Result<std::unique_ptr<Session>> Session::open(const SessionOptions& options) {
  const std::string& endpoint = options.router.endpoint;
  if (Status fine = check_connect(endpoint, "DROVER_CONNECT"); !fine) return fine.error();
  std::unique_ptr<Session> session(new Session(options));
  Sockets& sockets = session->sockets_;
  if (Status fine = use_keys_of(options.router, "", sockets); !fine) return fine.error();
  if (Status fine = sockets.connect_control(endpoint); !fine) return fine.error();
  if (const Status joined = session->join(); !joined) return joined.error();
  return session;
}

Status Session::join() {
  const Wall end = wall_now() + options_.patience;
  Wall ask_again{0};
  while (wall_now() < end) {
    if (wall_now() >= ask_again) {
      send_join();
      ask_again = wall_now() + join_again;
    }
    for (const auto& [from, envelope] : wait(std::chrono::milliseconds(100)).messages) {
      if (const auto* refusal = std::get_if<Unwelcome>(&envelope.body)) {
        return error("the router at {} does not take this client: {}", options_.router.endpoint,
                     printable(refusal->why));
      }
    }
    if (welcomed_) return {};
    if (!trouble_.empty()) {
      return error("the router at {} tells a time that cannot be: {}", options_.router.endpoint,
                   trouble_);
    }
    if (const auto barred = sockets_.barred()) {
      return Error{barred_text(*barred, options_.router, "")};
    }
  }
  return nobody_there();
}

Error Session::nobody_there() const {
  const auto endpoint = parse_endpoint(options_.router.endpoint, "");
  if (endpoint && !endpoint->loopback()) {
    return error("no router at {}: is one running there, and may this machine reach it?",
                 options_.router.endpoint);
  }
  const std::string listen =
      options_.router.endpoint == default_endpoint ? "" : " --listen " + options_.router.endpoint;
  return error("no router at {}: start one with: drover router{}", options_.router.endpoint,
               listen);
}

bool Session::send(Message message) {
  // A fresh socket would keep it for when the router lets us in, late and before the Join.
  if (connections_ > 0 && !sockets_.control_connected()) return false;
  Envelope envelope;
  envelope.sender = options_.name;
  envelope.sequence = ++sequence_;
  envelope.at = clock_.now();
  envelope.body = std::move(message);
  const bool sent = sockets_.send(router_peer, encode(envelope));
  if (sent && !unanswered_since_) unanswered_since_ = wall_now();
  return sent;
}

bool Session::send_join() {
  joined_ = wall_now();
  return send(Join{options_.role, options_.name, software_name});
}

void Session::knock() {
  if (!unanswered_since_) return;
  const Wall now = wall_now();
  // Without keys nobody is shut out, and ZeroMQ's heartbeats find a dead connection.
  if (!options_.router.keys.empty() && now - *unanswered_since_ > client_connection_silence_max) {
    unanswered_since_.reset();
    // Without a descriptor for it, say: the next time may be better.
    if (!sockets_.reconnect_control()) unanswered_since_ = now;
  } else if (now - std::max(*unanswered_since_, joined_) > silence_max) {
    send_join();
  }
}

Status Session::subscribe() {
  if (welcome_.publish_endpoint == subscribed_) return {};
  subscribed_ = welcome_.publish_endpoint;
  return sockets_.connect_publish(subscribed_);
}

/// The first one starts the clock; later ones (a router that restarted) set it right.
void Session::be_welcomed(const Welcome& welcome, Turn& turn) {
  const auto leap = welcomed_ ? leap_to(welcome, clock_.now()) : std::nullopt;
  if (welcomed_ && !leap) {
    clock_.anchor_again(welcome.fleet_time, welcome.speed);
  } else {
    clock_ = Clock(welcome.fleet_time, welcome.speed);
  }
  if (leap) turn.leap = leap;
  welcome_ = welcome;
  const auto door = parse_endpoint(welcome.publish_endpoint, "");
  insecure_ = options_.router.keys.empty() && door && !door->loopback();
  welcome_.publish_endpoint = reachable(welcome.publish_endpoint, options_.router.endpoint);
  welcomed_ = true;
}

Session::Turn Session::wait(std::chrono::milliseconds longest) {
  Turn turn;
  auto arrived = sockets_.wait(longest);
  turn.ready_descriptors = std::move(arrived.ready_descriptors);
  if (sockets_.control_connections() != connections_) {
    connections_ = sockets_.control_connections();
    unanswered_since_.reset();
    if (welcomed_) send_join();
  }
  for (const Incoming& incoming : arrived.messages) {
    if (incoming.from == router_peer) unanswered_since_.reset();
    auto envelope = decode(incoming.bytes);
    if (!envelope) {
      ++undecodable_;
      continue;
    }
    if (const auto* welcome = std::get_if<Welcome>(&envelope->body)) {
      if (const Status sensible = check_welcome(*welcome); !sensible) {
        trouble_ = sensible.error().message;
        ++undecodable_;
        continue;
      }
      be_welcomed(*welcome, turn);
    }
    turn.messages.emplace_back(incoming.from, std::move(*envelope));
  }
  return turn;
}

}  // namespace drover::commands
