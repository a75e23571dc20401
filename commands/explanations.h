// Decisions told: as JSON and as text for people.
#pragma once

#include <string>

#include "fleet/json.h"
#include "fleet/messages.h"

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

/// The job, each decision in order, every candidate of the last one with its score or all of its
/// rejecting reasons, and for a job that waits the nearest fits.
std::string explain(const WhyReply& reply);

}  // namespace drover::commands
