// The classes of the policy against their targets: percentiles, misses of the last minutes, and the
// values of one class as a histogram.
#pragma once

#include <vector>

#include "tui/state/view.h"

namespace drover::tui {

/// The width that shows all columns of the classes.
inline constexpr int class_panel_columns = 99;
inline constexpr int class_histogram_columns = 34;  // at least
inline constexpr int class_histogram_rows = 7;      // heading, bars, axis and its labels

/// Heading, column titles, and a line per class; 0 if no class has a finished job.
int class_panel_rows(const Model& model);
/// `with_selection`: the class of the histogram is marked.
void draw_classes(const FrameContext& frame, DrawRegion region, bool with_selection);

/// The index of the chosen class; without a choice, of the one whose burn rate is greatest. -1:
/// none.
int selected_class(const Model& model, const UiState& ui);
void step_class(const Model& model, UiState& ui, int step);

/// The height of each column: the count of its buckets, divided by the greatest; absent: none.
/// REQUIRES that the report has buckets.
std::vector<double> histogram_shares(const ClassReport& report, int columns);
/// The column whose last bucket contains the target; -1: there is no target.
int target_column(const ClassReport& report, int columns);
/// The values of the selected class in buckets of equal width on a logarithmic axis.
void draw_class_histogram(const FrameContext& frame, DrawRegion region);

}  // namespace drover::tui
