#include "router/alerts/alerts.h"

#include <algorithm>
#include <charconv>
#include <cmath>

#include <fmt/format.h>

#include "router/alerts/alert_places.h"

namespace drover::router {
namespace {

constexpr double jitter_share = 0.05;

/// Takes what is next of a text: a number, or the words up to one.
struct Part {
  std::string_view words;  // empty: it is a number
  double number = 0;
};
Part take_part_of(std::string_view& text) {
  constexpr std::string_view digits = "0123456789";
  const std::size_t begins = text.find_first_of(digits);
  if (begins != 0) {
    const Part part{text.substr(0, begins), 0};
    text.remove_prefix(part.words.size());
    return part;
  }
  Part part;
  const char* const end = text.data() + text.size();
  const auto read = std::from_chars(text.data(), end, part.number, std::chars_format::fixed);
  text.remove_prefix(static_cast<std::size_t>(read.ptr - text.data()));
  return part;
}

}  // namespace

bool tells_more(std::string_view before, std::string_view now) {
  while (!before.empty() && !now.empty()) {
    const Part old = take_part_of(before), fresh = take_part_of(now);
    if (old.words != fresh.words) return true;
    const double most = std::max(old.number, fresh.number);
    if (std::abs(old.number - fresh.number) > jitter_share * most) return true;
  }
  return before.empty() != now.empty();
}

void AlertBook::set_rules(const std::vector<AlertRule>& rules) {
  rules_.clear();
  for (const AlertRule& rule : rules) {
    if (rule.enabled) rules_.emplace(rule.told.name, rule.told);
  }
}

std::vector<Alert> AlertBook::observe(Instant now, const std::vector<Sighting>& seen) {
  std::map<std::string, std::vector<const Sighting*>> waiting;
  for (const Sighting& sighting : seen) {
    if (!rules_.contains(sighting.rule)) continue;
    const bool known = entries_.contains({sighting.rule, sighting.subject});
    if (known || subjects_[sighting.rule] < alert_subjects_max) {
      see(now, sighting);
    } else {
      waiting[sighting.rule].push_back(&sighting);
    }
  }
  std::vector<Alert> changes;
  for (const auto& [rule, those] : waiting) {
    const std::size_t left_out = share(now, rule, those, changes);
    if (left_out == 0) continue;
    see(now, {rule, std::string(other_subjects), fmt::format("{} more", left_out)});
  }
  for (auto next = entries_.begin(); next != entries_.end();) {
    const auto at = next++;
    if (!settle(now, at->second, changes)) continue;
    --subjects_[at->first.first];
    entries_.erase(at);
  }
  return changes;
}

std::size_t AlertBook::share(Instant now, const std::string& rule,
                             const std::vector<const Sighting*>& waiting,
                             std::vector<Alert>& changes) {
  std::vector<AlertPlace> taken;
  for (auto at = entries_.lower_bound({rule, ""}); at != entries_.end() && at->first.first == rule;
       ++at) {
    if (at->first.second == other_subjects) continue;
    taken.push_back({at->first.second, at->second.first_seen});
  }
  const PlaceChanges changed = share_places(taken, waiting);
  std::size_t left_out = waiting.size() - changed.arrive.size();
  for (const std::string& subject : changed.leave) {
    const auto at = entries_.find({rule, subject});
    Entry& entry = at->second;
    if (entry.last_seen == now) ++left_out;
    entry.alert.raised = false;
    if (entry.raised) changes.push_back(entry.alert);
    entries_.erase(at);
    --subjects_[rule];
  }
  for (const Sighting* sighting : changed.arrive) see(now, *sighting);
  return left_out;
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
  if (!sighting.text.empty()) entry.alert.text = sighting.text;
}

bool AlertBook::settle(Instant now, Entry& entry, std::vector<Alert>& changes) const {
  const auto rule = rules_.find(entry.alert.rule);
  const bool holds = entry.last_seen == now && rule != rules_.end();
  if (holds) {
    if (entry.raised) {
      retell(now, entry, changes);
      return false;
    }
    if (now - entry.first_seen < rule->second.raise_after) return false;
    // Of what had no place a watcher makes no text: it has one at the next look.
    if (entry.alert.text.empty() && entry.first_seen == now) return false;
    entry.raised = entry.alert.raised = true;
    entry.alert.severity = rule->second.severity;
    entry.alert.since = entry.told_at = now;
    entry.told = entry.alert.text;
    changes.push_back(entry.alert);
    return false;
  }
  if (!entry.raised) return true;
  // Looks may be further apart than the span: counted from the first without the condition, one
  // alone clears nothing that shall stay for a while.
  entry.gone_since = std::min(entry.gone_since, now);
  const bool over = rule == rules_.end() || now - entry.gone_since >= rule->second.clear_after;
  if (!over) {
    retell(now, entry, changes);  // what was seen last may not have been told yet
    return false;
  }
  entry.alert.raised = false;
  changes.push_back(entry.alert);
  return true;
}

void AlertBook::retell(Instant now, Entry& entry, std::vector<Alert>& changes) const {
  if (entry.alert.text == entry.told) return;
  const bool news = tells_more(entry.told, entry.alert.text);
  if (now - entry.told_at < (news ? retold_every_beats : jitter_every_beats) * beat_) return;
  entry.told = entry.alert.text;
  entry.told_at = now;
  changes.push_back(entry.alert);
  changes.back().retold = true;
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
      entry.told = entry.alert.text;
      entry.told_at = now;
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
