// Everything a late subscriber needs, in numbered parts that fit into a message.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "fleet/messages.h"
#include "router/explain/decision_log.h"
#include "router/fleet_state/fleet_state.h"
#include "router/jobs/job_table.h"

namespace drover::router {

// A screen shows a few dozen of each; these limits keep a snapshot near 2 MB plus the fleet
// itself.
inline constexpr std::size_t snapshot_open_jobs_max = 2'000;
inline constexpr std::size_t snapshot_ended_jobs_max = 200;
inline constexpr std::size_t snapshot_decisions_max = 200;
inline constexpr std::size_t snapshot_events_max = 100;

/// Packs encoded envelopes into parts of at most `snapshot_part_bytes_max` bytes each; at least
/// one part. A message larger than a part is left out.
std::vector<SnapshotPart> pack_parts(std::uint64_t snapshot, std::uint64_t at_sequence,
                                     std::vector<std::string> messages);

/// Rebuilds SampleBatches of up to `batch_rows_max` devices of the host from the last values of
/// the sampled ones.
std::vector<Envelope> rebuilt_samples(const FleetState& fleet_state, HostIndex host);

/// Open jobs with an attempt, then the longest waiting ones, at most `snapshot_open_jobs_max`;
/// then the last ended ones.
std::vector<const JobRecord*> jobs_to_show(const JobTable& jobs);

}  // namespace drover::router
