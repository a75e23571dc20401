#include "router/alerts/alerts.h"

#include <algorithm>
#include <charconv>
#include <cmath>

#include <fmt/format.h>

namespace drover::router {
namespace {

/// A subject with a slot, from before this observation or from now.
struct Holder {
  const AlertSlot* before = nullptr;
  const AlertCondition* fresh = nullptr;
};

class Places {
 public:
  explicit Places(const std::vector<AlertSlot>& taken) {
    std::vector<const AlertSlot*> oldest_first;
    for (const AlertSlot& place : taken) oldest_first.push_back(&place);
    std::ranges::stable_sort(
        oldest_first, [](const AlertSlot* a, const AlertSlot* b) { return a->since < b->since; });
    for (const AlertSlot* place : oldest_first) {
      hosts_[host_of_subject(place->subject)].push_back({place, nullptr});
    }
    find_largest();
  }

  /// Gives it a slot if another host has at least two more than its host.
  void take(const AlertCondition& sighting, SlotChanges& changes) {
    const std::string_view host = host_of_subject(sighting.subject);
    if (host == refused_) return;  // subjects of a host are adjacent
    const auto own = hosts_.find(host);
    const std::size_t has = own == hosts_.end() ? 0 : own->second.size();
    if (has + 1 >= largest_->size()) {
      refused_ = host;
      return;
    }
    const AlertSlot* given_up = largest_->back().before;
    if (given_up != nullptr) changes.leave.push_back(given_up->subject);
    largest_->pop_back();
    hosts_[host].push_back({nullptr, &sighting});
    find_largest();
  }

  void report_arrivals(SlotChanges& changes) const {
    for (const auto& [host, holders] : hosts_) {
      for (const Holder& holder : holders) {
        if (holder.fresh != nullptr) changes.arrive.push_back(holder.fresh);
      }
    }
  }

 private:
  void find_largest() {
    for (auto& [host, holders] : hosts_) {
      if (largest_ == nullptr || holders.size() > largest_->size()) largest_ = &holders;
    }
    refused_ = {};
  }

  std::map<std::string_view, std::vector<Holder>> hosts_;  // by host, oldest first
  std::vector<Holder>* largest_ = nullptr;
  std::string_view refused_;  // a host that has its share
};

constexpr double jitter_share = 0.05;

/// The next part of a text: a number, or the words before one.
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

std::string_view host_of_subject(std::string_view subject) {
  return subject.substr(0, subject.find('/'));
}

SlotChanges share_slots(const std::vector<AlertSlot>& taken,
                        const std::vector<const AlertCondition*>& waiting) {
  SlotChanges changes;
  if (taken.empty()) return changes;
  Places places(taken);
  for (const AlertCondition* sighting : waiting) places.take(*sighting, changes);
  places.report_arrivals(changes);
  return changes;
}

bool differs_beyond_jitter(std::string_view before, std::string_view now) {
  while (!before.empty() && !now.empty()) {
    const Part old = take_part_of(before), fresh = take_part_of(now);
    if (old.words != fresh.words) return true;
    const double most = std::max(old.number, fresh.number);
    if (std::abs(old.number - fresh.number) > jitter_share * most) return true;
  }
  return before.empty() != now.empty();
}

void AlertTable::set_rules(const std::vector<AlertRule>& rules) {
  rules_.clear();
  for (const AlertRule& rule : rules) {
    if (rule.enabled) rules_.emplace(rule.published.name, rule.published);
  }
}

std::vector<Alert> AlertTable::observe(Instant now, const std::vector<AlertCondition>& seen) {
  std::map<std::string, std::vector<const AlertCondition*>> waiting;
  for (const AlertCondition& condition : seen) {
    if (!rules_.contains(condition.rule)) continue;
    const bool known = entries_.contains({condition.rule, condition.subject});
    if (known || subjects_[condition.rule] < alert_subjects_max) {
      match(now, condition);
    } else {
      waiting[condition.rule].push_back(&condition);
    }
  }
  std::vector<Alert> changes;
  for (const auto& [rule, those] : waiting) {
    const std::size_t left_out = share(now, rule, those, changes);
    if (left_out == 0) continue;
    match(now, {rule, std::string(other_subjects), fmt::format("{} more", left_out)});
  }
  for (auto next = entries_.begin(); next != entries_.end();) {
    const auto at = next++;
    if (!settle(now, at->second, changes)) continue;
    --subjects_[at->first.first];
    entries_.erase(at);
  }
  return changes;
}

std::size_t AlertTable::share(Instant now, const std::string& rule,
                              const std::vector<const AlertCondition*>& waiting,
                              std::vector<Alert>& changes) {
  std::vector<AlertSlot> taken;
  for (auto at = entries_.lower_bound({rule, ""}); at != entries_.end() && at->first.first == rule;
       ++at) {
    if (at->first.second == other_subjects) continue;
    taken.push_back({at->first.second, at->second.first_seen});
  }
  const SlotChanges changed = share_slots(taken, waiting);
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
  for (const AlertCondition* condition : changed.arrive) match(now, *condition);
  return left_out;
}

void AlertTable::match(Instant now, const AlertCondition& condition) {
  const auto [at, added] = entries_.try_emplace({condition.rule, condition.subject});
  Entry& entry = at->second;
  if (added) {
    ++subjects_[condition.rule];
    entry.first_seen = now;
    entry.alert.rule = condition.rule;
    entry.alert.subject = condition.subject;
  }
  entry.last_seen = now;
  entry.gone_since = never;
  if (!condition.text.empty()) entry.alert.text = condition.text;
}

bool AlertTable::settle(Instant now, Entry& entry, std::vector<Alert>& changes) const {
  const auto rule = rules_.find(entry.alert.rule);
  const bool holds = entry.last_seen == now && rule != rules_.end();
  if (holds) {
    if (entry.raised) {
      update_text(now, entry, changes);
      return false;
    }
    if (now - entry.first_seen < rule->second.raise_after) return false;
    // An alert without a slot has no text yet; it gets one at the next observation.
    if (entry.alert.text.empty() && entry.first_seen == now) return false;
    entry.raised = entry.alert.raised = true;
    entry.alert.severity = rule->second.severity;
    entry.alert.since = entry.published_at = now;
    entry.published = entry.alert.text;
    changes.push_back(entry.alert);
    return false;
  }
  if (!entry.raised) return true;
  // Observations may be further apart than the duration: it counts from the first one without the
  // condition, so a single one does not clear an alert with a clear delay.
  entry.gone_since = std::min(entry.gone_since, now);
  const bool over = rule == rules_.end() || now - entry.gone_since >= rule->second.clear_after;
  if (!over) {
    update_text(now, entry, changes);  // the last text may not be published yet
    return false;
  }
  entry.alert.raised = false;
  changes.push_back(entry.alert);
  return true;
}

void AlertTable::update_text(Instant now, Entry& entry, std::vector<Alert>& changes) const {
  if (entry.alert.text == entry.published) return;
  const bool changed = differs_beyond_jitter(entry.published, entry.alert.text);
  if (now - entry.published_at < (changed ? text_update_s : jitter_update_s) * wall_second_) return;
  entry.published = entry.alert.text;
  entry.published_at = now;
  changes.push_back(entry.alert);
  changes.back().text_only = true;
}

std::vector<Alert> AlertTable::acknowledge(Instant now, std::string_view rule,
                                           std::string_view subject, const std::string& who) {
  std::vector<Alert> alerts;
  for (auto& [key, entry] : entries_) {
    const bool meant =
        (rule.empty() || key.first == rule) && (subject.empty() || key.second == subject);
    if (!entry.raised || !meant) continue;
    if (entry.alert.acknowledged_by.empty()) {
      entry.alert.acknowledged_by = who;
      entry.alert.acknowledged_at = now;
      entry.published = entry.alert.text;
      entry.published_at = now;
    }
    alerts.push_back(entry.alert);
  }
  return alerts;
}

std::vector<Alert> AlertTable::raised() const {
  std::vector<Alert> alerts;
  for (const auto& [key, entry] : entries_) {
    if (entry.raised) alerts.push_back(entry.alert);
  }
  return alerts;
}

std::vector<std::string> AlertTable::raised_subjects(std::string_view rule) const {
  std::vector<std::string> subjects;
  for (auto at = entries_.lower_bound({std::string(rule), ""});
       at != entries_.end() && at->first.first == rule; ++at) {
    if (at->second.raised) subjects.push_back(at->first.second);
  }
  return subjects;
}

}  // namespace drover::router
