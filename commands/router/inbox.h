// The queue between the router's control endpoint and its core. Agents' messages go first, so that
// no client delays a lease. Within a lane the senders take turns, so that a flood does not delay
// other senders. Pure.
//
// Agents' messages are never rejected: the shell stops reading while their lane is full. Clients'
// messages over the budget are rejected, because all of them come through one endpoint.
#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <map>
#include <optional>
#include <string>

#include "fleet/socket/socket.h"

namespace drover::commands {

/// Limits on waiting bytes. Each message counts for more than its size, for its memory overhead.
struct InboxBudget {
  std::size_t connection = std::size_t{4} * 1024 * 1024;
  std::size_t owner = std::size_t{16} * 1024 * 1024;
  std::size_t clients = std::size_t{32} * 1024 * 1024;
  std::size_t agents = std::size_t{16} * 1024 * 1024;
  std::size_t agent_messages = 4096;
};

class Inbox {
 public:
  enum class Lane : std::uint8_t { agents, clients };

  explicit Inbox(InboxBudget budget = {}) : budget_(budget) {}

  /// Why a client's message of this size is rejected; no value if it is not. `owner`: a key with
  /// all its connections, or one connection without a key.
  std::optional<std::string> refuses(const std::string& owner, const Peer& from,
                                     std::size_t bytes) const;
  /// If earlier messages of the connection wait in the other lane, the message goes there as well,
  /// so that the messages of a connection keep their order.
  void put(Lane lane, const std::string& owner, Incoming message);

  /// If true, do not read from the endpoint until agents' messages have been handled.
  bool agents_full() const;
  bool empty(Lane lane) const { return queue(lane).messages == 0; }
  /// The oldest message of the next sender. Senders take turns, and so do the connections of a
  /// sender. REQUIRES a message. Sets `owner` unless it is null.
  Incoming next(Lane lane, std::string* owner = nullptr);

 private:
  struct Connection {
    std::deque<Incoming> messages;
    std::size_t bytes = 0;
  };
  struct Owner {
    std::map<std::uint64_t, Connection> connections;
    std::uint64_t last = 0;  // the connection that had the last turn
    std::size_t bytes = 0;
  };
  struct Queue {
    std::map<std::string, Owner, std::less<>> owners;
    std::string last;  // the owner that had the last turn
    std::size_t bytes = 0;
    std::size_t messages = 0;
  };
  Queue& queue(Lane lane) { return lane == Lane::agents ? agents_ : clients_; }
  const Queue& queue(Lane lane) const { return lane == Lane::agents ? agents_ : clients_; }
  static const Connection* find(const Queue& queue, const std::string& owner, std::uint64_t number);

  InboxBudget budget_;
  Queue agents_;
  Queue clients_;
};

}  // namespace drover::commands
