// Connections to the control endpoint: which peer uses each, and what it may send.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <string_view>

#include "fleet/base/search.h"
#include "fleet/base/time.h"
#include "fleet/keys/keys.h"
#include "fleet/messages.h"
#include "fleet/outbox.h"

namespace drover::router {

/// Whether a connection of this role may send the message to the control endpoint. Clients and
/// viewers may query; submitters and administrators count as clients. A connection without a Join
/// counts as a client until it sends Register: a client need not notice that the router restarted.
bool may_send(std::optional<Role> role, const Message& message);

struct ConnectionEntry {
  std::optional<Role> role;  // absent before Join or Register
  std::string name;
  std::string host;  // an agent's host after an accepted Register; cleared when lost
  Incarnation incarnation;
  std::string key;    // an agent's proven key; empty: none
  std::string words;  // set by dropped messages: "connection 5 from 10.0.0.7"
  std::set<std::string, std::less<>>
      model_specs_sent;  // models whose spec text was sent on this connection
  Instant last_contact{};
  Instant reregister_sent{};      // last Reregister; Instant{}: never
  Instant snapshot_sent{};        // last snapshot; Instant{}: never
  std::uint64_t undecodable = 0;  // messages that did not decode
};

/// The sender of the current message.
struct Caller {
  Peer peer;
  ConnectionEntry& entry;
  std::string_view key;  // its proven key's name; empty: none
};

/// Length limit of clients' names, which are published and quoted in other texts: a key, a user and
/// a host ("ops/ann@node-7") in usual lengths.
inline constexpr std::size_t client_name_bytes_max = 128;

/// Who acts, the same in events, audits, alerts and jobs: "ann@node-7" is what the client says of
/// itself; what is before a slash is the name of the key that it has proved to hold.
std::string client_name(const Caller& caller);

/// The name under which messages are counted: the connection's host, else the connection.
inline const std::string& sender_name(const ConnectionEntry& peer) {
  return peer.host.empty() ? peer.words : peer.host;
}

/// Beyond this number of connections the router drops the oldest that is not an agent. Each takes
/// a file descriptor: the kernel's limit usually comes first.
inline constexpr std::size_t peers_max = 50'000;

class ConnectionTable {
 public:
  /// Drops the oldest connection that is not an agent if this new one would be too many; returns
  /// its number.
  std::optional<std::uint64_t> make_room(std::uint64_t number);
  ConnectionEntry& touch(Instant now, std::uint64_t number) {
    peers_[number].last_contact = now;
    return peers_[number];
  }
  ConnectionEntry* find(std::uint64_t number) { return find_in(peers_, number); }
  const ConnectionEntry* find(std::uint64_t number) const { return find_in(peers_, number); }

  /// Binds the host to this connection, instead of its previous one.
  void speaks_for(std::uint64_t number, const std::string& host, const Incarnation& incarnation);
  std::optional<std::uint64_t> peer_of(std::string_view host) const;
  /// The key of the host's connection; empty: no key or no connection.
  const std::string& key_of(std::string_view host) const;
  /// The host's messages are ignored until it registers again.
  void silence(std::string_view host);

  /// Whether this incarnation was replaced by a newer one; that is final.
  bool superseded(const std::string& host, const Incarnation& incarnation) const;
  void supersede(const std::string& host, const Incarnation& incarnation);
  void forget_incarnations(const std::string& host) { superseded_.erase(host); }

  /// Drops connections without a host that were silent for `silence`; returns their numbers.
  std::vector<std::uint64_t> forget_silent(Instant now, Duration silence);

 private:
  std::map<std::uint64_t, ConnectionEntry> peers_;
  std::map<std::string, std::uint64_t, std::less<>> peer_of_host_;
  std::map<std::string, std::vector<Incarnation>, std::less<>> superseded_;
};

}  // namespace drover::router
