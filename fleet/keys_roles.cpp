// What each role of key may send. The router's core keeps its own table, of connections' roles;
// this one is about proven keys, and holds before the core sees a message.
#include <algorithm>
#include <variant>

#include <fmt/format.h>

#include "fleet/codec.h"
#include "fleet/keys.h"
#include "fleet/text.h"

namespace drover {
namespace {

template <typename... Kinds>
bool is_any(const Message& message) {
  return (std::holds_alternative<Kinds>(message) || ...);
}

bool may_send(KeyRole role, const Message& message) {
  const bool asks =
      is_any<Join, JobsRequest, WhyRequest, SummaryRequest, SnapshotRequest, PolicyRequest>(
          message);
  switch (role) {
    case KeyRole::agent:
      return is_any<Join, Hello, Heartbeat, Accepted, Refused, MemberPace, Progress, Finished,
                    Failed, ReplicaReport, DeviceReport, Leave>(message);
    case KeyRole::view:
      return asks;
    case KeyRole::submit:
      return asks || is_any<Submit>(message);
    case KeyRole::admin:
      return asks || is_any<Submit, EndRequest, Inject, SetPowerCap, SetDrain, CancelJobs,
                            ApplyPolicy, AcknowledgeAlert, ForgetHost, Caption>(message);
    case KeyRole::router:
      return false;
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
