// The page above the list of jobs: reasons for waiting and failure, and the targets of job classes.
#pragma once

#include "tui/state/frame_context.h"

namespace drover::tui {

struct JobsPage {
  Rect waiting, failed, classes;  // `classes` may be empty
  int rows = 0;
};
JobsPage lay_out_jobs_page(const Model& model, int columns);
/// `region`: the whole page.
void draw_jobs_page(const FrameContext& frame, const DrawRegion& region);

}  // namespace drover::tui
