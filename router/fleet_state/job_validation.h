// Validates a job before it is written to the ledger.
#pragma once

#include <cstdint>

#include "devices/catalogue/catalogue.h"
#include "fleet/base/result.h"
#include "fleet/job.h"

namespace drover::router {

// Bounds of one job. They keep sums and wire values in range; they are not user quotas. [assumed]
inline constexpr std::uint32_t job_tokens_max = 10'000'000;  // prompt or output of one request
inline constexpr std::uint32_t job_items_max = 100'000'000;
inline constexpr std::size_t job_ops_max = 32;
inline constexpr double job_throughput_max = 1e9;  // steps per second
inline constexpr Duration job_deadline_max = std::chrono::hours(24 * 366);

/// Whether the job is valid. The error names the field, the value found and the values expected,
/// and is safe to print. Suggesting the nearest known model for an unknown name uses up one of
/// `suggestions`; at 0 the error names only the unknown model.
Status check_job(const Job& job, const devices::Catalogue& catalogue, std::uint32_t& suggestions);

}  // namespace drover::router
