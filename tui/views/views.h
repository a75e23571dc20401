// The views: each divides its rectangle and draws on it. Layouts are apart from drawing, because
// scrolling must know how many rows a list will have.
#pragma once

#include <vector>

#include "tui/state/scene.h"
#include "tui/state/view_table.h"

namespace drover::tui {

struct FleetLayout {
  Rect summary, map, device, replicas, curves, decisions, running, alerts, events;
};
/// The map takes the rows that it needs for a cell a device, as long as the panel of the device
/// under the cursor keeps its own.
FleetLayout lay_out_fleet(const Rect& area, const Model& model, const HeatOrder& order,
                          const Narrowing& narrowing);
void draw_fleet(const Scene& scene, const Pen& pen);
/// The map's cells without its heading.
Rect map_cells(const FleetLayout& layout);

struct TableLayout {
  Rect top, list, details;  // `list` with its heading row; `details` empty when closed
};
TableLayout lay_out_devices(const Rect& area);
void draw_devices(const Scene& scene, const Pen& pen);

/// `details`: rows that the open details want; 0 when they are closed.
TableLayout lay_out_jobs(const Rect& area, const Model& model, int details);
/// What the details of the chosen job want, their heading included; 0 when closed.
int job_details_rows(const Model& model, const JobList& list);
void draw_jobs(const Scene& scene, const Pen& pen);

TableLayout lay_out_routing(const Rect& area, const Model& model, int details);
int decision_details_rows(const Model& model, const DecisionList& list);
void draw_routing(const Scene& scene, const Pen& pen);

/// One device in full: choices.device, which is chosen when the view is shown and there is any.
void draw_device_view(const Scene& scene, const Pen& pen);
/// Of the page below its head, or of the figure that is open, in a view of that size.
ScrolledRows arrange_device_view(const Model& model, Choices& choices, Size area);
/// From when on the charts of the device view, so wide, show or need what the device told.
Instant device_view_begin(const Scene& scene, int columns);
/// Which points of the fleet's curves the charts of the power view, so wide, show: those from an
/// instant on, of bins that are no longer.
struct CurvesWanted {
  Instant from{};
  Duration bin{1};
};
CurvesWanted power_view_curves(const Scene& scene, int columns);
/// Watts against caps, money and joules.
void draw_power_view(const Scene& scene, const Pen& pen);
int power_view_rows(const Model& model, const Choices& choices, int columns);

struct HelpLine {
  std::string key, text;
  Role role = Role::plain;
};
std::vector<HelpLine> help_lines();
/// Of `rows`, those that show the page: the last one says how it scrolls, where it must.
int help_rows(int rows);
void draw_help(const Scene& scene, const Pen& pen);

}  // namespace drover::tui
