// What is known about a job, the same for the dashboard and the commands.
#pragma once

#include "fleet/messages.h"

namespace drover {

/// The progress of a job, 0 to 1. Absent while it is not known: requests report none.
inline double known_progress(const JobChanged& job) {
  if (job.state == JobState::finished) return 1;
  const bool reports = job.state == JobState::running && job.job.work.kind != WorkKind::serve;
  return reports && job.progress > 0 ? job.progress : absent;
}

/// Fleet seconds until the end at the current pace. Absent for work that reports no progress.
inline double known_remaining_s(const JobChanged& job) {
  const bool reported = job.state == JobState::running && known_progress(job) > 0;
  return reported && job.remaining_s > 0 ? job.remaining_s : absent;
}

/// Whether the usage is known: an attempt is accounted when it ends.
inline bool is_usage_known(const JobChanged& job) {
  return is_terminal(job.state) || job.usage.device_s > 0;
}

}  // namespace drover
