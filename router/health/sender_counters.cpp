#include "router/health/sender_counters.h"

#include <algorithm>
#include <utility>

#include <fmt/format.h>

#include "fleet/base/text.h"

namespace drover::router {
namespace {

// Kinds named in a line; the others are counted together.
constexpr std::size_t names_max = 32;
constexpr std::size_t addresses_max = 4;
// Senders without a key may continue indefinitely, and ledger rows stay for ever: a sender that
// continues without a pause is recorded less and less often, down to once in this many minutes.
constexpr int unkeyed_minutes_max = 60;
constexpr const char* others = "others";

std::string endpoint_text(Channel channel) {
  if (channel == Channel::control) return "control endpoint";
  return channel == Channel::samples ? "samples endpoint" : "publish endpoint";
}

/// "InjectFault 200 times, SetDrain".
std::string asked_text(const std::map<std::string, std::uint64_t>& asked) {
  std::string text;
  for (const auto& [kind, count] : asked) {
    add_part(text, ", ", count == 1 ? kind : fmt::format("{} {} times", kind, count));
  }
  return text;
}

}  // namespace

DropCounter::Entry& DropCounter::count(const std::string& key, const std::string& sender) {
  ++total_;
  const std::size_t named = others_.size() - others_.count(other_senders);
  const bool has_place = others_.contains(sender) || named < dropped_senders_max;
  const std::string& name = key.empty() && !has_place ? other_senders : sender;
  Entry& entry = key.empty() ? others_[name] : keys_[key];
  if (entry.count++ == 0) entry.name = name;
  return entry;
}

bool DropCounter::should_report(Instant now, Entry& entry) const {
  if (entry.reported != Instant::min() && now - entry.reported < report_interval_) return false;
  entry.reported = now;
  return true;
}

std::vector<SenderCount> DropCounter::by_sender() const {
  std::vector<SenderCount> counts;
  SenderCount rest{other_senders, 0};
  for (const Entries* entries : {&keys_, &others_}) {
    for (const auto& [name, entry] : *entries) {
      if (name == other_senders || counts.size() >= dropped_senders_max) {
        rest.count += entry.count;
      } else {
        counts.push_back({entry.name, entry.count});
      }
    }
  }
  if (rest.count > 0) counts.push_back(std::move(rest));
  std::ranges::sort(counts,
                    [](const SenderCount& a, const SenderCount& b) { return a.sender < b.sender; });
  return counts;
}

std::vector<SenderCount> DropCounter::changed() {
  std::vector<SenderCount> counts;
  for (Entries* entries : {&keys_, &others_}) {
    for (auto& [name, entry] : *entries) {
      if (std::exchange(entry.looked_at, entry.count) == entry.count) continue;
      counts.push_back({entry.name, entry.count});
    }
  }
  return counts;
}

std::optional<Audit> RefusalAudit::count(Instant now, const Dropped& refused,
                                         const std::string& sender) {
  const bool known = !refused.key.empty();
  Entries& entries = known ? keys_ : unkeyed_;
  std::string name = known ? refused.key : sender;
  const bool has_place = known || unkeyed_.contains(name) ||
                         unkeyed_.size() - unkeyed_.count(others) < refused_unkeyed_max;
  if (!has_place) name = others;
  const auto [at, added] = entries.try_emplace(name);
  Entry& entry = at->second;
  entry.target = endpoint_text(refused.from.channel);
  entry.why = refused.why;
  if (added) {
    entry.who = has_place ? sender : others;
    entry.every = minute_;
    entry.until = saturating_add(now, minute_);
    return Audit{sender, refused.asked, entry.target, false, refused.why};
  }
  ++entry.more;
  const bool named = entry.asked.contains(refused.asked) || entry.asked.size() < names_max;
  ++entry.asked[named ? refused.asked : others];
  if (!refused.address.empty()) {
    const bool listed = entry.addresses.size() < addresses_max;
    entry.addresses.insert(listed ? printable(refused.address) : others);
  }
  return std::nullopt;
}

std::vector<Audit> RefusalAudit::take_due(Instant now) {
  std::vector<Audit> lines;
  for (Entries* entries : {&keys_, &unkeyed_}) {
    for (auto next = entries->begin(); next != entries->end();) {
      const auto at = next++;
      Entry& entry = at->second;
      if (now < entry.until) continue;
      if (entry.more == 0) {
        entries->erase(at);
        continue;
      }
      lines.push_back(line_of(entry));
      if (entries == &unkeyed_) {
        entry.every = std::min(2 * entry.every, unkeyed_minutes_max * minute_);
      }
      entry.until = saturating_add(now, entry.every);
    }
  }
  return lines;
}

Audit RefusalAudit::line_of(Entry& entry) const {
  Audit line{entry.who, counted(entry.more, "more request"), entry.target, false, {}};
  line.detail = fmt::format("{}{}{}; the last: {}", asked_text(entry.asked),
                            entry.addresses.empty() ? "" : " from ", joined(entry.addresses, ", "),
                            entry.why);
  entry.more = 0;
  entry.asked.clear();
  entry.addresses.clear();
  return line;
}

}  // namespace drover::router
