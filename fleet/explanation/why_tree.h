// Why a job waits or runs where it does, as a tree of lines: attempt, decision, rule, pools in the
// order tried, candidates. `drover why` prints it and the dashboard draws it.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "fleet/messages.h"

namespace drover {

/// What a line says, for its style.
enum class TreeRole : std::uint8_t { plain, heading, suggestion, good, warning, critical, detail };

/// A line below the last one of a smaller depth. All texts are printable.
struct TreeLine {
  int depth = 0;
  std::string text;
  TreeRole role = TreeRole::plain;
  bool operator==(const TreeLine&) const = default;
};

/// Every candidate of a decision, best first, by the decision's number; 0: as of now.
using CandidatesByDecision = std::map<std::uint64_t, std::vector<CandidateStatus>>;
/// The candidates that a reply has.
CandidatesByDecision candidates_of(const WhyReply& reply);

/// The smallest changes that would place a waiting job, the nearest first; empty if none is known.
std::vector<TreeLine> suggested_changes(const WhyReply& reply);

/// The job, its state and the reason for it.
std::vector<TreeLine> job_lines(const JobChanged& job);

/// The decision, its rule, and each pool that was tried: the best candidates with their scores, the
/// rejected ones with their reasons, and what a fallback costs compared with the preferred pool.
/// `candidates`: all of the decision, if they are known.
std::vector<TreeLine> decision_lines(const Decision& decision,
                                     const std::vector<CandidateStatus>& candidates = {});

/// The suggested changes, the job, and its decisions by attempt.
std::vector<TreeLine> why_tree(const WhyReply& reply, const CandidatesByDecision& candidates);

/// The lines as text, two columns for each level.
std::string indented_text(const std::vector<TreeLine>& lines);

}  // namespace drover
