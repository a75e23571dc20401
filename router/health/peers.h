// Connections to the control door: who speaks on each, and what they may say.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <string_view>

#include "fleet/base/time.h"
#include "fleet/messages.h"
#include "fleet/outbox.h"
#include "fleet/keys/speakers.h"

namespace drover::router {

/// Whether a connection of this role may send it on the control door. Askers are clients and
/// viewers; submitters and administrators are clients. A connection without a Join counts as a
/// client until it says Hello: a client need not notice that the router restarted.
bool may_send(std::optional<Role> role, const Message& message);

struct PeerEntry {
  std::optional<Role> role;  // absent before Join or Hello
  std::string name;
  std::string host;  // an agent's, once its Hello was accepted; cleared when it is lost
  Incarnation incarnation;
  std::string key;    // an agent's, that it has proven to hold; empty: none
  std::string words;  // for people, once it has sent what was dropped: "connection 5 from 10.0.0.7"
  std::set<std::string, std::less<>> models_carried;  // whose spec text this connection has carried
  Instant heard{};
  Instant hello_asked{};          // last HelloWanted; Instant{}: never
  Instant snapshot_sent{};        // last snapshot; Instant{}: never
  std::uint64_t undecodable = 0;  // that were no messages
};

/// Whose messages are counted: the host that the connection speaks for, else the connection.
const std::string& sender_name(const PeerEntry& peer);

/// More connections than this make the router forget the oldest that is no agent. A file
/// descriptor each: the kernel's limit comes first.
inline constexpr std::size_t peers_max = 50'000;

class PeerBook {
 public:
  /// Forgets the oldest connection that is no agent when this new one would be too many; answers
  /// which.
  std::optional<std::uint64_t> make_room(std::uint64_t number);
  PeerEntry& heard(Instant now, std::uint64_t number);
  PeerEntry* find(std::uint64_t number);
  const PeerEntry* find(std::uint64_t number) const;

  /// This connection now speaks for this host; answers the connection that did before.
  std::optional<std::uint64_t> speaks_for(std::uint64_t number, const std::string& host,
                                          const Incarnation& incarnation);
  /// The connection to send a host's messages to.
  std::optional<std::uint64_t> peer_of(std::string_view host) const;
  /// The key of that connection; empty: none, or no connection.
  const std::string& key_of(std::string_view host) const;
  /// The host must say Hello again before it is listened to.
  void silence(std::string_view host);

  /// An incarnation that was replaced by a newer one stays replaced.
  bool superseded(const std::string& host, const Incarnation& incarnation) const;
  void supersede(const std::string& host, const Incarnation& incarnation);
  void forget_lives(const std::string& host) { superseded_.erase(host); }

  /// Drops connections without a host that were silent for so long; answers their numbers.
  std::vector<std::uint64_t> forget_silent(Instant now, Duration silence);

 private:
  std::map<std::uint64_t, PeerEntry> peers_;
  std::map<std::string, std::uint64_t, std::less<>> peer_of_host_;
  std::map<std::string, std::vector<Incarnation>, std::less<>> superseded_;
};

}  // namespace drover::router
