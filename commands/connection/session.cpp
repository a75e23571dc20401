#include "commands/connection/session.h"

#include <pwd.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <iterator>
#include <utility>

#include "commands/shell/host_name.h"
#include "commands/shell/output.h"
#include "fleet/base/identity.h"
#include "fleet/base/text.h"
#include "fleet/base/version.h"

namespace drover::commands {

namespace {

constexpr WallSpan request_interval = std::chrono::seconds(1);
/// A dashboard of 10,000 devices takes about a millisecond for as many batches of samples.
constexpr std::size_t messages_per_wait = 64;

}  // namespace

Session::Session(SessionOptions options) : options_(std::move(options)) {
  // Without keys the router refuses nobody, and ZeroMQ's heartbeats detect a dead connection.
  if (!options_.router.keys.empty()) connection_ = RouterConnection(client_connection_timeout);
}

Result<std::unique_ptr<Session>> Session::open(const SessionOptions& options,
                                               std::optional<ConnectRefusal>* refusal) {
  const std::string& endpoint = options.router.endpoint;
  DROVER_TRY(check_connect(endpoint, "DROVER_CONNECT"));
  std::unique_ptr<Session> session(new Session(options));
  Sockets& sockets = session->sockets_;
  DROVER_TRY(use_keys_of(options.router, "", sockets));
  DROVER_TRY(sockets.connect_control(endpoint));
  const Status joined = session->join();
  if (refusal != nullptr) *refusal = sockets.connect_refusal();
  if (!joined) return joined.error();
  return session;
}

Status Session::join() {
  const WallTime end = wall_now() + options_.timeout;
  while (wall_now() < end) {
    join_when_due(wall_now());
    const WallTime due = std::min(end, connection_.next_deadline());
    for (const auto& [from, envelope] : wait_until(due).messages) {
      if (const auto* refusal = std::get_if<JoinRejected>(&envelope.body)) {
        return error(ErrorKind::refused, "the router at {} refused this client: {}",
                     options_.router.endpoint, printable(refusal->why));
      }
    }
    if (welcomed_) return {};
    if (!welcome_problem_.empty()) {
      return error(ErrorKind::io, "the router at {} reports an invalid time: {}",
                   options_.router.endpoint, welcome_problem_);
    }
    if (const auto connect_refusal = sockets_.connect_refusal()) {
      return error(ErrorKind::refused, "{}",
                   connect_refusal_text(*connect_refusal, options_.router, ""));
    }
  }
  return no_router_error();
}

Error Session::no_router_error() const {
  const auto endpoint = parse_endpoint(options_.router.endpoint, "");
  if (endpoint && !endpoint->loopback()) {
    return error(ErrorKind::lost,
                 "no router at {}: check that one is running there and that this machine can reach "
                 "it",
                 options_.router.endpoint);
  }
  const std::string listen =
      options_.router.endpoint == default_endpoint ? "" : " --listen " + options_.router.endpoint;
  return error(ErrorKind::lost, "no router at {}: start one with: drover router{}",
               options_.router.endpoint, listen);
}

bool Session::send(Message message) {
  // A fresh socket would queue the message until the router accepts the connection, and then send
  // it before the Join.
  if (sockets_.control_connections() > 0 && !sockets_.control_connected()) return false;
  const Envelope envelope{options_.name, ++sequence_, clock_.now(), std::move(message)};
  const bool sent = sockets_.send(router_peer, encode(envelope));
  if (sent) connection_.sent(wall_now());
  return sent;
}

void Session::join_when_due(WallTime now) {
  if (connection_.take_join(now)) send(Join{options_.role, options_.name, software_name});
}

void Session::keep_joined() {
  const WallTime now = wall_now();
  // Reconnecting may fail, for example without a free descriptor: it is tried again later.
  if (connection_.take_replacement(now)) (void)sockets_.reconnect_control().ok();
  join_when_due(now);
}

Status Session::subscribe() {
  connection_.expect_messages(wall_now());
  if (welcome_.publish_endpoint == subscribed_) return {};
  subscribed_ = welcome_.publish_endpoint;
  return welcome_.bundles ? sockets_.connect_publish(subscribed_, Topic::bundles)
                          : sockets_.connect_publish(subscribed_);
}

/// The first one starts the clock; later ones, from a router that restarted, correct it.
void Session::handle_join_accepted(const JoinAccepted& welcome, PollResult& turn) {
  const auto joined = connection_.accepted(welcome, clock_.now());
  if (joined.starts_clock) {
    clock_ = Clock(welcome.fleet_time, welcome.speed);
  } else {
    clock_.reanchor(welcome.fleet_time, welcome.speed);
  }
  if (joined.clock_jump) turn.clock_jump = joined.clock_jump;
  welcome_ = welcome;
  const auto endpoint = parse_endpoint(welcome.publish_endpoint, "");
  insecure_ = options_.router.keys.empty() && endpoint && !endpoint->loopback();
  welcome_.publish_endpoint = reachable(welcome.publish_endpoint, options_.router.endpoint);
  welcomed_ = true;
}

Session::PollResult Session::wait(std::chrono::milliseconds longest) {
  if (!has_more()) receive(longest);
  // Silence begins when nothing is left: it may take long to handle what has come.
  if (has_more()) connection_.received(wall_now());
  PollResult turn;
  turn.messages.reserve(messages_per_wait);
  turn.encoded.reserve(messages_per_wait);
  while (turn.messages.size() < messages_per_wait) {
    if (!bundled_.empty()) {
      pass_on_bundled(std::move(bundled_.front()), turn);
      bundled_.pop_front();
    } else if (!arrived_.empty()) {
      pass_on(std::move(arrived_.front()), turn);
      arrived_.pop_front();
    } else {
      break;
    }
  }
  return turn;
}

void Session::receive(std::chrono::milliseconds longest) {
  auto arrived = sockets_.wait(longest);
  if (connection_.established(sockets_.control_connections())) join_when_due(wall_now());
  std::ranges::move(arrived.messages, std::back_inserter(arrived_));
}

void Session::pass_on(Incoming incoming, PollResult& turn) {
  auto envelope = decode(incoming.bytes);
  if (!envelope) {
    ++undecodable_;
    return;
  }
  if (auto* const bundle = std::get_if<Bundle>(&envelope->body)) {
    std::ranges::move(bundle->messages, std::back_inserter(bundled_));
    return;
  }
  if (const auto* welcome = std::get_if<JoinAccepted>(&envelope->body)) {
    if (const Status sensible = check_join_accepted(*welcome); !sensible) {
      welcome_problem_ = sensible.error().message;
      ++undecodable_;
      return;
    }
    handle_join_accepted(*welcome, turn);
  }
  turn.messages.emplace_back(incoming.from, *std::move(envelope));
  turn.encoded.push_back(std::move(incoming.bytes));
}

/// As if the message had been published by itself.
void Session::pass_on_bundled(std::string bytes, PollResult& turn) {
  auto envelope = decode(bytes);
  if (envelope && facts(envelope->body).publication != Publication::none &&
      !std::holds_alternative<Bundle>(envelope->body)) {
    turn.messages.emplace_back(publish_peer, *std::move(envelope));
    turn.encoded.push_back(std::move(bytes));
  } else {
    ++undecodable_;
  }
}

Status Session::ask_until(const Message& request, std::chrono::milliseconds timeout,
                          const Take& take) {
  const WallTime end = wall_now() + timeout;
  WallTime ask_again{};
  std::string rejection;
  while (wall_now() < end) {
    if (wall_now() >= ask_again) {
      send(request);
      ask_again = wall_now() + request_interval;
    }
    const WallTime due = std::min({end, ask_again, connection_.next_deadline()});
    for (auto& [from, envelope] : wait_until(due).messages) {
      if (from != router_peer) continue;
      if (take(envelope.body)) return {};
      const auto* problem = std::get_if<RequestError>(&envelope.body);
      if (problem == nullptr) continue;
      if (!problem->retryable) {
        return error(ErrorKind::refused, "the router refused the request: {}",
                     printable(problem->what));
      }
      rejection = problem->what;
    }
    keep_joined();
  }
  const std::string& endpoint = options_.router.endpoint;
  if (const auto connect_refusal = sockets_.connect_refusal()) {
    return error(ErrorKind::refused, "{}",
                 connect_refusal_text(*connect_refusal, options_.router, ""));
  }
  if (!rejection.empty()) {
    return error(ErrorKind::lost, "the router at {} is overloaded: {}", endpoint,
                 printable(rejection));
  }
  return error(ErrorKind::lost, "the router at {} did not answer within {} ms", endpoint,
               timeout.count());
}

Session::PollResult Session::wait_until(WallTime latest) {
  const WallTime now = wall_now();
  return wait(std::chrono::ceil<std::chrono::milliseconds>(std::max(latest, now) - now));
}

bool ConnectRefusalNotice::update(Session& session) {
  const auto connect_refusal = session.sockets().connect_refusal();
  if (std::exchange(reported_, connect_refusal) != connect_refusal && connect_refusal) {
    write_stderr("{}: {}: {}; retrying\n", command_, session.router().endpoint,
                 connect_refusal_summary(*connect_refusal, session.router()));
  }
  return connect_refusal.has_value();
}

std::string user_name(const std::string& otherwise) {
  passwd entry{};
  passwd* found = nullptr;
  std::array<char, 4096> texts{};
  const int failed = getpwuid_r(geteuid(), &entry, texts.data(), texts.size(), &found);
  const bool named = failed == 0 && found != nullptr && entry.pw_name[0] != '\0';
  return named ? entry.pw_name : otherwise;
}

std::string user_and_host(const std::string& otherwise) {
  const std::string user = user_name(otherwise);
  const std::string name = fmt::format("{}:{}", is_name(user) ? user : otherwise, own_host_name());
  return name.substr(0, name_bytes_max);
}

}  // namespace drover::commands
