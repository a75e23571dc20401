// Alerts that are raised, and the rules by which they are, as rows for people and for programs.
#pragma once

#include <cstdint>
#include <set>
#include <string>
#include <vector>

#include "fleet/messages.h"
#include "fleet/text/json.h"

namespace drover::commands {

/// What a snapshot tells of alerts.
struct AlertsView {
  std::vector<Alert> alerts;  // that are raised, by rule and subject
  std::vector<AlertRuleText> rules;
  std::set<std::uint32_t> parts;
  std::uint64_t snapshot = 0;

  /// Answers whether the snapshot is whole.
  bool take(const SnapshotPart& part);
};

/// What `drover alerts` prints, and with --rules.
Json to_json(const std::vector<Alert>& alerts);
std::string to_table(std::vector<Alert> alerts, Instant now);
Json to_json(const std::vector<AlertRuleText>& rules);
std::string to_table(const std::vector<AlertRuleText>& rules);

}  // namespace drover::commands
