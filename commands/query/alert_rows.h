// Raised alerts and alert rules, as JSON and as tables.
#pragma once

#include <cstdint>
#include <set>
#include <string>
#include <vector>

#include "fleet/messages.h"
#include "fleet/text/json.h"

namespace drover::commands {

/// The alerts and rules of a snapshot.
struct AlertsView {
  std::vector<Alert> alerts;  // raised ones, by rule and subject
  std::vector<AlertRuleText> rules;
  std::set<std::uint32_t> parts;
  std::uint64_t snapshot = 0;

  /// Adds a part. Returns true once the snapshot is complete.
  bool add(const SnapshotPart& part);
};

/// The output of `drover alerts`, and with --rules. Without alerts the table is "no alerts".
Json to_json(const std::vector<Alert>& alerts);
std::string to_table(std::vector<Alert> alerts, Instant now);
Json to_json(const std::vector<AlertRuleText>& rules);
std::string to_table(const std::vector<AlertRuleText>& rules);

}  // namespace drover::commands
