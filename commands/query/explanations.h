// Decisions on jobs, as JSON and as text.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "fleet/explanation/why_tree.h"
#include "fleet/messages.h"
#include "fleet/text/json.h"

namespace drover::commands {

Json to_json(const Decision& decision);

/// Keys: job, decisions, candidates (each with target, pool, device, score or null, reasons),
/// candidates_of_decision, nearest_fits.
Json to_json(const WhyReply& reply, Instant now);

/// The job, its state and the reason for it.
std::string explain(const JobChanged& job);

/// The decision, the best candidates, the rejected ones with their reasons, and what a fallback
/// costs compared with the preferred pool.
std::string explain(const Decision& decision);

Json to_json(const std::vector<CandidateStatus>& candidates);

/// What would place a queued job (its nearest fits), then the job and its decisions in order. Each
/// decision has its candidates, if they are known, with the score or all reasons for rejection.
std::string explain(const WhyReply& reply, const CandidatesByDecision& candidates);
/// The same, with the candidates of the last decision.
std::string explain(const WhyReply& reply);

}  // namespace drover::commands
