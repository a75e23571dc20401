#include "commands/router/ingress.h"

#include <malloc.h>

#include <iterator>
#include <utility>

#include <fmt/format.h>

#include "fleet/base/units.h"
#include "fleet/keys/keys.h"

namespace drover::commands {
namespace {

// Per turn. A heartbeat waits for at most this time and the work of one message.
constexpr WallSpan agents_time = std::chrono::milliseconds(30);
constexpr WallSpan clients_time = std::chrono::milliseconds(20);

// Limits on unread answers; above them the sender gets no further ones. A snapshot of 10,000
// devices is larger, and is sent completely to a client that has read all answers before.
constexpr std::size_t unread_of_connection_max = std::size_t{1} << 20U;
constexpr std::size_t unread_of_key_max = std::size_t{16} << 20U;

// After this many bytes of messages, free memory is returned to the system when no message waits.
constexpr std::uint64_t release_after_bytes = std::size_t{32} << 20U;
constexpr WallSpan release_every = std::chrono::seconds(2);

std::string owner_of(const Incoming& message) {
  return message.key == nullptr ? std::to_string(message.from.number) : message.key->key;
}

Dropped dropped(const Incoming& message, std::string why) {
  const std::string key = message.key == nullptr ? "" : message.key->name;
  return {message.from, sender_text(message.from, message.address, key), std::move(why), key,
          message.address};
}

Dropped deferred(const Incoming& message, std::string why) {
  Dropped message_dropped = dropped(message, std::move(why));
  message_dropped.retryable = true;
  return message_dropped;
}

}  // namespace

RouterIngress::IngressBatch RouterIngress::read(
    std::chrono::milliseconds longest, const std::function<bool(const Peer&)>& speaks_for_host) {
  IngressBatch turn;
  const bool waits = !inbox_.empty(Inbox::Lane::agents) || !inbox_.empty(Inbox::Lane::clients);
  if (!waits) release_free_memory();
  // Enough for the requests of all clients: messages over the budget are rejected in the same turn.
  PollLimits limits;
  if (inbox_.agents_full()) limits.messages = 0;
  auto arrived = sockets_.wait(waits ? std::chrono::milliseconds(0) : longest, limits,
                               [&](Incoming head, std::string_view bytes) {
                                 return take(turn, std::move(head), bytes, speaks_for_host);
                               });
  turn.dropped.insert(turn.dropped.end(), std::make_move_iterator(arrived.dropped.begin()),
                      std::make_move_iterator(arrived.dropped.end()));
  return turn;
}

bool RouterIngress::take(IngressBatch& turn, Incoming head, std::string_view bytes,
                         const std::function<bool(const Peer&)>& speaks_for_host) {
  if (head.from.channel == Channel::samples) {
    head.bytes = bytes;
    turn.samples.push_back(std::move(head));
    return true;
  }
  const bool agent =
      head.key == nullptr ? speaks_for_host(head.from) : head.key->role == KeyRole::agent;
  const std::string owner = owner_of(head);
  if (!agent) {
    if (auto why = inbox_.refuses(owner, head.from, bytes.size())) {
      turn.dropped.push_back(deferred(head, *std::move(why)));
      return false;
    }
  }
  head.bytes = bytes;
  inbox_.put(agent ? Inbox::Lane::agents : Inbox::Lane::clients, owner, std::move(head));
  return true;
}

/// Why the sender gets no further answers for now; no value if it does.
std::optional<std::string> RouterIngress::unread_answers(const Incoming& message) {
  const std::size_t of_connection = sockets_.waiting_bytes(message.from);
  if (of_connection > unread_of_connection_max) {
    return fmt::format("{} of replies to this connection are unread: read them first",
                       bytes_text(static_cast<double>(of_connection)));
  }
  if (message.key == nullptr) return std::nullopt;
  const std::size_t of_key = sockets_.waiting_bytes(*message.key);
  if (of_key <= unread_of_key_max) return std::nullopt;
  return fmt::format("{} of replies to this key are unread: read them first",
                     bytes_text(static_cast<double>(of_key)));
}

void RouterIngress::serve(const std::function<void(const Incoming&)>& serve,
                          const std::function<void(const Dropped&)>& drop) {
  for (const Inbox::Lane lane : {Inbox::Lane::agents, Inbox::Lane::clients}) {
    const WallTime end = wall_now() + (lane == Inbox::Lane::agents ? agents_time : clients_time);
    while (!inbox_.empty(lane)) {
      std::string owner;
      Incoming message = inbox_.next(lane, &owner);
      const bool guarded = message.key != nullptr;
      // The allow-list, and with it the sender's key, may have changed while the message waited.
      if (guarded) message.key = sockets_.allowed_key(owner);
      if (guarded && message.key == nullptr) {
        // Nothing is sent to a revoked connection any more, so the sender gets no answer.
        Dropped revoked = dropped(message, "its key was removed from the allow-list");
        revoked.from.number = 0;
        revoked.asked = "send";
        drop(revoked);
      } else if (auto why = lane == Inbox::Lane::clients ? unread_answers(message) : std::nullopt) {
        drop(deferred(message, *std::move(why)));
      } else {
        serve(message);
      }
      if (wall_now() >= end) break;
    }
  }
}

void RouterIngress::release_free_memory() {
  if (sockets_.bytes() - released_at_bytes_ < release_after_bytes) return;
  if (wall_now() < next_release_) return;
  released_at_bytes_ = sockets_.bytes();
  next_release_ = wall_now() + release_every;
  malloc_trim(0);
}

}  // namespace drover::commands
