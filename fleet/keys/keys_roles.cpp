// What each role of key may send, by the table of speakers. The router's core asks the same table
// for a connection's role; this is about proven keys, and holds before the core sees a message.
#include <algorithm>

#include <fmt/format.h>

#include "fleet/base/text.h"
#include "fleet/codec/codec.h"
#include "fleet/keys/keys.h"
#include "fleet/keys/speakers.h"

namespace drover {
namespace {

/// On the control door.
bool may_send(KeyRole role, const Message& message) {
  const bool administers = role == KeyRole::admin;
  const bool submits = administers || role == KeyRole::submit;
  switch (speaker_of(message)) {
    case Speaker::nobody:
    case Speaker::sampler:
      return false;
    case Speaker::anyone:
      return role != KeyRole::router;
    case Speaker::agent:
      return role == KeyRole::agent;
    case Speaker::asker:
      return submits || role == KeyRole::view;
    case Speaker::submitter:
      return submits;
    case Speaker::administrator:
      return administers;
  }
  return false;
}

std::string key_text(const PublicKey& key) {
  return fmt::format("the key {} (role {})", key.name, to_text(key.role));
}

std::optional<std::string> not_its_host(const PublicKey& key, const std::string& host) {
  if (std::find(key.ids.begin(), key.ids.end(), host) != key.ids.end()) return std::nullopt;
  constexpr std::size_t shown_max = 3;
  std::string ids;
  for (std::size_t index = 0; index < std::min(key.ids.size(), shown_max); ++index) {
    ids += (index == 0 ? "" : ", ") + key.ids[index];
  }
  if (key.ids.size() > shown_max) ids += fmt::format(" and {} more", key.ids.size() - shown_max);
  return fmt::format("{} may not speak for host {}, only for {}", key_text(key), excerpt(host, 64),
                     ids);
}

std::optional<std::string> join_refusal(const PublicKey& key, const Join& join) {
  if ((key.role == KeyRole::agent) != (join.role == Role::agent)) {
    return fmt::format("{} is {} agent's key, and this is {} agent", key_text(key),
                       key.role == KeyRole::agent ? "an" : "no",
                       join.role == Role::agent ? "an" : "no");
  }
  if (join.role == Role::agent) return not_its_host(key, join.name);
  if (join.role == Role::viewer && !may_subscribe(key.role)) {
    return fmt::format("{} may not watch: that takes a key of role view or admin", key_text(key));
  }
  return std::nullopt;
}

}  // namespace

bool may_subscribe(KeyRole role) { return role == KeyRole::view || role == KeyRole::admin; }

std::optional<std::string> refusal(const PublicKey& key, Channel channel,
                                   const Envelope& envelope) {
  const Message& message = envelope.body;
  if (channel == Channel::samples) {
    const auto* batch = std::get_if<SampleBatch>(&message);
    if (key.role != KeyRole::agent || batch == nullptr) {
      return fmt::format("{} may not send {} as samples", key_text(key), kind_name(message));
    }
    // Subscribers get these bytes as they are, so their cover must be true as well.
    if (envelope.sender != batch->host) {
      return fmt::format("samples of {} by {}", excerpt(batch->host), excerpt(envelope.sender));
    }
    return not_its_host(key, batch->host);
  }
  if (!may_send(key.role, message)) {
    return fmt::format("{} may not send {}", key_text(key), kind_name(message));
  }
  if (const auto* join = std::get_if<Join>(&message)) return join_refusal(key, *join);
  if (const auto* hello = std::get_if<Hello>(&message)) return not_its_host(key, hello->host);
  return std::nullopt;
}

}  // namespace drover
