// The alert rules: a line each, and the details of the selected one below the list.
#pragma once

#include <optional>
#include <string>

#include "tui/state/frame_context.h"
#include "tui/tables/log_list.h"

namespace drover::tui {

/// The filter that finds the devices to which a rule applies. None for a rule that is not about
/// devices or whose condition no filter expresses.
std::optional<std::string> matching_devices_filter(const AlertRuleText& rule);

/// A rule as a line: name, severity, subject, number of raised alerts, durations, filters.
void draw_rule_line(const FrameContext& frame, DrawRegion& region, int row, const LogEntry& entry);
/// All rules, with a heading.
void draw_rules(const FrameContext& frame, DrawRegion region);

/// The details of the selected alert or rule: thresholds, durations, affected devices, and who
/// acknowledged it. Rows include the heading; 0 when no alert or rule is selected.
int alert_details_rows(const Model& model, const LogList& list);
void draw_alert_details(const FrameContext& frame, DrawRegion region);

}  // namespace drover::tui
