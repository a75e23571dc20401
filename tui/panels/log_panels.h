// Panels of log entries and raised alerts.
#pragma once

#include <vector>

#include "tui/state/frame_context.h"
#include "tui/tables/log_entry.h"

namespace drover::tui {

CellStyle severity_style(Severity severity);

/// A line each, from `row` on: time, symbol, subject, text.
void draw_log_entries(DrawRegion& region, int row, const std::vector<LogEntry>& entries);
/// One line: of a raised alert with its age, of another entry with its time.
void draw_log_line(const FrameContext& frame, DrawRegion& region, int row, const LogEntry& entry);

/// A heading and the raised alerts, most severe first.
void draw_alerts(const FrameContext& frame, DrawRegion region);
/// Rows of the alerts beside other panels, with the heading; 0 when no alert is raised.
int alert_rows(const Model& model, const FleetFilter& fleet_filter);

}  // namespace drover::tui
