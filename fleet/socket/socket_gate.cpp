#include "fleet/socket/socket_gate.h"

#include <algorithm>
#include <array>
#include <utility>

#include <fmt/format.h>

#include "fleet/base/text.h"
#include "fleet/socket/socket_frames.h"

namespace drover {
namespace {

constexpr const char* gate_address = "inproc://zeromq.zap.01";
// One key may have many connections: the hosts of an agent's key, a script that submits. At least
// so many are known by number.
constexpr std::size_t numbers_min = 1024;

// A question: version, request id, domain, address, routing id, mechanism, key (RFC 27).
enum Frame : std::size_t { version, request, domain, address, routing, mechanism, key_at, count };
constexpr std::size_t key_size = 32;
// ZMQ_ZAP_ENFORCE_DOMAIN, which libzmq 4.3 has but shows only to builds with drafts.
constexpr int enforce_domain = 93;

struct Door {
  Channel channel;
  const char* domain;
};
constexpr std::array<Door, 3> doors{
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

Gate::Gate(zmq::context_t& context, std::string secret)
    : questions_(context, zmq::socket_type::rep), secret_(std::move(secret)) {
  questions_.set(zmq::sockopt::linger, 0);
  questions_.bind(gate_address);
}

void Gate::guard(zmq::socket_t& door, Channel channel) const {
  const auto* found = std::find_if(doors.begin(), doors.end(),
                                   [&](const Door& one) { return one.channel == channel; });
  DROVER_REQUIRE(found != doors.end());
  door.set(zmq::sockopt::curve_server, true);
  door.set(zmq::sockopt::curve_secretkey, secret_);
  door.set(zmq::sockopt::zap_domain, found->domain);
  // Without a gate nobody is let in, rather than everybody.
  const int enforced = 1;
  if (zmq_setsockopt(door.handle(), enforce_domain, &enforced, sizeof enforced) != 0) {
    throw zmq::error_t();
  }
}

bool Gate::admit(std::vector<PublicKey> keys) {
  Book before = std::move(admitted_);
  before.merge(former_);
  admitted_.clear();
  former_.clear();
  cut_off_.clear();
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
      cut_off_.insert(generation->begin(), generation->end());
    }
  }
  return still_subscribed;
}

/// What is wrong with the key that a question is about; none: it is let in. `key` becomes its text.
std::optional<Dropped> Gate::judge(const std::vector<zmq::message_t>& question, std::string& key) {
  const std::string from = printable(question[Frame::address].to_string_view());
  const auto* const door = std::find_if(doors.begin(), doors.end(), [&](const Door& one) {
    return question[Frame::domain].to_string_view() == one.domain;
  });
  const Channel channel = door == doors.end() ? Channel::samples : door->channel;
  // Strangers make as many keys as they like: they are told apart by where they come from.
  const auto refuse = [&](const std::string& known, std::string why, std::string asked) {
    const std::string sender = known.empty() ? fmt::format("strangers from {}", from)
                                             : sender_text({channel, 0}, from, known);
    return Dropped{Peer{channel, 0}, sender, std::move(why), known, from, std::move(asked)};
  };
  if (question[Frame::key_at].size() != key_size) return refuse("", "without a key", "connect");
  key = z85_of(question[Frame::key_at]);
  const auto found = admitted_.find(key);
  if (found == admitted_.end()) {
    const std::string print = fingerprint(key);
    return refuse(
        "", fmt::format("the key {} is not on the allow-list (see: drover keys allow)", print),
        fmt::format("connect with the key {}", print));
  }
  const PublicKey& known = found->second.key;
  if (door == doors.end()) return refuse(known.name, "at a door that there is not", "connect");
  if (admits(door->channel, known.role)) return std::nullopt;
  return refuse(known.name,
                fmt::format("the key {} (role {}) is not for the {} door", known.name,
                            to_text(known.role), door->domain),
                "connect");
}

void Gate::answer(int limit, std::vector<Dropped>& refused) {
  for (int answered = 0; answered < limit; ++answered) {
    const std::vector<zmq::message_t> question = receive_frames(questions_, Frame::count);
    if (question.empty()) return;
    std::string key;
    std::optional<Dropped> wrong;
    std::string_view id;
    if (question.size() < Frame::count) {
      // Only ZeroMQ itself asks here; what it asks of keys has all frames.
      wrong = Dropped{Peer{Channel::samples, 0}, "strangers", "without a key", {}, {}, "connect"};
      if (question.size() > Frame::request) id = question[Frame::request].to_string_view();
    } else {
      id = question[Frame::request].to_string_view();
      wrong = judge(question, key);
    }
    send_frame(questions_, "1.0", ZMQ_SNDMORE);
    send_frame(questions_, id, ZMQ_SNDMORE);
    send_frame(questions_, wrong ? "400" : "200", ZMQ_SNDMORE);
    send_frame(questions_, wrong ? "refused" : "OK", ZMQ_SNDMORE);
    send_frame(questions_, wrong ? "" : key, ZMQ_SNDMORE);
    send_frame(questions_, "", 0);
    if (wrong) refused.push_back(*std::move(wrong));
  }
}

// The key itself is the user: a name could be given to another key while a connection stands.
Gate::Admitted* Gate::find(const zmq::message_t& frame) {
  const char* user = zmq_msg_gets(frame.handle(), "User-Id");
  if (user == nullptr) return nullptr;
  const auto found = admitted_.find(user);
  return found == admitted_.end() ? nullptr : &found->second;
}

std::optional<Gate::Holder> Gate::holder_of(const zmq::message_t& frame) const {
  const char* user = zmq_msg_gets(frame.handle(), "User-Id");
  if (user == nullptr) return std::nullopt;
  for (const Book* book : {&admitted_, &former_}) {
    const auto found = book->find(user);
    if (found != book->end()) return Holder{found->second.key.name, book == &admitted_};
  }
  return std::nullopt;
}

void Gate::Numbers::heard(std::uint64_t number, std::size_t kept) {
  if (recent.size() >= kept && !recent.contains(number)) {
    older = std::exchange(recent, {});
  }
  recent.insert(number);
}

const PublicKey* Gate::sender_of(const zmq::message_t& frame, std::uint64_t number) {
  Admitted* entry = find(frame);
  if (entry == nullptr) return nullptr;
  if (number != 0) entry->numbers.heard(number, std::max(numbers_min, entry->key.ids.size()));
  return &entry->key;
}

const PublicKey* Gate::admitted(const std::string& key) const {
  const auto found = admitted_.find(key);
  return found == admitted_.end() ? nullptr : &found->second.key;
}

void Gate::visit_connections(const std::string& key,
                             const std::function<void(std::uint64_t number)>& visit) const {
  const auto found = admitted_.find(key);
  if (found == admitted_.end()) return;
  const Numbers& numbers = found->second.numbers;
  for (const std::uint64_t number : numbers.recent) visit(number);
  for (const std::uint64_t number : numbers.older) {
    if (!numbers.recent.contains(number)) visit(number);
  }
}

const PublicKey* Gate::subscriber_of(const zmq::message_t& frame) {
  Admitted* entry = find(frame);
  if (entry == nullptr || !may_subscribe(entry->key.role)) return nullptr;
  entry->subscribed = true;
  return &entry->key;
}

}  // namespace drover
