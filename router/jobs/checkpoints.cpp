#include "router/jobs/checkpoints.h"

#include <algorithm>
#include <cmath>

namespace drover::router {
namespace {

bool writes_checkpoints(const Workload& work) {
  return work.kind == WorkKind::train && work.checkpoint_steps > 0 && work.steps > 0;
}

Usage times(double share, const Usage& usage) {
  return {usage.device_s * share, usage.energy_j * share, usage.cost_usd * share};
}

}  // namespace

std::uint32_t estimated_checkpoint(const JobRecord& record, std::uint32_t reported) {
  const Workload& work = record.job.work;
  if (!writes_checkpoints(work)) return record.steps_saved;
  return std::max(record.steps_saved, std::min(reported, work.steps - 1));
}

double saved_share(const JobRecord& record) {
  const std::uint32_t steps = record.job.work.steps;
  return steps > 0 ? static_cast<double>(record.steps_saved) / steps : 0;
}

void fill_end_steps(const JobRecord& record, Failed& failed) {
  const Workload& work = record.job.work;
  if (work.kind != WorkKind::train) {
    failed.steps_done = 0;
    failed.steps_saved = 0;
    return;
  }
  failed.steps_saved = estimated_checkpoint(record, failed.steps_saved);
  const double reported = std::isfinite(failed.steps_done) ? failed.steps_done : 0;
  const double seen = record.state == JobState::running ? record.progress * work.steps : 0;
  failed.steps_done = std::clamp(std::max(reported, seen), static_cast<double>(failed.steps_saved),
                                 static_cast<double>(std::max(work.steps, failed.steps_saved)));
}

Usage keep_checkpoint(JobRecord& record, const Failed& failed) {
  const double from = record.lease.from_step;
  const double done = failed.steps_done - from;
  const double share = done > 0 ? std::clamp((failed.steps_saved - from) / done, 0.0, 1.0) : 0.0;
  record.steps_saved = failed.steps_saved;
  record.steps_lost = failed.steps_done - failed.steps_saved;
  if (share <= 0) return failed.usage;
  record.kept += times(share, failed.usage);
  return times(1 - share, failed.usage);
}

}  // namespace drover::router
