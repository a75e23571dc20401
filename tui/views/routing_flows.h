// Placements from preferred to actual pools: the list of all that were counted, and a drawing of
// the last minute.
#pragma once

#include "tui/panels/panels.h"

namespace drover::tui {

/// Lines of the list below its heading, if it has room for them.
int flow_lines(const Model& model);
void draw_flows(const FrameContext& frame, DrawRegion region);

/// Rows of the drawing with its heading, at most `most`.
int flows_of_minute_rows(const Model& model, int most);
/// Draws what was placed in the last minute of wall time up to the moment shown. A model that
/// begins at a snapshot, as in a replay, may know less: then the heading says how much.
void draw_flows_of_minute(const FrameContext& frame, DrawRegion region);

}  // namespace drover::tui
