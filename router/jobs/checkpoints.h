// What a training keeps of an attempt that comes to nothing: its steps up to the last checkpoint.
//
// An agent tells of checkpoints with Progress, each heartbeat, and with Failed. Durable is what the
// row of the attempt's end says (`returned`). Of an attempt that its agent still runs nothing needs
// to be: a router that begins anew is told again. Writing a checkpoint takes no time and no energy.
#pragma once

#include <cstdint>

#include "router/jobs/jobs.h"

namespace drover::router {

/// What `told` is worth as the last checkpoint of the record's present attempt: no less than was
/// known before, and nothing of a job that writes none.
std::uint32_t believed_checkpoint(const JobRecord& record, std::uint32_t told);

/// The share of all steps that the last checkpoint holds.
double saved_share(const JobRecord& record);

/// Fills in where the attempt ended, by what its agent says now and what it last told.
void settle_steps(const JobRecord& record, Failed& failed);

/// The record goes on from the attempt's last checkpoint. Of what the attempt used, the share that
/// its steps until there are of all its steps is kept in `record.kept`; the rest is answered: it is
/// lost. REQUIRES that settle_steps() was asked before.
Usage keep_checkpoint(JobRecord& record, const Failed& failed);

}  // namespace drover::router
