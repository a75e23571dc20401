// Everything a late subscriber needs, in numbered parts that fit a message.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "fleet/base/time.h"
#include "fleet/messages.h"
#include "router/explain/decision_log.h"
#include "router/jobs/jobs.h"
#include "router/roster/roster.h"

namespace drover::router {

// A screen shows a few dozen of each; these bound a snapshot at some 2 MB beside the fleet itself.
inline constexpr std::size_t snapshot_open_jobs_max = 2'000;
inline constexpr std::size_t snapshot_ended_jobs_max = 200;
inline constexpr std::size_t snapshot_decisions_max = 200;
inline constexpr std::size_t snapshot_events_max = 100;

/// Encoded envelopes packed into parts of at most `snapshot_part_bytes_max` bytes each; at least
/// one part. A message that alone is larger than a part is left out.
std::vector<SnapshotPart> pack_parts(std::uint64_t snapshot, std::uint64_t at_sequence,
                                     std::vector<std::string> messages);

/// One SampleBatch per up to `batch_rows_max` devices of the host, rebuilt from the last values of
/// those that were sampled.
std::vector<Envelope> rebuilt_samples(const Roster& roster, HostIndex host);

/// Of the open jobs the attempts that are out, then the longest waiting, at most
/// `snapshot_open_jobs_max`; then the last ended ones.
std::vector<const JobRecord*> jobs_to_show(const JobBook& book);

}  // namespace drover::router
