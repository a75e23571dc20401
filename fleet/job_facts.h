// What is known of a job, as the dashboard and the commands both judge it.
#pragma once

#include "fleet/messages.h"

namespace drover {

/// Running work of many steps reports how far it is; a request does not. Absent: not known.
inline double known_progress(const JobChanged& job) {
  if (job.state == JobState::finished) return 1;
  const bool reports = job.state == JobState::running && job.job.work.kind != WorkKind::serve;
  return reports && job.progress > 0 ? job.progress : absent;
}

/// Until its end at the present pace: of work that tells how far it is.
inline double known_remaining_s(const JobChanged& job) {
  const bool told = job.state == JobState::running && known_progress(job) > 0;
  return told && job.remaining_s > 0 ? job.remaining_s : absent;
}

/// Attempts are accounted when they end.
inline bool is_usage_known(const JobChanged& job) {
  return is_terminal(job.state) || job.usage.device_s > 0;
}

}  // namespace drover
