// Totals and jobs, as JSON and as text, for the commands that query the router.
#pragma once

#include <string>
#include <vector>

#include "commands/shell/table.h"
#include "fleet/messages.h"
#include "fleet/text/json.h"

namespace drover::commands {

/// Keys: rows (= accepted + refused), accepted, refused, finished, failed, cancelled, queued,
/// running, input_tokens, output_tokens, fallbacks, failures, waiting_for, energy_j and cost_usd
/// (of the whole fleet, idle included), charged, wasted, latency_s, first_token_s, retries, ...
Json to_json(const Summary& summary);
std::string to_table(const Summary& summary);

/// One row per job.
std::string to_table(const std::vector<JobChanged>& jobs, Instant now,
                     const TableStyle& style = {});

/// The result of a job that has ended: "finished in 12s on h100-1/r0 (waited 410ms), $0.0012,
/// 3.4kJ". `fleet_time`: adds that durations are fleet time.
std::string ending_text(const JobChanged& job, bool fleet_time);
/// Keeps the last entry of each job. A job that ended between two requests is in both answers.
std::vector<JobChanged> once_each(std::vector<JobChanged> jobs);

}  // namespace drover::commands
