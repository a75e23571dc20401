// Alerts: when a condition that is seen or not seen under a rule raises an alert or clears one, and
// who cares for it. Pure: what is seen comes in, alerts come out. All spans are fleet time; where
// looks are further apart than a span, it takes two of them.
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

/// Subjects of one rule at once: more would tell nobody more. Hosts share these places
/// (alert_places.h). The rest is one alert, about `other_subjects`.
inline constexpr std::size_t alert_subjects_max = 256;
inline constexpr std::string_view other_subjects = "others";

/// The text of one that stands follows what it is about. Everybody is told it anew at most so
/// often, in beats; where it only jitters, by less than a twentieth of a number, so seldom.
inline constexpr int retold_every_beats = 5;
inline constexpr int jitter_every_beats = 60;

/// Whether one who knows the first text learns anything from the second: other words, or a number
/// that has changed by more than jitter.
bool tells_more(std::string_view before, std::string_view now);

/// A rule's condition holds for a subject at this moment.
struct Sighting {
  std::string rule;
  std::string subject;
  std::string text;  // empty: as it was
};

class AlertBook {
 public:
  /// `beat`: a wall second in fleet time.
  explicit AlertBook(Duration beat = std::chrono::seconds(1)) : beat_(beat) {}

  /// From now on. What other rules have raised is over at the next look.
  void set_rules(const std::vector<AlertRule>& rules);

  /// Everything that holds now; whatever is not among it does not hold, and what no rule is about
  /// is passed over. Answers what was raised, cleared and retold by that: first what was cleared to
  /// give its place to another host's, then the others by rule and subject.
  std::vector<Alert> observe(Instant now, const std::vector<Sighting>& seen);
  /// Somebody cares for what stands of this rule and subject, empty ones meaning all, until it is
  /// over. Answers all that it is about; what somebody cares for already stays with him.
  std::vector<Alert> acknowledge(Instant now, std::string_view rule, std::string_view subject,
                                 const std::string& who);
  /// Whether it is seen now, raised or not yet.
  bool knows(const std::string& rule, const std::string& subject) const {
    return entries_.contains({rule, subject});
  }
  /// The raised ones, by rule and subject, with their present texts.
  std::vector<Alert> raised() const;
  /// Subjects of the raised ones of a rule, in order.
  std::vector<std::string> raised_subjects(std::string_view rule) const;

 private:
  struct Entry {
    Instant first_seen{};
    Instant last_seen{};
    Instant gone_since = never;  // the first look without it
    Alert alert;                 // its text: of the last look
    std::string told;            // the text that everybody knows
    Instant told_at{};
    bool raised = false;
  };
  using Key = std::pair<std::string, std::string>;  // rule, subject
  using Entries = std::map<Key, Entry>;

  void see(Instant now, const Sighting& sighting);
  /// Shares the rule's places with those that wait for one. Answers how many are left out.
  std::size_t share(Instant now, const std::string& rule,
                    const std::vector<const Sighting*>& waiting, std::vector<Alert>& changes);
  /// Answers whether the entry is over and done with.
  bool settle(Instant now, Entry& entry, std::vector<Alert>& changes) const;
  /// Its text again, when it has changed.
  void retell(Instant now, Entry& entry, std::vector<Alert>& changes) const;

  Duration beat_;
  std::map<std::string, AlertRuleText, std::less<>> rules_;
  Entries entries_;
  std::map<std::string, std::size_t> subjects_;  // entries of each rule
};

}  // namespace drover::router
