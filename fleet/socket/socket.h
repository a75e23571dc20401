// The only file that knows ZeroMQ. One context per process; sockets move envelopes' bytes.
//
// Options follow measurements, not defaults: heartbeats 1 s / 3 s / 4 s of whoever connects find a
// dead link in 3 s; backlog 4096 lets 10,000 agents reconnect in seconds; a message is at most
// 1 MiB, enforced on both ends; linger is short, so exit never hangs; high-water marks are set and
// named; unknown peers are errors, not silence.
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
#include "fleet/dropped.h"
#include "fleet/keys/keys.h"
#include "fleet/outbox.h"

namespace drover {

struct Incoming {
  Peer from;
  std::string bytes;
  std::string address;             // at a router's doors: the other end's, when it has one
  const PublicKey* key = nullptr;  // at guarded doors: the sender's; stands until `admit`
};

/// What a client or agent encrypts with; all in Z85.
struct ClientKeys {
  std::string router_key;  // the router's public key
  std::string key;         // its own, public
  std::string secret;
};

/// Why a router's door stays closed, as this end sees it.
enum class Barred : std::uint8_t {
  key,         // the router does not let this key in
  router_key,  // whoever answers does not hold the secret of `router_key`
  plain_text,  // the router wants keys, and this end has none
  encryption,  // the router takes no keys, and this end has one
};

/// What a published message is about: the first frame that subscribers choose by. A `Peer` of the
/// publish channel carries its topic as its number, so `publish_peer` itself is `state`.
enum class Topic : std::uint8_t { state, samples, decisions, events };
std::string_view to_text(Topic topic);
bool is_topic(std::string_view text);
Topic topic_of(const Message& message);
/// Where to send a message so that it is published under its topic.
Peer publish_under(Topic topic);

/// Bytes that may wait for one control connection of a router's.
inline constexpr std::size_t control_waiting_max = std::size_t{64} * 1024 * 1024;

/// When a turn of reading ends, if not because there is nothing more.
struct TurnLimits {
  std::size_t messages = 4096;
  std::size_t kept_bytes = std::size_t{64} * 1024 * 1024;
  std::chrono::milliseconds time{60};
};

/// All sockets of one process and the wait over them. Not for sharing between threads.
///
/// The process has one ZeroMQ context: it begins with the first `Sockets` and ends with the last,
/// which is when messages still under way get a quarter of a second to go out.
class Sockets {
 public:
  Sockets();
  ~Sockets();
  Sockets(const Sockets&) = delete;
  Sockets& operator=(const Sockets&) = delete;

  /// Router, before `bind_router`: connections are encrypted, and only keys that `admit` has named
  /// come in, each at the doors of its role. The error: this process has such a router already.
  Status guard(const std::string& secret);
  /// From now on these keys and no others. Of a key that is gone, messages are dropped (and told),
  /// and nothing goes to its connections any more; when it has subscribed, the publish door closes
  /// and opens anew, because ZeroMQ cannot turn out one subscriber. REQUIRES guard().
  void admit(std::vector<PublicKey> keys);
  /// Client or agent, before `connect_..`: encrypt, and talk only to the holder of that router key.
  void use_keys(ClientKeys keys);

  /// The router's three doors: control (ROUTER), samples (SUB), publish (XPUB). A port of `*` or 0
  /// takes a free one. Answers the endpoints as bound. The error says which port is in use; then
  /// nothing stays bound.
  struct Bound {
    std::string control, samples, publish;
  };
  Result<Bound> bind_router(const std::string& control, const std::string& samples,
                            const std::string& publish);

  /// DEALER to a router's control door. Answers at once: whether there is a router shows later.
  Status connect_control(const std::string& endpoint);
  /// PUB to the samples door.
  Status connect_samples(const std::string& endpoint);
  /// SUB to the publish door, all topics.
  Status connect_publish(const std::string& endpoint);
  /// Closes and connects the control socket anew (fresh identity); unsent messages are dropped.
  /// REQUIRES an earlier connect_control().
  Status reconnect_control();

  /// Whether the control connection stands now, as far as `wait` has seen, and how often it has
  /// come to stand: when that number grows, say Join again.
  bool control_connected() const;
  std::uint64_t control_connections() const;
  /// Why it does not, when the router or this end refused it; none: it stands, or nobody is there.
  /// A control connection that stands says nothing of a key that was revoked since, but the publish
  /// door opens anew then: what that connection was told counts as well.
  /// Every connection is tried anew, at least each 4 s, until it stands.
  std::optional<Barred> barred() const;

  /// Watch a file descriptor besides (a terminal, a lifeline, an event of a worker thread).
  void watch(int descriptor);
  void unwatch(int descriptor);

  /// Waits for messages, a watched descriptor, a change of the control connection, a signal or the
  /// end of `wait`; then takes messages within these limits, without waiting, from every socket in
  /// turn. With `take`, messages go there as they come, and none stand in the turn. One without
  /// room for a message lets it go before it is copied, and answers false: that does not count
  /// towards the bytes. What is not read takes memory, and may come as fast as it is let go.
  /// `ready_descriptors` are those that can be read, or whose other end is closed. `dropped`: at a
  /// router's doors, what had a wrong number of frames, a foreign topic, a peer's own routing id or
  /// a key that is not let in.
  struct Turn {
    std::vector<Incoming> messages;
    std::vector<Dropped> dropped;
    std::vector<int> ready_descriptors;
  };
  /// `head` is the message without its bytes.
  using Take = std::function<bool(Incoming head, std::string_view bytes)>;
  Turn wait(std::chrono::milliseconds wait, TurnLimits limits = {}, const Take& take = {});

  /// Whether anybody has ever subscribed to the topic here: until then nothing need be encoded for
  /// it.
  bool has_been_asked_for(Topic topic) const;

  /// False when the message could not go (peer unknown or its queue full, connection lost, or over
  /// the size limit); counted in `drops()`. A router's queue for one control connection is full
  /// with `control_waiting_max` bytes, however few messages they are. A message sent before the
  /// control connection first stands waits for it. Published messages are dropped for subscribers
  /// that are too slow, and samples while there is no router: those drops show as gaps in the
  /// sequence numbers.
  bool send(const Peer& to, std::string_view bytes);

  /// Bytes sent to a control connection that its machine has not taken yet: they take this
  /// process's memory, or the kernel's. 0 for one that is gone. For a router.
  std::size_t waiting_bytes(const Peer& to);
  /// The same of the connections that this key was last heard on. REQUIRES guard().
  std::size_t waiting_bytes(const PublicKey& key);
  /// Who is let in with this key (Z85); null: nobody. Stands until `admit`. REQUIRES guard().
  const PublicKey* admitted(const std::string& key) const;

  /// Of all messages that came in or went out.
  std::uint64_t bytes() const;
  /// Messages that `send` could not send; of those, the ones over the size limit.
  std::uint64_t drops() const;
  std::uint64_t oversize() const;
  /// All that was dropped as it came in, at whichever end.
  std::uint64_t malformed() const;

 private:
  struct State;
  std::unique_ptr<State> state_;
};

/// "tcp://127.0.0.1:7700" split; checks the form, names what is wrong.
struct Endpoint {
  std::string host;        // name, IPv4, IPv6 without brackets, or "*" for every address
  std::uint16_t port = 0;  // 0: any free one
  std::string to_text() const;
  /// Only this machine can reach it: 127.0.0.0/8, ::1 or localhost.
  bool loopback() const;
};
/// `place` names where the text stood ("--connect"); empty: the message begins with the text.
Result<Endpoint> parse_endpoint(std::string_view text, std::string_view place);

}  // namespace drover
