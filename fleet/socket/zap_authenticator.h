// Authenticates the peers of a router: answers ZeroMQ's requests about keys (ZAP, ZeroMQ RFC 27),
// finds the key of each message, and blocks connections whose key was revoked.
//
// The requests are answered within `Sockets::wait`, not in a thread of their own: the allow-list
// needs no lock, and no second thread can fail. While the router does not run its loop, new peers
// are not authenticated, and they would not be served either.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
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

class ZapAuthenticator {
 public:
  /// Throws zmq::error_t when another router of this process has an authenticator.
  ZapAuthenticator(zmq::context_t& context, std::string secret);

  /// Call before the endpoint is bound.
  void require_keys(zmq::socket_t& endpoint_socket, Channel channel) const;

  /// Replaces the allowed keys. Returns whether a removed key may still have a subscriber.
  bool allow_keys(std::vector<PublicKey> keys);

  zmq::socket_t& zap_socket() { return zap_socket_; }
  /// Answers up to `limit` requests and adds the refused ones to `refused`.
  void answer_requests(int limit, std::vector<Dropped>& refused);

  /// The key that a message was sent with; null: it is not allowed now. `number`: the control
  /// connection of the message, else 0.
  const PublicKey* sender_of(const zmq::message_t& frame, std::uint64_t number);
  /// The same for a subscription, which is remembered.
  const PublicKey* subscriber_of(const zmq::message_t& frame);
  /// The key that a frame was sent with: an allowed or a formerly allowed one.
  struct Holder {
    std::string name;
    bool allowed_key = false;
  };
  std::optional<Holder> holder_of(const zmq::message_t& frame) const;
  /// The allowed key with these bytes; null: none. Valid until `allow_keys`.
  const PublicKey* allowed_key(const std::string& key) const;
  /// Calls `visit` with the control connections that the key was last used on.
  void visit_connections(const std::string& key,
                         const std::function<void(std::uint64_t number)>& visit) const;
  /// Whether the key of this control connection was revoked, so that nothing may be sent to it.
  bool is_revoked(std::uint64_t number) const { return revoked_.contains(number); }

 private:
  /// The control connections that a key was last used on, at least `kept`. Older ones are removed
  /// by generation, because the end of a connection is not reported.
  struct ConnectionNumbers {
    std::set<std::uint64_t> recent;
    std::set<std::uint64_t> older;
    void record_received(std::uint64_t number, std::size_t kept);
  };
  struct Admitted {
    PublicKey key;
    ConnectionNumbers numbers;
    bool subscribed = false;
  };
  using KeyTable = std::map<std::string, Admitted>;  // by the key's Z85
  Admitted* find(const zmq::message_t& frame);
  std::optional<Dropped> authenticate(const std::vector<zmq::message_t>& request, std::string& key);

  zmq::socket_t zap_socket_;
  std::string secret_;
  KeyTable admitted_;
  KeyTable former_;  // formerly allowed; their connections stay open until their peers close them
  std::set<std::uint64_t> revoked_;
};

}  // namespace drover
