// Evaluates alert rules that are filters over the fleet state: the devices and pools that they
// match, and whether they match the site.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "fleet/filter/filter.h"
#include "router/alerts/fleet_device.h"

namespace drover::router {

class AlertRuleEvaluator {
 public:
  /// REQUIRES filters that read_alert_rule accepts.
  void set_rules(const std::vector<AlertRule>& rules);

  /// Adds what matches now, and raised alerts whose `clear` does not match yet. Devices of lost
  /// hosts are skipped: they have an alert of their own.
  void evaluate(const AlertInputs& fleet, std::vector<AlertCondition>& seen) const;

 private:
  struct Rule {
    std::string name;
    std::string help;
    filter::Filter when;
    std::optional<filter::Filter> clear;
  };
  void evaluate_devices(const AlertInputs& fleet, std::vector<AlertCondition>& seen) const;
  static void evaluate_subject(const Rule& rule, const filter::FilterSubject& thing,
                               const std::string& subject, const AlertTable& alerts,
                               std::vector<AlertCondition>& seen);

  std::vector<Rule> of_devices_, of_pools_, of_site_;
};

/// The rule's help text with the values that matched: "close to thermal throttling: headroom 2.1C".
std::string alert_text(const std::string& help, const filter::Filter& when,
                       const filter::FilterSubject& thing);

}  // namespace drover::router
