// What a training job keeps of an unsuccessful attempt: its steps up to the last checkpoint.
//
// An agent reports checkpoints in Progress, each heartbeat, and in Failed. The row of the
// attempt's end (`returned`) makes them durable. A running attempt needs no row: after a restart
// its agent reports again. Writing a checkpoint takes no time and no energy.
#pragma once

#include <cstdint>

#include "router/jobs/job_table.h"

namespace drover::router {

/// The last checkpoint of the record's current attempt, given the reported one: never less than
/// was known before, and none for a job that writes no checkpoints.
std::uint32_t estimated_checkpoint(const JobRecord& record, std::uint32_t reported);

/// Share of all steps that the last checkpoint covers.
double saved_share(const JobRecord& record);

/// Fills in the step at which the attempt ended, from its agent's last reports.
void fill_end_steps(const JobRecord& record, Failed& failed);

/// Resumes the record from the attempt's last checkpoint. The share of the attempt's usage for the
/// steps up to the checkpoint goes to `record.kept`; the rest is returned as lost. REQUIRES that
/// fill_end_steps() was called before.
Usage keep_checkpoint(JobRecord& record, const Failed& failed);

}  // namespace drover::router
