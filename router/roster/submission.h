// What may be submitted: the door where a job is checked before the ledger sees it.
#pragma once

#include <cstdint>

#include "devices/catalogue/catalogue.h"
#include "fleet/base/result.h"
#include "fleet/job.h"

namespace drover::router {

// Bounds of one job. Generous: they keep sums and the wire in range, not users in line. [assumed]
inline constexpr std::uint32_t job_tokens_max = 10'000'000;  // prompt or output of one request
inline constexpr std::uint32_t job_items_max = 100'000'000;
inline constexpr std::uint32_t job_steps_max = 1'000'000'000;
inline constexpr std::uint32_t job_batch_max = 100'000'000;
inline constexpr std::size_t job_ops_max = 32;
inline constexpr double job_pace_max = 1e9;  // steps per second
inline constexpr Duration job_deadline_max = std::chrono::hours(24 * 366);

/// Whether this job can be understood at all. The error names the field, what was found and what
/// was expected, and is safe to show. Looking for the known model that an unknown name is nearest
/// to takes one of `suggestions`; without any, only the unknown name is told.
Status check_job(const Job& job, const devices::Catalogue& catalogue, std::uint32_t& suggestions);

}  // namespace drover::router
