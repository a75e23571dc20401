// The permissions of each key role, by the table of messages. The router's core applies the
// same table to a connection's role; these checks apply to authenticated keys, before the core.
#include <algorithm>

#include <fmt/format.h>

#include "fleet/base/overloaded.h"
#include "fleet/base/text.h"
#include "fleet/codec/codec.h"
#include "fleet/keys/keys.h"

namespace drover {
namespace {

/// On the control channel.
bool may_send(KeyRole role, const Message& message) {
  const bool administers = role == KeyRole::admin;
  const bool submits = administers || role == KeyRole::submit;
  switch (sender_role_of(message)) {
    case SenderRole::nobody:
    case SenderRole::sampler:
      return false;
    case SenderRole::anyone:
      return role != KeyRole::router;
    case SenderRole::agent:
      return role == KeyRole::agent;
    case SenderRole::reader:
      return submits || role == KeyRole::view;
    case SenderRole::submitter:
      return submits;
    case SenderRole::administrator:
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
  return fmt::format("{} may not act for host {}, only for {}", key_text(key), excerpt(host, 64),
                     shortened_list(key.ids, shown_max));
}

std::optional<std::string> join_refusal(const PublicKey& key, const Join& join) {
  if ((key.role == KeyRole::agent) != (join.role == Role::agent)) {
    return fmt::format("{} is {} agent key, but the connecting peer is {} agent", key_text(key),
                       key.role == KeyRole::agent ? "an" : "not an",
                       join.role == Role::agent ? "an" : "not an");
  }
  if (join.role == Role::agent) return not_its_host(key, join.name);
  if (join.role == Role::viewer && !may_subscribe(key.role)) {
    return fmt::format("{} may not subscribe: this requires a key with role view or admin",
                       key_text(key));
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
    // Subscribers get these bytes unchanged, so the envelope's sender must be correct as well.
    if (envelope.sender != batch->host) {
      return fmt::format("samples of {} by {}", excerpt(batch->host), excerpt(envelope.sender));
    }
    return not_its_host(key, batch->host);
  }
  if (!may_send(key.role, message)) {
    return fmt::format("{} may not send {}", key_text(key), kind_name(message));
  }
  return std::visit(
      Overloaded{[&](const Join& join) { return join_refusal(key, join); },
                 [&](const Register& registration) { return not_its_host(key, registration.host); },
                 [](const auto&) { return std::optional<std::string>(); }},
      message);
}

}  // namespace drover
