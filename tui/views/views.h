// The views: each divides its rectangle and draws on it. Layout is separate from drawing, because
// scrolling needs the number of rows of a list.
#pragma once

#include <vector>

#include "tui/state/frame_context.h"
#include "tui/state/view_table.h"

namespace drover::tui {

struct FleetLayout {
  Rect summary, map, device, replicas, fleet_trend, decisions, running, alerts, events;
};
/// The map gets the rows for one cell per device, as long as the panel of the selected device keeps
/// its own.
FleetLayout lay_out_fleet(const Rect& area, const Model& model, const HeatOrder& order,
                          const FleetFilter& fleet_filter);
void draw_fleet(const FrameContext& frame, const DrawRegion& region);
/// The map's cells without its heading.
Rect map_cells(const FleetLayout& layout);

struct TableLayout {
  Rect top, list, details;  // `list` with its heading row; `details` empty when closed
};
TableLayout lay_out_devices(const Rect& area);
void draw_devices(const FrameContext& frame, const DrawRegion& region);

/// `details`: rows of the open details; 0 when they are closed.
TableLayout lay_out_jobs(const Rect& area, const Model& model, int details);
/// Rows of the selected job's details, with the heading; 0 when closed.
int job_details_rows(const Model& model, const JobList& list);
void draw_jobs(const FrameContext& frame, const DrawRegion& region);

TableLayout lay_out_routing(const Rect& area, const Model& model, int details);
int decision_details_rows(const Model& model, const DecisionList& list);
void draw_routing(const FrameContext& frame, const DrawRegion& region);

/// Shows ui.device, which is set when the view is shown unless the fleet is empty.
void draw_device_view(const FrameContext& frame, const DrawRegion& region);
/// The scrolled rows of the page below its head, or of the open formula.
ScrolledRows arrange_device_view(const Model& model, UiState& ui, Size area);
/// The time from which the charts of a device view of this width need samples.
Instant device_view_begin(const FrameContext& frame, int columns);
/// The points of the fleet's curves that the charts of a power view of this width need: from an
/// instant on, with bins that are not longer than `bin`.
struct TrendRange {
  Instant from{};
  Duration bin{1};
};
TrendRange power_view_trend_range(const FrameContext& frame, int columns);
/// Shows power against caps, cost and energy.
void draw_power_view(const FrameContext& frame, const DrawRegion& region);
int power_view_rows(const Model& model, int columns);

struct HelpLine {
  std::string key, text;
  CellStyle style = CellStyle::plain;
};
std::vector<HelpLine> help_lines();
/// The rows of `rows` that show the page; if it scrolls, the last row is a hint.
int help_rows(int rows);
void draw_help(const FrameContext& frame, const DrawRegion& region);

}  // namespace drover::tui
