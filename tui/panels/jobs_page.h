// What stands above the list of jobs: what they wait for, what they failed for, and how the classes
// of work keep their targets.
#pragma once

#include "tui/state/scene.h"

namespace drover::tui {

struct JobsPage {
  Rect waiting, failed, classes;  // `classes` empty where there is nothing to tell
  int rows = 0;
};
JobsPage lay_out_jobs_page(const Model& model, int columns);
/// On the whole of the page.
void draw_jobs_page(const Scene& scene, const Pen& pen);

}  // namespace drover::tui
