// Alerts: when a condition raises or clears an alert, and who acknowledged it. Pure: conditions
// in, alerts out. All durations are fleet time; if observations are further apart than a duration,
// two of them are needed.
#pragma once

#include <chrono>
#include <cstddef>
#include <map>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "fleet/actions.h"
#include "fleet/base/time.h"
#include "fleet/filter/alert_rule.h"

namespace drover::router {

/// Maximum number of concurrent alerts of one rule; hosts share these slots (`share_slots`). All
/// further ones are merged into one alert about `other_subjects`.
inline constexpr std::size_t alert_subjects_max = 256;
inline constexpr std::string_view other_subjects = "others";

/// The text of a raised alert follows its condition. It is published again at most every
/// `text_update_s` wall seconds, or every `jitter_update_s` if it only jitters, that is if
/// numbers change by less than a twentieth.
inline constexpr int text_update_s = 5;
inline constexpr int jitter_update_s = 60;

/// Whether the second text differs from the first by more than jitter: other words, or a number
/// that changed by more.
bool differs_beyond_jitter(std::string_view before, std::string_view now);

/// A rule's condition is true for a subject now.
struct AlertCondition {
  std::string rule;
  std::string subject;
  std::string text;  // empty: unchanged
};

/// "h1" for "h1/3", "h1/r0" and "h1". Any other subject counts as a host of its own.
std::string_view host_of_subject(std::string_view subject);

struct AlertSlot {
  std::string subject;
  Instant since{};
};

struct SlotChanges {
  std::vector<std::string> leave;             // subjects that lose their slot
  std::vector<const AlertCondition*> arrive;  // the same number
};

/// Shares out full slots when a rule has more subjects than slots, so that one host with thousands
/// of devices hides no other host's alert: each waiting condition takes a slot from a host with at
/// least two more slots than its own host, the newest first. A host that has a slot keeps one, and
/// without changes nothing moves.
SlotChanges share_slots(const std::vector<AlertSlot>& taken,
                        const std::vector<const AlertCondition*>& waiting);

class AlertTable {
 public:
  /// `wall_second`: a wall second in fleet time.
  explicit AlertTable(Duration wall_second = std::chrono::seconds(1)) : wall_second_(wall_second) {}

  /// Sets the rules. Alerts of rules that are gone are cleared at the next observation.
  void set_rules(const std::vector<AlertRule>& rules);

  /// Takes all conditions that are true now; all others are false, and conditions without a rule
  /// are ignored. Returns the alerts raised, cleared or updated by it: first those cleared for
  /// another host's slot, then the others by rule and subject.
  std::vector<Alert> observe(Instant now, const std::vector<AlertCondition>& seen);
  /// Acknowledges the raised alerts of this rule and subject (empty: all) until they are cleared.
  /// Returns all of them; an earlier acknowledgement is kept.
  std::vector<Alert> acknowledge(Instant now, std::string_view rule, std::string_view subject,
                                 const std::string& who);
  /// Whether the condition is known, raised or not yet.
  bool knows(const std::string& rule, const std::string& subject) const {
    return entries_.contains({rule, subject});
  }
  /// Raised alerts, by rule and subject, with their current texts.
  std::vector<Alert> raised() const;
  /// Subjects of a rule's raised alerts, in order.
  std::vector<std::string> raised_subjects(std::string_view rule) const;

 private:
  struct Entry {
    Instant first_seen{};
    Instant last_seen{};
    Instant gone_since = never;  // first observation without it
    Alert alert;                 // with the text of the last observation
    std::string published;       // the last published text
    Instant published_at{};
    bool raised = false;
  };
  using Key = std::pair<std::string, std::string>;  // rule, subject
  using Entries = std::map<Key, Entry>;

  void match(Instant now, const AlertCondition& condition);
  /// Shares the rule's slots with the waiting conditions. Returns how many get none.
  std::size_t share(Instant now, const std::string& rule,
                    const std::vector<const AlertCondition*>& waiting, std::vector<Alert>& changes);
  /// Returns whether the entry can be removed.
  bool settle(Instant now, Entry& entry, std::vector<Alert>& changes) const;
  /// Publishes the text again if it has changed.
  void update_text(Instant now, Entry& entry, std::vector<Alert>& changes) const;

  Duration wall_second_;
  std::map<std::string, AlertRuleText, std::less<>> rules_;
  Entries entries_;
  std::map<std::string, std::size_t> subjects_;  // entries by rule
};

}  // namespace drover::router
