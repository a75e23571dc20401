#include "router/alerts.h"

#include <algorithm>
#include <array>

namespace drover::router {
namespace {

using std::chrono::seconds;

constexpr std::array<AlertFacts, 8> table = {{
    {AlertRule::host_suspect, "host_suspect", Severity::warning, seconds(0), seconds(0)},
    {AlertRule::host_lost, "host_lost", Severity::critical, seconds(0), seconds(0)},
    {AlertRule::device_unusable, "device_unusable", Severity::critical, seconds(0), seconds(0)},
    {AlertRule::place_ejected, "place_ejected", Severity::warning, seconds(0), seconds(0)},
    {AlertRule::throttling, "throttling", Severity::warning, seconds(3), seconds(10)},
    {AlertRule::power_cap, "power_cap", Severity::warning, seconds(3), seconds(3)},
    {AlertRule::jobs_waiting, "jobs_waiting", Severity::warning, seconds(0), seconds(3)},
    {AlertRule::undecodable, "undecodable", Severity::info, seconds(0), seconds(60)},
}};

}  // namespace

std::span<const AlertFacts> alert_rules() { return table; }

std::vector<Alert> AlertBook::observe(Instant now, const std::vector<Sighting>& seen) {
  for (const Sighting& sighting : seen) {
    const auto [entry, added] = entries_.try_emplace({sighting.rule, sighting.subject});
    if (added) entry->second.first_seen = now;
    entry->second.last_seen = now;
    entry->second.gone_since = never;
    // What everybody was told when it was raised stands, for those who join late as well.
    if (!entry->second.raised) entry->second.text = sighting.text;
  }
  std::vector<Alert> changes;
  for (auto next = entries_.begin(); next != entries_.end();) {
    const auto at = next++;
    auto& [key, entry] = *at;
    const AlertFacts& facts = table[static_cast<std::size_t>(key.first)];
    const bool holds = entry.last_seen == now;
    if (holds && !entry.raised && now - entry.first_seen >= facts.raise_after) {
      entry.raised = true;
      entry.since = now;
      changes.push_back(alert_of(key, entry));
    }
    if (holds) continue;
    // Looks may be further apart than the span: counted from the first without the condition, one
    // alone clears nothing that shall stay for a while.
    entry.gone_since = std::min(entry.gone_since, now);
    if (entry.raised && now - entry.gone_since < facts.clear_after) continue;
    if (entry.raised) {
      entry.raised = false;
      changes.push_back(alert_of(key, entry));
    }
    entries_.erase(at);
  }
  return changes;
}

std::vector<Alert> AlertBook::raised() const {
  std::vector<Alert> alerts;
  for (const auto& [key, entry] : entries_) {
    if (entry.raised) alerts.push_back(alert_of(key, entry));
  }
  return alerts;
}

Alert AlertBook::alert_of(const Key& key, const Entry& entry) {
  const AlertFacts& facts = table[static_cast<std::size_t>(key.first)];
  return {
      std::string(facts.name), key.second, facts.severity, entry.raised, entry.since, entry.text};
}

}  // namespace drover::router
