#include "commands/session.h"

#include <cstdlib>

#include "fleet/text.h"

namespace drover::commands {

namespace {

constexpr std::chrono::milliseconds join_again{500};

}  // namespace

Option connect_option() {
  Option option{
      "connect", "E",
      std::string("the router (default: $DROVER_CONNECT, else ") + default_endpoint + ")"};
  option.check = [](const std::string& value) { return check_connect(value, "--connect"); };
  return option;
}

Status check_connect(const std::string& endpoint, std::string_view place) {
  const auto parsed = parse_endpoint(endpoint, place);
  if (!parsed) return parsed.error();
  if (parsed->host != "*" && parsed->port != 0) return {};
  return error("{}: found \"{}\", expected one host and one port", place, excerpt(endpoint, 80));
}

std::string endpoint_of(const Arguments& arguments) {
  if (arguments.has("connect")) return arguments.text("connect");
  const char* from_environment = std::getenv("DROVER_CONNECT");
  return from_environment != nullptr && *from_environment != 0 ? from_environment
                                                               : default_endpoint;
}

Session::Session(SessionOptions options) : options_(std::move(options)) {}

Result<std::unique_ptr<Session>> Session::open(const SessionOptions& options) {
  if (Status fine = check_connect(options.endpoint, "DROVER_CONNECT"); !fine) return fine.error();
  std::unique_ptr<Session> session(new Session(options));
  if (const Status connected = session->sockets_.connect_control(options.endpoint); !connected) {
    return connected.error();
  }
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
        return error("the router at {} does not take this client: {}", options_.endpoint,
                     printable(refusal->why));
      }
    }
    if (welcomed_) return {};
  }
  return nobody_there();
}

Error Session::nobody_there() const {
  const auto endpoint = parse_endpoint(options_.endpoint, "");
  if (endpoint && !endpoint->loopback()) {
    return error("no router at {}: is one running there, and may this machine reach it?",
                 options_.endpoint);
  }
  const std::string listen =
      options_.endpoint == default_endpoint ? "" : " --listen " + options_.endpoint;
  return error("no router at {}: start one with: drover router{}", options_.endpoint, listen);
}

bool Session::send(Message message) {
  Envelope envelope;
  envelope.sender = options_.name;
  envelope.sequence = ++sequence_;
  envelope.at = clock_.now();
  envelope.body = std::move(message);
  return sockets_.send(router_peer, encode(envelope));
}

bool Session::send_join() { return send(Join{options_.role, options_.name, software_name}); }

Session::Turn Session::wait(std::chrono::milliseconds longest) {
  Turn turn;
  auto arrived = sockets_.wait(longest);
  turn.ready_descriptors = std::move(arrived.ready_descriptors);
  if (sockets_.control_connections() != connections_) {
    connections_ = sockets_.control_connections();
    if (welcomed_) send_join();
  }
  for (const Incoming& incoming : arrived.messages) {
    auto envelope = decode(incoming.bytes);
    if (!envelope) {
      ++undecodable_;
      continue;
    }
    if (const auto* welcome = std::get_if<Welcome>(&envelope->body)) {
      // The first one starts the clock; later ones (a router that restarted) set it right.
      if (welcomed_) {
        clock_.anchor_again(welcome->fleet_time, welcome->speed);
      } else {
        clock_ = Clock(welcome->fleet_time, welcome->speed);
      }
      welcome_ = *welcome;
      welcomed_ = true;
    }
    turn.messages.emplace_back(incoming.from, std::move(*envelope));
  }
  return turn;
}

}  // namespace drover::commands
