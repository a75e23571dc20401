// Rejected messages: undecodable ones are counted; requests that their sender may not make are
// refused, answered and audited.
#include <utility>

#include <fmt/format.h>

#include "fleet/base/text.h"
#include "fleet/codec/codec.h"
#include "router/router_core.h"

namespace drover::router {
namespace {

// Length limits of explanations, which may quote input, and of names: a key's is up to 64 bytes.
constexpr std::size_t dropped_text_max = 200;
constexpr std::size_t dropped_sender_max = 116;

std::string_view role_text(const std::optional<Role>& role) {
  if (!role) return "this connection";
  switch (*role) {
    case Role::agent:
      return "an agent";
    case Role::viewer:
      return "a viewer";
    default:
      return "a client";
  }
}

/// A deferred request may be repeated: it is answered, and reported now and then.
void defer(RouterCore& core, Instant now, const Dropped& what, const std::string& sender) {
  core.outbox.send(now, what.from, RequestError{printable(what.why), true});
  DropCounter::Entry& entry =
      core.deferred.count(what.key, printable(sender.substr(0, dropped_sender_max)));
  if (!core.deferred.should_report(now, entry)) return;
  core.event(now, Severity::warning, entry.name,
             fmt::format("rejected for now, {} so far: {}", entry.count, printable(what.why)));
}

/// Counted like a dropped message, and audited.
void audit_refused(RouterCore& core, Instant now, const Dropped& what, const std::string& sender) {
  const std::string words = printable(sender.substr(0, dropped_sender_max));
  core.dropped.count(what.key, words);
  Dropped printed = what;
  printed.why = printable(what.why.substr(0, dropped_text_max));
  if (auto line = core.refusals.count(now, printed, words))
    core.record_refusal(now, *std::move(line));
}

void reply_to_refused(RouterCore& core, Instant now, const Dropped& what, ConnectionEntry& peer) {
  // Never a RequestError for a RequestError: two such peers would exchange them for ever.
  if (what.asked == kind_name(Message(RequestError{}))) return;
  const bool rubbish = what.asked.empty();
  // Sent once: a client that sends invalid data does not read a thousand replies.
  if (rubbish && peer.undecodable++ > 0) return;
  const bool registers = what.asked == kind_name(Message(Register{})) &&
                         peer.role.value_or(Role::agent) == Role::agent;
  const bool introduces = registers || what.asked == kind_name(Message(Join{}));
  const std::string why = printable(what.why);
  if (rubbish ? !peer.role : introduces) {
    core.outbox.send(now, what.from, JoinRejected{why});
  } else {
    core.outbox.send(now, what.from, RequestError{why});
  }
}

}  // namespace

std::optional<std::string> RouterCore::refusal(Peer from, const Message& message) const {
  const std::string_view kind = kind_name(message);
  if (from.channel == Channel::samples) {
    if (sender_role_of(message) == SenderRole::sampler) return std::nullopt;
    return fmt::format("{} is not a sample", kind);
  }
  if (from.channel == Channel::publish) return std::nullopt;
  const ConnectionEntry* peer = connections.find(from.number);
  const std::optional<Role> role = peer == nullptr ? std::nullopt : peer->role;
  if (may_send(role, message)) return std::nullopt;
  if (sender_role_of(message) == SenderRole::nobody)
    return fmt::format("only the router sends {}", kind);
  if (sender_role_of(message) == SenderRole::sampler) {
    return fmt::format("{} must be sent to the samples endpoint", kind);
  }
  return fmt::format("{} may not send {}", role_text(role), kind);
}

ConnectionEntry& RouterCore::touch_connection(Instant now, std::uint64_t number) {
  if (const auto evicted = connections.make_room(number))
    outbox.forget({Channel::control, *evicted});
  return connections.touch(now, number);
}

void RouterCore::reject_message(Instant now, const Dropped& what) {
  const bool has_connection = what.from.channel == Channel::control && what.from.number != 0;
  ConnectionEntry* const peer = has_connection ? &touch_connection(now, what.from.number) : nullptr;
  std::string sender = what.sender.empty() ? sender_text(what.from, "") : what.sender;
  if (peer != nullptr && what.key.empty()) {
    if (peer->words.empty()) peer->words = sender;
    sender = sender_name(*peer);
  }
  if (what.retryable) return defer(*this, now, what, sender);
  if (what.asked.empty()) {
    drop(now, sender, what.why, what.key);
  } else {
    audit_refused(*this, now, what, sender);
  }
  if (peer != nullptr) reply_to_refused(*this, now, what, *peer);
}

void RouterCore::drop(Instant now, const std::string& sender, const std::string& why,
                      const std::string& key) {
  const std::string words = printable(sender.substr(0, dropped_sender_max));
  DropCounter::Entry& entry = dropped.count(key, words);
  if (!dropped.should_report(now, entry)) return;
  event(now, Severity::warning, entry.name,
        fmt::format("dropped, {} so far: {}", entry.count,
                    printable(why.substr(0, dropped_text_max))));
}

void RouterCore::record_refusal(Instant now, Audit line) {
  outbox.write(ledger::audit(now, line));
  event(now, Severity::warning, line.target,
        fmt::format("{}: {}: not done: {}", line.who, line.action, line.detail));
  outbox.publish(now, std::move(line));
}

}  // namespace drover::router
