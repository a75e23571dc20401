// The alert rules of the policy as lines, and what is known about each.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "tui/state/frame_context.h"
#include "tui/tables/fleet_filter.h"
#include "tui/tables/log_list.h"

namespace drover::tui {

/// "at once" or a duration.
std::string raise_span_text(Duration span);
/// The subjects of the rule's raised alerts that match the filter.
std::vector<std::string> raised_by(const Model& model, const FleetFilter& fleet_filter,
                                   const std::string& rule);
/// The filter that finds the devices to which a rule applies. None for a rule that is not about
/// devices or whose condition no filter expresses.
std::optional<std::string> matching_devices_filter(const AlertRuleText& rule);

/// A rule's first line: name, number of raised alerts, severity, subject, durations, conditions.
void draw_rule_line(const FrameContext& frame, DrawRegion& region, int row, const LogLine& line);
/// Rows of all rules, with the heading.
int rule_rows(const Model& model, int columns);
/// All rules, with a heading.
void draw_rules(const FrameContext& frame, DrawRegion region);

}  // namespace drover::tui
