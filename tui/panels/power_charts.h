// Charts of the fleet's power: the pools stacked against the site's cap, each pool against its own
// cap, and the spend rate against the budget. They cover the whole fleet, also while a filter is
// active.
#pragma once

#include <vector>

#include "tui/panels/device_charts.h"

namespace drover::tui {

/// A heading, a line with the forecast if there is one, the chart and its time axis; the legend is
/// beside the chart, or below it if the region is narrow.
void draw_power_stack(const FrameContext& frame, DrawRegion region, const ChartSpan& span);
/// Cells of its plot.
int power_stack_cells(int columns);

/// A chart for each pool in the order of Model::pools(), and then the spend rate.
std::vector<MetricChart> power_charts(const FrameContext& frame);

/// "$1.20 of $5.00/h", "$1.20/h, no budget"; N/A if the router's sums are not current.
std::string spend_text(const FrameContext& frame);
/// The router's sums, or null if they are not current.
const Summary* spend_sums(const FrameContext& frame);

}  // namespace drover::tui
