// What is not let in: rubbish is counted, what somebody may not have is refused, answered and put
// on record.
#include <utility>

#include <fmt/format.h>

#include "fleet/codec.h"
#include "fleet/text.h"
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
  if (what.passing) return put_it_off(now, what, sender);
  if (what.asked.empty()) {
    drop(now, sender, what.why, what.key);
  } else {
    refuse(now, what, sender);
  }
  if (peer != nullptr) answer_refused(now, what, *peer);
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

void Core::put_it_off(Instant now, const Dropped& what, const std::string& sender) {
  mail.send(now, what.from, Problem{printable(what.why), true});
  DroppedBook::Entry& entry =
      put_off.count(what.key, printable(sender.substr(0, dropped_sender_max)));
  if (!put_off.tell(now, entry)) return;
  event(now, Severity::warning, entry.name,
        fmt::format("not taken for now, {} so far: {}", entry.count, printable(what.why)));
}

void Core::refuse(Instant now, const Dropped& what, const std::string& sender) {
  const std::string words = printable(sender.substr(0, dropped_sender_max));
  dropped.count(what.key, words);
  Dropped told = what;
  told.why = printable(what.why.substr(0, dropped_text_max));
  if (auto line = refusals.count(now, told, words)) record_refusal(now, *std::move(line));
}

void Core::record_refusal(Instant now, Audit line) {
  mail.write(ledger::audit(now, line));
  event(now, Severity::warning, line.target,
        fmt::format("{}: {}: not done: {}", line.who, line.action, line.detail));
  mail.publish(now, std::move(line));
}

void Core::record_refusals(Instant now) {
  for (Audit& line : refusals.take_due(now)) record_refusal(now, std::move(line));
}

void Core::answer_refused(Instant now, const Dropped& what, PeerEntry& peer) {
  // Never a Problem for a Problem: two that misunderstand each other would talk for ever.
  if (what.asked == kind_name(Message(Problem{}))) return;
  const bool rubbish = what.asked.empty();
  // Told once: whoever sends rubbish will not read a thousand answers.
  if (rubbish && peer.undecodable++ > 0) return;
  const bool says_hello =
      what.asked == kind_name(Message(Hello{})) && peer.role.value_or(Role::agent) == Role::agent;
  const bool introduces = says_hello || what.asked == kind_name(Message(Join{}));
  const std::string why = printable(what.why);
  if (rubbish ? !peer.role : introduces) {
    mail.send(now, what.from, Unwelcome{why});
  } else {
    mail.send(now, what.from, Problem{why});
  }
}

}  // namespace drover::router
