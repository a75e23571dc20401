#include "fleet/socket/zap_authenticator.h"

#include <algorithm>
#include <array>
#include <utility>

#include <fmt/format.h>

#include "fleet/base/text.h"
#include "fleet/socket/frames.h"

namespace drover {
namespace {

constexpr const char* gate_address = "inproc://zeromq.zap.01";
// One key may have many connections: the hosts of an agent's key, a script that submits. At least
// this many are tracked.
constexpr std::size_t numbers_min = 1024;

// The frames of a request: version, request id, domain, address, routing id, mechanism, key (RFC
// 27).
enum Frame : std::size_t { version, request, domain, address, routing, mechanism, key_at, count };
constexpr std::size_t key_size = 32;
// ZMQ_ZAP_ENFORCE_DOMAIN, which libzmq 4.3 supports but declares only in builds with drafts.
constexpr int enforce_domain = 93;

struct EndpointSocket {
  Channel channel;
  const char* domain;
};
constexpr std::array<EndpointSocket, 3> endpoint_sockets{
    {{Channel::control, "control"}, {Channel::samples, "samples"}, {Channel::publish, "publish"}}};

bool admits(Channel channel, KeyRole role) {
  switch (channel) {
    case Channel::samples:
      return role == KeyRole::agent;
    case Channel::publish:
      return may_subscribe(role);
    default:
      return role != KeyRole::router;
  }
}

std::string z85_of(const zmq::message_t& bytes) {
  std::array<char, 41> text{};
  zmq_z85_encode(text.data(), bytes.data<std::uint8_t>(), bytes.size());
  return text.data();
}

}  // namespace

ZapAuthenticator::ZapAuthenticator(zmq::context_t& context, std::string secret)
    : zap_socket_(context, zmq::socket_type::rep), secret_(std::move(secret)) {
  zap_socket_.set(zmq::sockopt::linger, 0);
  zap_socket_.bind(gate_address);
}

void ZapAuthenticator::require_keys(zmq::socket_t& endpoint_socket, Channel channel) const {
  const auto* found =
      std::find_if(endpoint_sockets.begin(), endpoint_sockets.end(),
                   [&](const EndpointSocket& one) { return one.channel == channel; });
  DROVER_REQUIRE(found != endpoint_sockets.end());
  endpoint_socket.set(zmq::sockopt::curve_server, true);
  endpoint_socket.set(zmq::sockopt::curve_secretkey, secret_);
  endpoint_socket.set(zmq::sockopt::zap_domain, found->domain);
  // Without an authenticator all peers are refused instead of accepted.
  const int enforced = 1;
  if (zmq_setsockopt(endpoint_socket.handle(), enforce_domain, &enforced, sizeof enforced) != 0) {
    throw zmq::error_t();
  }
}

bool ZapAuthenticator::allow_keys(std::vector<PublicKey> keys) {
  KeyTable before = std::move(admitted_);
  before.merge(former_);
  admitted_.clear();
  former_.clear();
  revoked_.clear();
  bool still_subscribed = false;
  for (PublicKey& key : keys) {
    Admitted entry;
    if (const auto known = before.find(key.key); known != before.end()) {
      entry = std::move(known->second);
      before.erase(known);
    }
    entry.key = std::move(key);
    if (!may_subscribe(entry.key.role)) {
      still_subscribed |= std::exchange(entry.subscribed, false);
    }
    admitted_.insert_or_assign(entry.key.key, std::move(entry));
  }
  former_ = std::move(before);
  for (auto& [text, entry] : former_) {
    still_subscribed |= std::exchange(entry.subscribed, false);
    for (const auto* generation : {&entry.numbers.recent, &entry.numbers.older}) {
      revoked_.insert(generation->begin(), generation->end());
    }
  }
  return still_subscribed;
}

/// Why the key of a request is refused; none: it is allowed. Sets `key` to its text.
std::optional<Dropped> ZapAuthenticator::authenticate(
    const std::vector<zmq::message_t>& request_frames, std::string& key) {
  const std::string from = printable(request_frames[Frame::address].to_string_view());
  const auto* const endpoint_socket = std::find_if(
      endpoint_sockets.begin(), endpoint_sockets.end(), [&](const EndpointSocket& one) {
        return request_frames[Frame::domain].to_string_view() == one.domain;
      });
  const Channel channel =
      endpoint_socket == endpoint_sockets.end() ? Channel::samples : endpoint_socket->channel;
  // Unknown peers can generate any number of keys, so they are identified by their address.
  const auto refuse = [&](const std::string& known, std::string why, std::string asked) {
    const std::string sender = known.empty() ? fmt::format("unknown peers from {}", from)
                                             : sender_text({channel, 0}, from, known);
    return Dropped{Peer{channel, 0}, sender, std::move(why), known, from, std::move(asked)};
  };
  if (request_frames[Frame::key_at].size() != key_size)
    return refuse("", "without a key", "connect");
  key = z85_of(request_frames[Frame::key_at]);
  const auto found = admitted_.find(key);
  if (found == admitted_.end()) {
    const std::string print = fingerprint(key);
    return refuse(
        "", fmt::format("the key {} is not on the allow-list (see: drover keys allow)", print),
        fmt::format("connect with the key {}", print));
  }
  const PublicKey& known = found->second.key;
  if (endpoint_socket == endpoint_sockets.end())
    return refuse(known.name, "at an unknown endpoint", "connect");
  if (admits(endpoint_socket->channel, known.role)) return std::nullopt;
  return refuse(known.name,
                fmt::format("the key {} (role {}) is not for the {} endpoint", known.name,
                            to_text(known.role), endpoint_socket->domain),
                "connect");
}

void ZapAuthenticator::answer_requests(int limit, std::vector<Dropped>& refused) {
  for (int answered = 0; answered < limit; ++answered) {
    const std::vector<zmq::message_t> request_frames = receive_frames(zap_socket_, Frame::count);
    if (request_frames.empty()) return;
    std::string key;
    std::optional<Dropped> wrong;
    std::string_view id;
    if (request_frames.size() < Frame::count) {
      // Only ZeroMQ itself sends requests here; those about keys have all frames.
      wrong =
          Dropped{Peer{Channel::samples, 0}, "unknown peers", "without a key", {}, {}, "connect"};
      if (request_frames.size() > Frame::request)
        id = request_frames[Frame::request].to_string_view();
    } else {
      id = request_frames[Frame::request].to_string_view();
      wrong = authenticate(request_frames, key);
    }
    send_frame(zap_socket_, "1.0", ZMQ_SNDMORE);
    send_frame(zap_socket_, id, ZMQ_SNDMORE);
    send_frame(zap_socket_, wrong ? "400" : "200", ZMQ_SNDMORE);
    send_frame(zap_socket_, wrong ? "refused" : "OK", ZMQ_SNDMORE);
    send_frame(zap_socket_, wrong ? "" : key, ZMQ_SNDMORE);
    send_frame(zap_socket_, "", 0);
    if (wrong) refused.push_back(*std::move(wrong));
  }
}

// The key itself is the user id: its name could be given to another key during a connection.
ZapAuthenticator::Admitted* ZapAuthenticator::find(const zmq::message_t& frame) {
  const char* user = zmq_msg_gets(frame.handle(), "User-Id");
  if (user == nullptr) return nullptr;
  const auto found = admitted_.find(user);
  return found == admitted_.end() ? nullptr : &found->second;
}

std::optional<ZapAuthenticator::Holder> ZapAuthenticator::holder_of(
    const zmq::message_t& frame) const {
  const char* user = zmq_msg_gets(frame.handle(), "User-Id");
  if (user == nullptr) return std::nullopt;
  for (const KeyTable* book : {&admitted_, &former_}) {
    const auto found = book->find(user);
    if (found != book->end()) return Holder{found->second.key.name, book == &admitted_};
  }
  return std::nullopt;
}

void ZapAuthenticator::ConnectionNumbers::record_received(std::uint64_t number, std::size_t kept) {
  if (recent.size() >= kept && !recent.contains(number)) {
    older = std::exchange(recent, {});
  }
  recent.insert(number);
}

const PublicKey* ZapAuthenticator::sender_of(const zmq::message_t& frame, std::uint64_t number) {
  Admitted* entry = find(frame);
  if (entry == nullptr) return nullptr;
  if (number != 0)
    entry->numbers.record_received(number, std::max(numbers_min, entry->key.ids.size()));
  return &entry->key;
}

const PublicKey* ZapAuthenticator::allowed_key(const std::string& key) const {
  const auto found = admitted_.find(key);
  return found == admitted_.end() ? nullptr : &found->second.key;
}

void ZapAuthenticator::visit_connections(
    const std::string& key, const std::function<void(std::uint64_t number)>& visit) const {
  const auto found = admitted_.find(key);
  if (found == admitted_.end()) return;
  const ConnectionNumbers& numbers = found->second.numbers;
  for (const std::uint64_t number : numbers.recent) visit(number);
  for (const std::uint64_t number : numbers.older) {
    if (!numbers.recent.contains(number)) visit(number);
  }
}

const PublicKey* ZapAuthenticator::subscriber_of(const zmq::message_t& frame) {
  Admitted* entry = find(frame);
  if (entry == nullptr || !may_subscribe(entry->key.role)) return nullptr;
  entry->subscribed = true;
  return &entry->key;
}

}  // namespace drover
