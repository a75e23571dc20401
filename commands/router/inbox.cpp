#include "commands/router/inbox.h"

#include <utility>

#include <fmt/format.h>

#include "fleet/base/result.h"
#include "fleet/base/units.h"

namespace drover::commands {
namespace {

/// The approximate memory that a message takes besides its bytes.
constexpr std::size_t overhead_bytes = 256;

std::size_t cost(const Incoming& message) { return message.bytes.size() + overhead_bytes; }

/// The entry after `last`, or the first. REQUIRES one.
template <typename Map, typename Key>
typename Map::iterator next_in_turn(Map& map, const Key& last) {
  const auto next = map.upper_bound(last);
  return next == map.end() ? map.begin() : next;
}

}  // namespace

const Inbox::Connection* Inbox::find(const Queue& queue, const std::string& owner,
                                     std::uint64_t number) {
  const auto sender = queue.owners.find(owner);
  if (sender == queue.owners.end()) return nullptr;
  const auto connection = sender->second.connections.find(number);
  return connection == sender->second.connections.end() ? nullptr : &connection->second;
}

std::optional<std::string> Inbox::refuses(const std::string& owner, const Peer& from,
                                          std::size_t bytes) const {
  const std::size_t message_cost = bytes + overhead_bytes;
  const auto known = clients_.owners.find(owner);
  const std::size_t of_owner = known == clients_.owners.end() ? 0 : known->second.bytes;
  const Connection* connection = find(clients_, owner, from.number);
  const std::size_t of_connection = connection == nullptr ? 0 : connection->bytes;
  const struct {
    std::size_t waiting, max;
    const char* whose;
  } limits[] = {{of_connection, budget_.connection, "from this connection"},
                {of_owner, budget_.owner, "from this key"},
                {clients_.bytes, budget_.clients, "from all clients"}};
  for (const auto& limit : limits) {
    if (limit.waiting + message_cost <= limit.max) continue;
    return fmt::format("{} of requests {} are queued, the limit is {}: wait for replies first",
                       bytes_text(static_cast<double>(limit.waiting)), limit.whose,
                       bytes_text(static_cast<double>(limit.max)));
  }
  return std::nullopt;
}

void Inbox::put(Lane lane, const std::string& owner, Incoming message) {
  const std::size_t bytes = cost(message);
  const Lane other = lane == Lane::agents ? Lane::clients : Lane::agents;
  const bool waits_there = find(queue(other), owner, message.from.number) != nullptr;
  Queue& all = queue(waits_there ? other : lane);
  Owner& sender = all.owners[owner];
  Connection& connection = sender.connections[message.from.number];
  connection.messages.push_back(std::move(message));
  connection.bytes += bytes;
  sender.bytes += bytes;
  all.bytes += bytes;
  ++all.messages;
}

bool Inbox::agents_full() const {
  return agents_.bytes >= budget_.agents || agents_.messages >= budget_.agent_messages;
}

Incoming Inbox::next(Lane lane, std::string* owner) {
  Queue& all = queue(lane);
  DROVER_REQUIRE(all.messages > 0);
  const auto sender = next_in_turn(all.owners, all.last);
  const auto connection = next_in_turn(sender->second.connections, sender->second.last);
  all.last = sender->first;
  sender->second.last = connection->first;
  if (owner != nullptr) *owner = sender->first;
  Incoming message = std::move(connection->second.messages.front());
  connection->second.messages.pop_front();
  const std::size_t bytes = cost(message);
  connection->second.bytes -= bytes;
  sender->second.bytes -= bytes;
  all.bytes -= bytes;
  --all.messages;
  if (connection->second.messages.empty()) sender->second.connections.erase(connection);
  if (sender->second.connections.empty()) all.owners.erase(sender);
  return message;
}

}  // namespace drover::commands
