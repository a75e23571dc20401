#include "router/alerts.h"

#include <algorithm>

#include <fmt/format.h>

namespace drover::router {

void AlertBook::set_rules(const std::vector<AlertRule>& rules) {
  rules_.clear();
  for (const AlertRule& rule : rules) {
    if (rule.enabled) rules_.emplace(rule.told.name, rule.told);
  }
}

std::vector<Alert> AlertBook::observe(Instant now, const std::vector<Sighting>& seen) {
  std::map<std::string, std::size_t> left_out;
  for (const Sighting& sighting : seen) {
    if (!rules_.contains(sighting.rule)) continue;
    const bool known = entries_.contains({sighting.rule, sighting.subject});
    if (known || subjects_[sighting.rule] < alert_subjects_max) {
      see(now, sighting);
    } else {
      ++left_out[sighting.rule];
    }
  }
  for (const auto& [rule, count] : left_out) {
    see(now, {rule, std::string(other_subjects), fmt::format("{} more", count)});
  }
  std::vector<Alert> changes;
  for (auto next = entries_.begin(); next != entries_.end();) {
    const auto at = next++;
    if (!settle(now, at->second, changes)) continue;
    --subjects_[at->first.first];
    entries_.erase(at);
  }
  return changes;
}

void AlertBook::see(Instant now, const Sighting& sighting) {
  const auto [at, added] = entries_.try_emplace({sighting.rule, sighting.subject});
  Entry& entry = at->second;
  if (added) {
    ++subjects_[sighting.rule];
    entry.first_seen = now;
    entry.alert.rule = sighting.rule;
    entry.alert.subject = sighting.subject;
  }
  entry.last_seen = now;
  entry.gone_since = never;
  // What everybody was told when it was raised stands, for those who join late as well.
  if (!entry.raised && !sighting.text.empty()) entry.alert.text = sighting.text;
}

bool AlertBook::settle(Instant now, Entry& entry, std::vector<Alert>& changes) const {
  const auto rule = rules_.find(entry.alert.rule);
  const bool holds = entry.last_seen == now && rule != rules_.end();
  if (holds) {
    if (entry.raised || now - entry.first_seen < rule->second.raise_after) return false;
    entry.raised = entry.alert.raised = true;
    entry.alert.severity = rule->second.severity;
    entry.alert.since = now;
    changes.push_back(entry.alert);
    return false;
  }
  if (!entry.raised) return true;
  // Looks may be further apart than the span: counted from the first without the condition, one
  // alone clears nothing that shall stay for a while.
  entry.gone_since = std::min(entry.gone_since, now);
  const bool over = rule == rules_.end() || now - entry.gone_since >= rule->second.clear_after;
  if (!over) return false;
  entry.alert.raised = false;
  changes.push_back(entry.alert);
  return true;
}

std::vector<Alert> AlertBook::acknowledge(Instant now, std::string_view rule,
                                          std::string_view subject, const std::string& who) {
  std::vector<Alert> alerts;
  for (auto& [key, entry] : entries_) {
    const bool meant =
        (rule.empty() || key.first == rule) && (subject.empty() || key.second == subject);
    if (!entry.raised || !meant) continue;
    if (entry.alert.acknowledged_by.empty()) {
      entry.alert.acknowledged_by = who;
      entry.alert.acknowledged_at = now;
    }
    alerts.push_back(entry.alert);
  }
  return alerts;
}

std::vector<Alert> AlertBook::raised() const {
  std::vector<Alert> alerts;
  for (const auto& [key, entry] : entries_) {
    if (entry.raised) alerts.push_back(entry.alert);
  }
  return alerts;
}

std::vector<std::string> AlertBook::raised_subjects(std::string_view rule) const {
  std::vector<std::string> subjects;
  for (auto at = entries_.lower_bound({std::string(rule), ""});
       at != entries_.end() && at->first.first == rule; ++at) {
    if (at->second.raised) subjects.push_back(at->first.second);
  }
  return subjects;
}

}  // namespace drover::router
