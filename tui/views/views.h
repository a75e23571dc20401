// The views: each divides its rectangle and draws on it. Layout is separate from drawing, because
// scrolling needs the number of rows of a list.
#pragma once

#include <vector>

#include "tui/panels/panels.h"
#include "tui/state/frame_context.h"
#include "tui/state/view_table.h"

namespace drover::tui {

// The rows of the table of views.
extern const ViewDefinition fleet_view, devices_view, device_view, jobs_view, routing_view,
    power_view, events_view, data_plane_view, help_view;

struct FleetLayout {
  Rect summary, map, device, replicas, fleet_trend, decisions, running, alerts, events;
};
/// The map gets enough rows for one cell per device, unless that would take rows from the panel of
/// the selected device.
FleetLayout lay_out_fleet(const Rect& area, const Model& model, const HeatOrder& order,
                          const FleetFilter& fleet_filter);
/// The map's cells without its heading.
Rect map_cells(const FleetLayout& layout);

TableLayout lay_out_devices(const Rect& area);
/// `details`: rows of the open details; 0 when they are closed.
TableLayout lay_out_jobs(const Rect& area, const Model& model, int details);
TableLayout lay_out_routing(const Rect& area, const Model& model, int details);

/// Closes the details of a list, else clears the selection; false if there was neither.
template <typename List>
bool leave_list(UiState& ui, List& list) {
  ui.details_top = 0;  // from now on it scrolls the page above the list
  const bool was = list.open || list.chosen.has_value();
  if (!list.open) list.chosen.reset();
  list.open = false;
  return was;
}

/// Running jobs: training and batch jobs before requests.
void draw_running(const FrameContext& frame, DrawRegion region);
/// The given jobs, with or without the place where each runs.
void draw_running_jobs(const FrameContext& frame, DrawRegion region, std::string_view title,
                       std::span<const JobRow* const> jobs, bool with_place);

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

struct HelpLine {
  std::string key, text;
  CellStyle style = CellStyle::plain;
};
std::vector<HelpLine> help_lines();

}  // namespace drover::tui
