// Decisions told: as JSON and as text for people.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "fleet/messages.h"
#include "fleet/text/json.h"

namespace drover::commands {

Json to_json(const Decision& decision);

/// Keys: job, decisions, standings (each with target, pool, device, score or null, reasons),
/// standings_of, nearest.
Json to_json(const WhyReply& reply);

/// What it is, where it stands, and why; the decisions on it follow.
std::string explain(const JobChanged& job);

/// Some lines: what was decided, what else stood for choice, who was passed over and why, and what
/// a fallback costs against the pool that was wanted.
std::string explain(const Decision& decision);

/// Every candidate of a decision, best first, by the decision's number.
using StandingsOf = std::map<std::uint64_t, std::vector<Standing>>;

Json to_json(const std::vector<Standing>& standings);

/// The job, each decision in order with all of its candidates, where these are known, each with its
/// score or all of its rejecting reasons, and for a job that waits the nearest fits.
std::string explain(const WhyReply& reply, const StandingsOf& standings);
/// With the candidates of the last decision.
std::string explain(const WhyReply& reply);

}  // namespace drover::commands
