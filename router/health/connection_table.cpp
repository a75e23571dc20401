#include "router/health/connection_table.h"

#include <algorithm>

#include <fmt/format.h>

#include "fleet/base/text.h"

namespace drover::router {
namespace {

// Earlier incarnations kept per host: more than can still be running by mistake.
constexpr std::size_t superseded_kept = 16;

}  // namespace

bool may_send(std::optional<Role> role, const Message& message) {
  switch (sender_role_of(message)) {
    case SenderRole::nobody:
    case SenderRole::sampler:
      return false;
    case SenderRole::anyone:
      return true;
    case SenderRole::agent:
      return !role || *role == Role::agent;
    case SenderRole::reader:
      return !role || *role != Role::agent;
    case SenderRole::submitter:
    case SenderRole::administrator:
      return !role || *role == Role::client;
  }
  return false;
}

std::string client_name(const Caller& caller) {
  return caller.entry.name.empty() ? fmt::format("connection {}", caller.peer.number)
                                   : excerpt(caller.entry.name, client_name_bytes_max);
}

std::optional<std::uint64_t> ConnectionTable::make_room(std::uint64_t number) {
  if (peers_.size() < peers_max || peers_.contains(number)) return std::nullopt;
  const auto oldest =
      std::ranges::find_if(peers_, [](const auto& entry) { return entry.second.host.empty(); });
  if (oldest == peers_.end()) return std::nullopt;
  const std::uint64_t evicted = oldest->first;
  peers_.erase(oldest);
  return evicted;
}

void ConnectionTable::speaks_for(std::uint64_t number, const std::string& host,
                                 const Incarnation& incarnation) {
  if (const auto before = peer_of(host); before && *before != number) {
    if (ConnectionEntry* old = find(*before)) old->host.clear();
  }
  peer_of_host_[host] = number;
  ConnectionEntry& peer = peers_[number];
  peer.role = Role::agent;
  peer.host = host;
  peer.incarnation = incarnation;
}

std::optional<std::uint64_t> ConnectionTable::peer_of(std::string_view host) const {
  const std::uint64_t* number = find_in(peer_of_host_, host);
  return number == nullptr ? std::nullopt : std::optional(*number);
}

const std::string& ConnectionTable::key_of(std::string_view host) const {
  static const std::string none;
  const auto number = peer_of(host);
  const ConnectionEntry* peer = number ? find(*number) : nullptr;
  return peer == nullptr ? none : peer->key;
}

void ConnectionTable::silence(std::string_view host) {
  const auto found = peer_of_host_.find(host);
  if (found == peer_of_host_.end()) return;
  if (ConnectionEntry* peer = find(found->second)) peer->host.clear();
  peer_of_host_.erase(found);
}

bool ConnectionTable::superseded(const std::string& host, const Incarnation& incarnation) const {
  const auto* earlier = find_in(superseded_, host);
  return earlier != nullptr && contains(*earlier, incarnation);
}

void ConnectionTable::supersede(const std::string& host, const Incarnation& incarnation) {
  if (superseded(host, incarnation)) return;
  std::vector<Incarnation>& incarnations = superseded_[host];
  incarnations.push_back(incarnation);
  if (incarnations.size() > superseded_kept) incarnations.erase(incarnations.begin());
}

std::vector<std::uint64_t> ConnectionTable::forget_silent(Instant now, Duration silence) {
  std::vector<std::uint64_t> gone;
  std::erase_if(peers_, [&](const auto& entry) {
    const bool over = entry.second.host.empty() && now - entry.second.last_contact > silence;
    if (over) gone.push_back(entry.first);
    return over;
  });
  return gone;
}

}  // namespace drover::router
