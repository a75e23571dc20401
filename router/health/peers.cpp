#include "router/health/peers.h"

#include <algorithm>

namespace drover::router {
namespace {

// Earlier lives of one host that are remembered: more than can still be running by mistake.
constexpr std::size_t superseded_kept = 16;

}  // namespace

bool may_send(std::optional<Role> role, const Message& message) {
  switch (speaker_of(message)) {
    case Speaker::nobody:
    case Speaker::sampler:
      return false;
    case Speaker::anyone:
      return true;
    case Speaker::agent:
      return !role || *role == Role::agent;
    case Speaker::asker:
      return !role || *role != Role::agent;
    case Speaker::submitter:
    case Speaker::administrator:
      return !role || *role == Role::client;
  }
  return false;
}

const std::string& sender_name(const PeerEntry& peer) {
  return peer.host.empty() ? peer.words : peer.host;
}

std::optional<std::uint64_t> PeerBook::make_room(std::uint64_t number) {
  if (peers_.size() < peers_max || peers_.contains(number)) return std::nullopt;
  const auto oldest = std::find_if(peers_.begin(), peers_.end(),
                                   [](const auto& entry) { return entry.second.host.empty(); });
  if (oldest == peers_.end()) return std::nullopt;
  const std::uint64_t evicted = oldest->first;
  peers_.erase(oldest);
  return evicted;
}

PeerEntry& PeerBook::heard(Instant now, std::uint64_t number) {
  PeerEntry& peer = peers_[number];
  peer.heard = now;
  return peer;
}

const PeerEntry* PeerBook::find(std::uint64_t number) const {
  const auto found = peers_.find(number);
  return found == peers_.end() ? nullptr : &found->second;
}

PeerEntry* PeerBook::find(std::uint64_t number) {
  const auto found = peers_.find(number);
  return found == peers_.end() ? nullptr : &found->second;
}

std::optional<std::uint64_t> PeerBook::speaks_for(std::uint64_t number, const std::string& host,
                                                  const Incarnation& incarnation) {
  std::optional<std::uint64_t> earlier;
  const auto found = peer_of_host_.find(host);
  if (found != peer_of_host_.end() && found->second != number) {
    earlier = found->second;
    if (PeerEntry* old = find(*earlier)) old->host.clear();
  }
  peer_of_host_[host] = number;
  PeerEntry& peer = peers_[number];
  peer.role = Role::agent;
  peer.host = host;
  peer.incarnation = incarnation;
  return earlier;
}

std::optional<std::uint64_t> PeerBook::peer_of(std::string_view host) const {
  const auto found = peer_of_host_.find(host);
  if (found == peer_of_host_.end()) return std::nullopt;
  return found->second;
}

const std::string& PeerBook::key_of(std::string_view host) const {
  static const std::string none;
  const auto found = peer_of_host_.find(host);
  if (found == peer_of_host_.end()) return none;
  const auto peer = peers_.find(found->second);
  return peer == peers_.end() ? none : peer->second.key;
}

void PeerBook::silence(std::string_view host) {
  const auto found = peer_of_host_.find(host);
  if (found == peer_of_host_.end()) return;
  if (PeerEntry* peer = find(found->second)) peer->host.clear();
  peer_of_host_.erase(found);
}

bool PeerBook::superseded(const std::string& host, const Incarnation& incarnation) const {
  const auto found = superseded_.find(host);
  return found != superseded_.end() &&
         std::find(found->second.begin(), found->second.end(), incarnation) != found->second.end();
}

void PeerBook::supersede(const std::string& host, const Incarnation& incarnation) {
  if (superseded(host, incarnation)) return;
  std::vector<Incarnation>& lives = superseded_[host];
  lives.push_back(incarnation);
  if (lives.size() > superseded_kept) lives.erase(lives.begin());
}

std::vector<std::uint64_t> PeerBook::forget_silent(Instant now, Duration silence) {
  std::vector<std::uint64_t> gone;
  for (auto peer = peers_.begin(); peer != peers_.end();) {
    if (peer->second.host.empty() && now - peer->second.heard > silence) {
      gone.push_back(peer->first);
      peer = peers_.erase(peer);
    } else {
      ++peer;
    }
  }
  return gone;
}

}  // namespace drover::router
