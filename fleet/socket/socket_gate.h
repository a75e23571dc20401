// Who may come in at a router's doors: answers ZeroMQ's questions about keys (ZAP, ZeroMQ RFC 27),
// knows whose message a message is, and cuts off those whose key was taken away. Only
// fleet/socket*.cpp include it.
//
// The questions are answered within `Sockets::wait`, not by a thread of their own: the allow-list
// needs no lock, and there is no second thing that could die. A router that does not turn lets
// nobody in, and has no use for newcomers either.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include <zmq.hpp>

#include "fleet/base/result.h"
#include "fleet/keys/keys.h"
#include "fleet/outbox.h"
#include "fleet/socket/socket.h"

namespace drover {

class Gate {
 public:
  /// Throws zmq::error_t when another router of this process has a gate.
  Gate(zmq::context_t& context, std::string secret);

  /// Before the door is bound.
  void guard(zmq::socket_t& door, Channel channel) const;

  /// From now on these keys are let in, and no others. Answers whether somebody who must not any
  /// more may still be subscribed.
  bool admit(std::vector<PublicKey> keys);

  zmq::socket_t& questions() { return questions_; }
  /// Answers up to `limit` questions; tells whom it refused.
  void answer(int limit, std::vector<Dropped>& refused);

  /// Whose message it is; null: of nobody who is let in now. `number`: the control connection that
  /// it came by, else 0.
  const PublicKey* sender_of(const zmq::message_t& frame, std::uint64_t number);
  /// The same of a subscription, which is remembered.
  const PublicKey* subscriber_of(const zmq::message_t& frame);
  /// Whose frame it is: a key that is let in, or one that was.
  struct Holder {
    std::string name;
    bool admitted = false;
  };
  std::optional<Holder> holder_of(const zmq::message_t& frame) const;
  /// Who is let in with this key; null: nobody. Stands until `admit`.
  const PublicKey* admitted(const std::string& key) const;
  /// The control connections that it was last heard on.
  void visit_connections(const std::string& key,
                         const std::function<void(std::uint64_t number)>& visit) const;
  /// Nothing may be sent to this control connection: its key was taken away.
  bool cut_off(std::uint64_t number) const { return cut_off_.contains(number); }

 private:
  /// The control connections that a key was last heard on, so many at least; older ones go by the
  /// generation, because nobody tells when a connection has ended.
  struct Numbers {
    std::set<std::uint64_t> recent;
    std::set<std::uint64_t> older;
    void heard(std::uint64_t number, std::size_t kept);
  };
  struct Admitted {
    PublicKey key;
    Numbers numbers;
    bool subscribed = false;
  };
  using Book = std::map<std::string, Admitted>;  // by the key's Z85
  Admitted* find(const zmq::message_t& frame);
  std::optional<Dropped> judge(const std::vector<zmq::message_t>& request, std::string& key);

  zmq::socket_t questions_;
  std::string secret_;
  Book admitted_;
  Book former_;  // let in before: their connections stand until they end by themselves
  std::set<std::uint64_t> cut_off_;
};

}  // namespace drover
