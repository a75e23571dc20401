#include "router/publishing/rejected_messages.h"

#include <utility>

#include <fmt/format.h>

#include "fleet/base/text.h"
#include "fleet/codec/codec.h"

namespace drover::router {
namespace {

// Length limits of explanations, which may quote input, and of names: a key's is up to 64 bytes.
constexpr std::size_t dropped_text_max = 200;
constexpr std::size_t dropped_sender_max = 116;

std::string_view role_text(const std::optional<Role>& role) {
  if (!role) return "this connection";
  if (*role == Role::agent) return "an agent";
  return *role == Role::viewer ? "a viewer" : "a client";
}

}  // namespace

std::optional<std::string> why_refused(const ConnectionTable& connections, Peer from,
                                       const Message& message) {
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

ConnectionEntry& RejectedMessages::touch_connection(Instant now, std::uint64_t number) {
  if (const auto evicted = connections.make_room(number))
    outbox.forget({Channel::control, *evicted});
  return connections.touch(now, number);
}

void RejectedMessages::reject(Instant now, const Dropped& what) {
  const bool has_connection = what.from.channel == Channel::control && what.from.number != 0;
  ConnectionEntry* const peer = has_connection ? &touch_connection(now, what.from.number) : nullptr;
  std::string sender = what.sender.empty() ? sender_text(what.from, "") : what.sender;
  if (peer != nullptr && what.key.empty()) {
    if (peer->words.empty()) peer->words = sender;
    sender = sender_name(*peer);
  }
  if (what.retryable) return defer(now, what, sender);
  if (what.asked.empty()) {
    drop(now, sender, what.why, what.key);
  } else {
    audit_refused(now, what, sender);
  }
  if (peer != nullptr) reply_to_refused(now, what, *peer);
}

void RejectedMessages::drop(Instant now, const std::string& sender, const std::string& why,
                            const std::string& key) {
  const std::string words = printable(sender.substr(0, dropped_sender_max));
  DropCounter::Entry& entry = dropped_.count(key, words);
  if (!dropped_.should_report(now, entry)) return;
  publisher.event(now, Severity::warning, entry.name, "dropped, {} so far: {}", entry.count,
                  printable(why.substr(0, dropped_text_max)));
}

/// A deferred request may be repeated: it is answered, and reported now and then.
void RejectedMessages::defer(Instant now, const Dropped& what, const std::string& sender) {
  outbox.send(now, what.from, RequestError{printable(what.why), true});
  DropCounter::Entry& entry =
      deferred_.count(what.key, printable(sender.substr(0, dropped_sender_max)));
  if (!deferred_.should_report(now, entry)) return;
  publisher.event(now, Severity::warning, entry.name, "rejected for now, {} so far: {}",
                  entry.count, printable(what.why));
}

/// Counted like a dropped message, and audited.
void RejectedMessages::audit_refused(Instant now, const Dropped& what, const std::string& sender) {
  const std::string words = printable(sender.substr(0, dropped_sender_max));
  dropped_.count(what.key, words);
  Dropped printed = what;
  printed.why = printable(what.why.substr(0, dropped_text_max));
  if (auto line = refusals_.count(now, printed, words))
    publisher.record_refusal(now, *std::move(line));
}

void RejectedMessages::reply_to_refused(Instant now, const Dropped& what, ConnectionEntry& peer) {
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
    outbox.send(now, what.from, JoinRejected{why});
  } else {
    outbox.send(now, what.from, RequestError{why});
  }
}

void RejectedMessages::count_implausible(Instant now, const std::string& host,
                                         const std::string& what) {
  DropCounter::Entry& entry = implausible_.count({}, host);
  if (!implausible_.should_report(now, entry)) return;
  publisher.event(now, Severity::warning, host, "reported implausible figures for {}, {} so far",
                  what, counted(entry.count, "message"));
}

void RejectedMessages::audit_due(Instant now, Instant due) {
  for (Audit& line : refusals_.take_due(due)) publisher.record_refusal(now, std::move(line));
}

}  // namespace drover::router
