// Alerts: a table of rules, and when a condition that is seen or not seen raises or clears one.
// Pure: what is seen comes in, alerts come out. All spans are fleet time; where looks are further
// apart than a span, it takes two of them.
#pragma once

#include <map>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "fleet/actions.h"
#include "fleet/time.h"

namespace drover::router {

enum class AlertRule : std::uint8_t {
  host_suspect,
  host_lost,
  device_unusable,
  place_ejected,
  throttling,
  power_cap,
  jobs_waiting,
  undecodable,
};

struct AlertFacts {
  AlertRule rule;
  std::string_view name;
  Severity severity;
  Duration raise_after;  // its condition must hold so long without a break
  Duration clear_after;  // and must not have been seen for so long
};
/// One row for each rule, in the order of the enumeration.
std::span<const AlertFacts> alert_rules();

/// A rule's condition holds for a subject at this moment.
struct Sighting {
  AlertRule rule;
  std::string subject;
  std::string text;
};

class AlertBook {
 public:
  /// Everything that holds now; whatever is not among it does not hold. Answers what was raised and
  /// cleared by that, by rule and subject.
  std::vector<Alert> observe(Instant now, const std::vector<Sighting>& seen);
  /// The raised ones, by rule and subject.
  std::vector<Alert> raised() const;

 private:
  struct Entry {
    Instant first_seen{};
    Instant last_seen{};
    Instant gone_since = never;  // the first look without it
    bool raised = false;
    Instant since{};
    std::string text;  // of the look that raised it
  };
  using Key = std::pair<AlertRule, std::string>;
  static Alert alert_of(const Key& key, const Entry& entry);

  std::map<Key, Entry> entries_;
};

}  // namespace drover::router
