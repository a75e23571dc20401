#include "commands/router/router_intake.h"

#include <malloc.h>

#include <iterator>
#include <utility>

#include <fmt/format.h>

#include "fleet/base/units.h"
#include "fleet/keys/keys.h"

namespace drover::commands {
namespace {

// Of one turn. A heartbeat waits for this long and one message's work besides, whatever others do.
constexpr Wall agents_time = std::chrono::milliseconds(30);
constexpr Wall clients_time = std::chrono::milliseconds(20);

// Answers that wait to be read: more, and there are no further ones. A snapshot of 10,000 devices
// is larger; it is sent whole to whoever has read what came before.
constexpr std::size_t unread_of_connection_max = std::size_t{1} << 20U;
constexpr std::size_t unread_of_key_max = std::size_t{16} << 20U;

// What so many bytes of messages took is given back to the system when nothing waits any more.
constexpr std::uint64_t give_back_after_bytes = std::size_t{32} << 20U;
constexpr Wall give_back_every = std::chrono::seconds(2);

std::string owner_of(const Incoming& message) {
  return message.key == nullptr ? std::to_string(message.from.number) : message.key->key;
}

Dropped dropped(const Incoming& message, std::string why) {
  const std::string key = message.key == nullptr ? "" : message.key->name;
  return {message.from, sender_text(message.from, message.address, key), std::move(why), key,
          message.address};
}

Dropped deferred(const Incoming& message, std::string why) {
  Dropped what = dropped(message, std::move(why));
  what.passing = true;
  return what;
}

}  // namespace

RouterIntake::Turn RouterIntake::read(std::chrono::milliseconds longest,
                                      const std::function<bool(const Peer&)>& speaks_for_host) {
  Turn turn;
  const bool waits = !inbox_.empty(Inbox::Line::agents) || !inbox_.empty(Inbox::Line::clients);
  if (!waits) give_memory_back();
  // Enough for the requests of all clients: what exceeds their budget is let go in the same turn.
  TurnLimits limits;
  if (inbox_.agents_full()) limits.messages = 0;
  auto arrived = sockets_.wait(waits ? std::chrono::milliseconds(0) : longest, limits,
                               [&](Incoming head, std::string_view bytes) {
                                 return take(turn, std::move(head), bytes, speaks_for_host);
                               });
  turn.dropped.insert(turn.dropped.end(), std::make_move_iterator(arrived.dropped.begin()),
                      std::make_move_iterator(arrived.dropped.end()));
  return turn;
}

bool RouterIntake::take(Turn& turn, Incoming head, std::string_view bytes,
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
  inbox_.put(agent ? Inbox::Line::agents : Inbox::Line::clients, owner, std::move(head));
  return true;
}

/// Why its sender gets no further answer for now; none: it does.
std::optional<std::string> RouterIntake::unread(const Incoming& message) {
  const std::size_t of_connection = sockets_.waiting_bytes(message.from);
  if (of_connection > unread_of_connection_max) {
    return fmt::format("{} of answers to this connection wait to be read: read them first",
                       bytes_text(static_cast<double>(of_connection)));
  }
  if (message.key == nullptr) return std::nullopt;
  const std::size_t of_key = sockets_.waiting_bytes(*message.key);
  if (of_key <= unread_of_key_max) return std::nullopt;
  return fmt::format("{} of answers to this key wait to be read: read them first",
                     bytes_text(static_cast<double>(of_key)));
}

void RouterIntake::serve(const std::function<void(const Incoming&)>& serve,
                         const std::function<void(const Dropped&)>& drop) {
  for (const Inbox::Line line : {Inbox::Line::agents, Inbox::Line::clients}) {
    const Wall end = wall_now() + (line == Inbox::Line::agents ? agents_time : clients_time);
    while (!inbox_.empty(line)) {
      std::string owner;
      Incoming message = inbox_.next(line, &owner);
      const bool guarded = message.key != nullptr;
      // The allow-list may have changed while it waited, and the key that was told with it.
      if (guarded) message.key = sockets_.admitted(owner);
      if (guarded && message.key == nullptr) {
        // Nothing goes to its connection any more, so there is nobody to be answered.
        Dropped revoked = dropped(message, "its key was taken off the allow-list");
        revoked.from.number = 0;
        revoked.asked = "send";
        drop(revoked);
      } else if (auto why = line == Inbox::Line::clients ? unread(message) : std::nullopt) {
        drop(deferred(message, *std::move(why)));
      } else {
        serve(message);
      }
      if (wall_now() >= end) break;
    }
  }
}

void RouterIntake::give_memory_back() {
  if (sockets_.bytes() - given_back_at_ < give_back_after_bytes) return;
  if (wall_now() < next_give_back_) return;
  given_back_at_ = sockets_.bytes();
  next_give_back_ = wall_now() + give_back_every;
  malloc_trim(0);
}

}  // namespace drover::commands
