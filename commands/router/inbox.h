// What came in at the router's control door and waits for the core. Agents go first, so that no
// client can hold up a lease; within a line every sender has its turn, so that no flood holds up
// another sender. Pure: the shell says when.
//
// Agents are never refused here: a shell stops reading while their line is full, and they wait.
// Clients are refused what is over their budget, because all come through one door.
#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <map>
#include <optional>
#include <string>

#include "fleet/socket/socket.h"

namespace drover::commands {

/// Bytes that may wait. Each message counts for some more than it is: it takes memory besides.
struct InboxBudget {
  std::size_t connection = std::size_t{4} * 1024 * 1024;
  std::size_t owner = std::size_t{16} * 1024 * 1024;
  std::size_t clients = std::size_t{32} * 1024 * 1024;
  std::size_t agents = std::size_t{16} * 1024 * 1024;
  std::size_t agent_messages = 4096;
};

class Inbox {
 public:
  enum class Line : std::uint8_t { agents, clients };

  explicit Inbox(InboxBudget budget = {}) : budget_(budget) {}

  /// Why a client's message of so many bytes cannot wait, for people; none: it can. `owner`: whom
  /// all connections of one key, or one connection without a key, count for.
  std::optional<std::string> refuses(const std::string& owner, const Peer& from,
                                     std::size_t bytes) const;
  /// A connection whose earlier messages wait in the other line stays there: its messages keep
  /// their order.
  void put(Line line, const std::string& owner, Incoming message);

  /// Nothing more is to be read from the door until agents have been heard.
  bool agents_full() const;
  bool empty(Line line) const { return queue(line).messages == 0; }
  /// Of the next sender the oldest; senders in turn, and of one sender its connections in turn.
  /// REQUIRES one. `owner`, where it is wanted, becomes its owner.
  Incoming next(Line line, std::string* owner = nullptr);

 private:
  struct Connection {
    std::deque<Incoming> messages;
    std::size_t bytes = 0;
  };
  struct Owner {
    std::map<std::uint64_t, Connection> connections;
    std::uint64_t last = 0;  // connection that had its turn
    std::size_t bytes = 0;
  };
  struct Queue {
    std::map<std::string, Owner, std::less<>> owners;
    std::string last;  // owner that had its turn
    std::size_t bytes = 0;
    std::size_t messages = 0;
  };
  Queue& queue(Line line) { return line == Line::agents ? agents_ : clients_; }
  const Queue& queue(Line line) const { return line == Line::agents ? agents_ : clients_; }
  static const Connection* find(const Queue& queue, const std::string& owner, std::uint64_t number);

  InboxBudget budget_;
  Queue agents_;
  Queue clients_;
};

}  // namespace drover::commands
