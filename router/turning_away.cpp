// What is not let in: rubbish is counted, what somebody may not have is refused, answered and put
// on record.
#include <utility>

#include <fmt/format.h>

#include "fleet/base/text.h"
#include "fleet/codec/codec.h"
#include "router/state.h"

namespace drover::router {
namespace {

// Explanations are cut: they may quote what came. So are names: a key's is up to 64 bytes.
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

/// It may be said again: answered, and told now and then.
void defer(Core& core, Instant now, const Dropped& what, const std::string& sender) {
  core.mail.send(now, what.from, Problem{printable(what.why), true});
  DroppedBook::Entry& entry =
      core.deferred.count(what.key, printable(sender.substr(0, dropped_sender_max)));
  if (!core.deferred.tell(now, entry)) return;
  core.event(now, Severity::warning, entry.name,
             fmt::format("not taken for now, {} so far: {}", entry.count, printable(what.why)));
}

/// Counted like what is dropped, and on record.
void note_refused(Core& core, Instant now, const Dropped& what, const std::string& sender) {
  const std::string words = printable(sender.substr(0, dropped_sender_max));
  core.dropped.count(what.key, words);
  Dropped told = what;
  told.why = printable(what.why.substr(0, dropped_text_max));
  if (auto line = core.refusals.count(now, told, words)) core.record_refusal(now, *std::move(line));
}

void answer_refused(Core& core, Instant now, const Dropped& what, PeerEntry& peer) {
  // Never a Problem for a Problem: two that misunderstand each other would talk for ever.
  if (what.asked == kind_name(Message(Problem{}))) return;
  const bool rubbish = what.asked.empty();
  // Told once: a client that sends rubbish does not read a thousand answers.
  if (rubbish && peer.undecodable++ > 0) return;
  const bool says_hello =
      what.asked == kind_name(Message(Hello{})) && peer.role.value_or(Role::agent) == Role::agent;
  const bool introduces = says_hello || what.asked == kind_name(Message(Join{}));
  const std::string why = printable(what.why);
  if (rubbish ? !peer.role : introduces) {
    core.mail.send(now, what.from, Unwelcome{why});
  } else {
    core.mail.send(now, what.from, Problem{why});
  }
}

}  // namespace

std::optional<std::string> Core::refusal(Peer from, const Message& message) const {
  const std::string_view kind = kind_name(message);
  if (from.channel == Channel::samples) {
    if (speaker_of(message) == Speaker::sampler) return std::nullopt;
    return fmt::format("{} is no sample", kind);
  }
  if (from.channel == Channel::publish) return std::nullopt;
  const PeerEntry* peer = peers.find(from.number);
  const std::optional<Role> role = peer == nullptr ? std::nullopt : peer->role;
  if (may_send(role, message)) return std::nullopt;
  if (speaker_of(message) == Speaker::nobody) return fmt::format("only the router sends {}", kind);
  if (speaker_of(message) == Speaker::sampler) {
    return fmt::format("{} goes to the samples door", kind);
  }
  return fmt::format("{} may not send {}", role_text(role), kind);
}

PeerEntry& Core::hear(Instant now, std::uint64_t number) {
  if (const auto evicted = peers.make_room(number)) mail.forget({Channel::control, *evicted});
  return peers.heard(now, number);
}

void Core::turn_away(Instant now, const Dropped& what) {
  const bool has_connection = what.from.channel == Channel::control && what.from.number != 0;
  PeerEntry* const peer = has_connection ? &hear(now, what.from.number) : nullptr;
  std::string sender = what.sender.empty() ? sender_text(what.from, "") : what.sender;
  if (peer != nullptr && what.key.empty()) {
    if (peer->words.empty()) peer->words = sender;
    sender = sender_name(*peer);
  }
  if (what.passing) return defer(*this, now, what, sender);
  if (what.asked.empty()) {
    drop(now, sender, what.why, what.key);
  } else {
    note_refused(*this, now, what, sender);
  }
  if (peer != nullptr) answer_refused(*this, now, what, *peer);
}

void Core::drop(Instant now, const std::string& sender, const std::string& why,
                const std::string& key) {
  const std::string words = printable(sender.substr(0, dropped_sender_max));
  DroppedBook::Entry& entry = dropped.count(key, words);
  if (!dropped.tell(now, entry)) return;
  event(now, Severity::warning, entry.name,
        fmt::format("dropped, {} so far: {}", entry.count,
                    printable(why.substr(0, dropped_text_max))));
}

void Core::record_refusal(Instant now, Audit line) {
  mail.write(ledger::audit(now, line));
  event(now, Severity::warning, line.target,
        fmt::format("{}: {}: not done: {}", line.who, line.action, line.detail));
  mail.publish(now, std::move(line));
}

}  // namespace drover::router
