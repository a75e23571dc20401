// The interface to ZeroMQ, which only fleet/socket uses. Sockets send and receive the bytes of
// envelopes; a process has one context.
//
// The option values come from measurements. Heartbeats from the connecting end (interval 1 s,
// timeout 3 s, TTL 4 s) detect a dead link in 3 s. A backlog of 4096 lets 10,000 agents reconnect
// in seconds. A message has at most 1 MiB, enforced on both ends. Linger is short, so that exit
// does not hang. High-water marks are set explicitly. Sending to an unknown peer is an error.
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "fleet/base/result.h"
#include "fleet/base/time.h"
#include "fleet/keys/keys.h"
#include "fleet/outbox.h"

namespace drover {

struct Incoming {
  Peer from;
  std::string bytes;
  std::string address;             // at a router: that of the sender, when it has one
  const PublicKey* key = nullptr;  // at a router with keys: the sender's; valid until `allow_keys`
};

/// The keys of a client or agent, in Z85.
struct ClientKeys {
  std::string router_key;  // the router's public key
  std::string key;         // its own, public
  std::string secret;
};

/// Why a connection to a router is refused, as seen from this end.
enum class ConnectRefusal : std::uint8_t {
  key,         // the router does not allow this key
  router_key,  // the other end does not have the secret key of `router_key`
  plain_text,  // the router requires keys, and this end has none
  encryption,  // the router uses no keys, and this end has one
};

/// The topic of a published message: its first frame, by which subscribers select messages. A
/// `Peer` of the publish channel has the topic as its number, so `publish_peer` itself is `state`.
enum class Topic : std::uint8_t { state, samples, decisions, events, bundles };
std::string_view to_text(Topic topic);
bool is_topic(std::string_view text);
Topic topic_of(const Message& message);
/// The peer to which to send a message of this topic.
Peer publish_under(Topic topic);

/// Maximum number of bytes that wait for one control connection of a router.
inline constexpr std::size_t control_waiting_max = std::size_t{64} * 1024 * 1024;

/// Limits of one call of Sockets::wait.
struct PollLimits {
  std::size_t messages = 4096;
  std::size_t buffered_bytes = std::size_t{64} * 1024 * 1024;
  std::chrono::milliseconds time{60};
};

/// All sockets of a router, agent or client. For one thread only.
///
/// An agent that speaks for many hosts sends to Peer{Channel::control, line}, with a line of its
/// own for each host, numbered from 1. To a router each line is a peer like a connection.
///
/// The process has one ZeroMQ context: the first `Sockets` creates it and the last one ends it.
/// Unsent messages then have a quarter of a second to go out.
class Sockets {
 public:
  Sockets();
  ~Sockets();
  Sockets(const Sockets&) = delete;
  Sockets& operator=(const Sockets&) = delete;

  /// Router, before `bind_router`: encrypts connections and accepts only keys passed to
  /// `allow_keys`, each at the endpoints of its role. Error: this process has such a router
  /// already.
  Status require_keys(const std::string& secret);
  /// Replaces the allowed keys. Messages from a removed key are dropped and reported, and nothing
  /// is sent to its connections any more. If it had subscribed, the publish endpoint is closed and
  /// opened again, because ZeroMQ cannot disconnect a single subscriber. REQUIRES require_keys().
  void allow_keys(std::vector<PublicKey> keys);
  /// Client or agent, before `connect_..`: encrypts, and connects only to the holder of the router
  /// key.
  void use_keys(ClientKeys keys);

  /// Binds the router's three endpoints: control (ROUTER), samples (SUB), publish (XPUB). A port of
  /// `*` or 0 means any free one. Returns the endpoints as bound. On an error, which says which
  /// port is in use, nothing stays bound.
  struct Bound {
    std::string control, samples, publish;
  };
  Result<Bound> bind_router(const std::string& control, const std::string& samples,
                            const std::string& publish);

  /// DEALER to a router's control endpoint. Returns at once, before it is known whether a router is
  /// there.
  Status connect_control(const std::string& endpoint);
  /// PUB to the samples endpoint.
  Status connect_samples(const std::string& endpoint);
  /// SUB to the publish endpoint: one topic, or all but bundles of them.
  Status connect_publish(const std::string& endpoint, std::optional<Topic> topic = {});
  /// Replaces the control socket with a new one (new identity). Unsent messages are dropped.
  /// REQUIRES an earlier connect_control().
  Status reconnect_control();

  /// Whether the control connection is connected, as of the last `wait`, and how often it has been
  /// connected: when that number grows, send Join again.
  bool control_connected() const;
  std::uint64_t control_connections() const;
  /// Why the router or this end refuses a connection; none: it is connected, or there is no router.
  /// A control connection stays open when its key is revoked, but the publish endpoint is opened
  /// again then, so a refusal of that connection counts as well. Every connection is retried, at
  /// least every 4 s, until it is connected.
  std::optional<ConnectRefusal> connect_refusal() const;

  /// `wait` also watches this file descriptor (a terminal, a pipe, an event of a worker thread).
  void watch(int descriptor);

  /// Waits for messages, a watched descriptor, a change of the control connection, a signal or the
  /// end of `wait`. Then receives messages within the limits, without waiting, from each socket in
  /// turn. With `take`, each message is passed to it as it arrives and none are returned. `take`
  /// returns false to drop a message before it is copied; this keeps up with any rate of arrival,
  /// and dropped messages do not count towards the byte limit. `ready_descriptors` are readable, or
  /// their other end is closed. `dropped`: at a router, messages with a wrong number of frames, an
  /// unknown topic, a routing id set by the peer or a key that is not allowed.
  struct PollResult {
    std::vector<Incoming> messages;
    std::vector<Dropped> dropped;
    std::vector<int> ready_descriptors;
  };
  /// `head` is the message without its bytes.
  using Take = std::function<bool(Incoming head, std::string_view bytes)>;
  PollResult wait(std::chrono::milliseconds wait, PollLimits limits = {}, const Take& take = {});

  /// Whether the topic has ever had a subscriber: until then nothing need be encoded for it.
  bool ever_subscribed(Topic topic) const;

  /// Returns false when the message could not be sent (peer unknown or its queue full, connection
  /// lost, or message over the size limit) and counts it in `drops()`. A router's queue for one
  /// control connection is full at `control_waiting_max` bytes, whatever the number of messages. A
  /// message sent before the control connection is first connected waits for it. Published messages
  /// are dropped for slow subscribers, and samples while there is no router: those drops show as
  /// gaps in the sequence numbers.
  bool send(const Peer& to, std::string_view bytes);

  /// Router: bytes sent to a control connection that its machine has not received yet. They use
  /// memory of this process or of the kernel. 0 for a closed connection.
  std::size_t waiting_bytes(const Peer& to);
  /// The same for the connections that this key was last used on. REQUIRES require_keys().
  std::size_t waiting_bytes(const PublicKey& key);
  /// The allowed key with these bytes (Z85); null: none. Valid until `allow_keys`. REQUIRES
  /// require_keys().
  const PublicKey* allowed_key(const std::string& key) const;

  /// Bytes of all messages received and sent.
  std::uint64_t bytes() const;
  /// Messages that `send` could not send, and those of them over the size limit.
  std::uint64_t drops() const;
  std::uint64_t oversize() const;
  /// Received messages that were dropped, on a router, agent or client.
  std::uint64_t malformed() const;

 private:
  struct State;
  std::unique_ptr<State> state_;
};

/// The parts of "tcp://127.0.0.1:7700".
struct Endpoint {
  std::string host;        // name, IPv4, IPv6 without brackets, or "*" for every address
  std::uint16_t port = 0;  // 0: any free one
  std::string to_text() const;
  /// Whether only this machine can reach it: 127.0.0.0/8, ::1 or localhost.
  bool loopback() const;
};
/// `place` is the location of the text ("--connect") in the error; if empty, it begins with the
/// text.
Result<Endpoint> parse_endpoint(std::string_view text, std::string_view place);

}  // namespace drover
