// The details of one job: facts, attempts over time, where a request's time went, and the last
// decision.
#pragma once

#include "tui/panels/panels.h"

namespace drover::tui {

/// Null if no job is selected or the model no longer has it.
const JobRow* chosen_job(const Model& model, const JobList& list);
/// Rows of the selected job's details, with the heading; 0 when closed.
int job_details_rows(const Model& model, const JobList& list, Instant now);
void draw_job_details(const FrameContext& frame, DrawRegion region, const JobRow& row);

}  // namespace drover::tui
