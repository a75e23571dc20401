// The alert rules that are filters, over the fleet as the router believes it: which devices and
// pools they hold for, and whether for the site.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "fleet/filter/filter.h"
#include "router/alerts/alerts.h"
#include "router/alerts/watched_device.h"

namespace drover::router {

class RuleWatch {
 public:
  /// REQUIRES filters as read_alert_rule takes them.
  void set_rules(const std::vector<AlertRule>& rules);

  /// Adds what holds now, and what was raised and is not over yet, because its rule's `clear` does
  /// not hold. Devices of lost hosts are passed over: they have an alert of their own.
  void look(const WatchedFleet& fleet, std::vector<Sighting>& seen) const;

 private:
  struct Rule {
    std::string name;
    std::string help;
    filter::Filter when;
    std::optional<filter::Filter> clear;
  };
  void look_at_devices(const WatchedFleet& fleet, std::vector<Sighting>& seen) const;
  void look_at_pools(const WatchedFleet& fleet, std::vector<Sighting>& seen) const;
  void look_at_site(const WatchedFleet& fleet, std::vector<Sighting>& seen) const;
  static void look_at(const Rule& rule, const filter::Thing& thing, const std::string& subject,
                      const AlertBook& alerts, std::vector<Sighting>& seen);

  std::vector<Rule> of_devices_, of_pools_, of_site_;
};

/// The rule's words, and what it asked for: "about to slow down for heat: headroom 2.1C".
std::string alert_text(const std::string& help, const filter::Filter& when,
                       const filter::Thing& thing);

}  // namespace drover::router
