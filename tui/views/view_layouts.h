// The layouts of views with several panels, each in the file of its view. Tests check them for all
// sizes of a screen.
#pragma once

#include "tui/map/heat_map.h"
#include "tui/panels/panels.h"

namespace drover::tui {

struct FleetLayout {
  Rect summary, map, device, replicas, fleet_trend, decisions, running, alerts, events;
};
/// The map gets enough rows for one cell per device, unless that would take rows from the panel of
/// the selected device, and larger cells while the panels below keep their place.
HeatRows fleet_map_rows(const Rect& area, const Model& model, const HeatOrder& order);
FleetLayout lay_out_fleet(const Rect& area, const Model& model, const HeatRows& map,
                          const FleetFilter& fleet_filter);
/// The map's cells without its heading.
Rect map_cells(const FleetLayout& layout);

TableLayout lay_out_devices(const Rect& area);

/// The page above the list: reasons for waiting and failure, and the targets of job classes.
struct JobsPage {
  Rect waiting, failed, classes, histogram;  // the last two may be empty
  int rows = 0;
};
JobsPage lay_out_jobs_page(const Model& model, int columns);
/// `details`: rows of the open details; 0 when they are closed.
TableLayout lay_out_jobs(const Rect& area, const JobsPage& page, int details);

/// The page above the list: placements from preferred to actual pools as a drawing, where there is
/// room (`diagram`, else empty), and as a list; the cost of fallbacks, and the pools.
struct RoutingPage {
  Rect diagram, flows, costs, pools;
  int rows = 0;
};
RoutingPage lay_out_routing_page(const Model& model, int columns, int rows);
/// `details`: rows of the open details; 0 when they are closed.
TableLayout lay_out_routing(const Rect& area, const RoutingPage& page, int details);

}  // namespace drover::tui
