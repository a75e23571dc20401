#include "fleet/explanation/why_tree.h"

#include <algorithm>
#include <string_view>
#include <utility>

#include <fmt/format.h>

#include "fleet/base/text.h"
#include "fleet/base/units.h"
#include "fleet/explanation/job_text.h"

namespace drover {
namespace {

std::string name_or_dash(const std::string& name) { return name.empty() ? "-" : printable(name); }

std::string change_text(const NearestFit& fit) {
  const std::string where =
      fit.target.empty()
          ? ""
          : fmt::format(" on {} in pool {}", printable(fit.target), printable(fit.pool));
  return fmt::format("{}{} (now: {})", printable(fit.change), where, to_text(fit.reason));
}

/// What the fallback costs compared with the preferred pool; empty if there is nothing to compare.
std::string cost_text(const Decision& decision) {
  if (!fell_back(decision) || decision.top.empty()) return "";
  if (!decision.primary) return "no device of the preferred pool can run it";
  const Estimate& chosen = decision.top.front().estimate;
  const Estimate& primary = *decision.primary;
  return fmt::format("costs {}, {}, {} compared with the best candidate of pool {}",
                     signed_text(dollars_text, chosen.cost_usd - primary.cost_usd),
                     signed_text(joules_text, chosen.energy_j - primary.energy_j),
                     primary.wait_known
                         ? signed_text(duration_text, chosen.finish_s - primary.finish_s)
                         : "time N/A (unknown when that pool has capacity)",
                     printable(decision.preferred_pool));
}

std::string headline(const Decision& decision) {
  // A decision without a number has not been made: it is what would be decided now.
  const std::string which =
      decision.number > 0 ? fmt::format("decision {}", decision.number) : std::string("as of now");
  std::string text = fmt::format("{} fleet time, {}: {}", to_clock_text(decision.at), which,
                                 to_text(decision.action));
  if (!decision.target.empty()) {
    text += fmt::format(" {} in pool {}", printable(decision.target), printable(decision.pool));
  }
  return text;
}

TreeRole role_of(Action action) {
  if (action == Action::reject) return TreeRole::critical;
  return action == Action::queue ? TreeRole::warning : TreeRole::good;
}

std::string candidate_text(const Candidate& candidate, std::string_view rank) {
  const auto time = [&](double from_now_s) {
    return candidate.estimate.wait_known ? duration_text(from_now_s) : "N/A";
  };
  return fmt::format(
      "{} {} score {:.3f}, starts in {}, ends in {}, {}, {}{}", rank, printable(candidate.target),
      candidate.score, time(candidate.estimate.start_s), time(candidate.estimate.finish_s),
      joules_text(candidate.estimate.energy_j), dollars_text(candidate.estimate.cost_usd),
      candidate.price.empty() ? "" : fmt::format(" ({})", printable(candidate.price)));
}

std::string status_text(const CandidateStatus& candidate) {
  std::string text =
      fmt::format("{} {}", printable(candidate.target), printable(candidate.device_class));
  if (candidate.score) return text + fmt::format(" score {:.3f}", *candidate.score);
  std::string reasons;
  for (const Reason reason : candidate.reasons) add_part(reasons, ", ", to_text(reason));
  return text + ": " + reasons;
}

/// The pools in the order tried: the preferred one first, and the one where the search ended last.
std::vector<std::string> pools_tried(const Decision& decision,
                                     const std::vector<CandidateStatus>& candidates) {
  std::vector<std::string> pools;
  const auto add = [&](const std::string& pool) {
    if (std::ranges::find(pools, pool) == pools.end()) pools.push_back(pool);
  };
  if (!decision.preferred_pool.empty()) add(decision.preferred_pool);
  for (const Rejection& rejection : decision.rejections) add(rejection.pool);
  for (const std::string& pool : decision.empty_pools) add(pool);
  for (const Candidate& candidate : decision.top) add(candidate.pool);
  for (const CandidateStatus& candidate : candidates) add(candidate.pool);
  const auto chosen = std::ranges::find(pools, decision.pool);
  if (chosen != pools.end() && decision.pool != decision.preferred_pool) {
    std::rotate(chosen, chosen + 1, pools.end());
  }
  return pools;
}

std::string pool_text(const Decision& decision, const std::string& pool) {
  std::string text = fmt::format("pool {}", name_or_dash(pool));
  const auto& empty = decision.empty_pools;
  if (std::ranges::find(empty, pool) != empty.end()) {
    return text + ": no device of the fleet is in it";
  }
  if (pool == decision.preferred_pool && !pool.empty()) text += ", preferred";
  if (pool == decision.pool && !decision.target.empty()) text += ", chosen";
  return text;
}

/// Adds a line for each kind of device, with all its reasons: a candidate counts under each of its
/// reasons.
void add_rejections(std::vector<TreeLine>& lines, const Decision& decision, const std::string& pool,
                    int depth) {
  std::map<std::string, std::string> reasons;  // by kind of device
  for (const Rejection& rejection : decision.rejections) {
    if (rejection.pool != pool) continue;
    add_part(reasons[rejection.device_class], ", ",
             fmt::format("{} for {}", rejection.count, to_text(rejection.reason)));
  }
  for (const auto& [device, text] : reasons) {
    lines.push_back(
        {depth, fmt::format("rejected {}: {}", printable(device), text), TreeRole::warning});
  }
}

void add_candidates_of_pool(std::vector<TreeLine>& lines, const Decision& decision,
                            const std::vector<CandidateStatus>& candidates, const std::string& pool,
                            int depth) {
  for (std::size_t i = 0; i < decision.top.size(); ++i) {
    const Candidate& candidate = decision.top[i];
    if (candidate.pool != pool) continue;
    const bool best = i == 0;
    lines.push_back({depth, candidate_text(candidate, best ? "best" : "next"),
                     best ? TreeRole::good : TreeRole::plain});
    for (const ScorePart& part : candidate.parts) {
      lines.push_back(
          {depth + 1,
           fmt::format("{:<15} {:.3f} x {:g}", printable(part.scorer), part.value, part.weight),
           TreeRole::detail});
    }
  }
  add_rejections(lines, decision, pool, depth);
  for (const CandidateStatus& candidate : candidates) {
    const bool shown = std::ranges::any_of(
        decision.top, [&](const Candidate& best) { return best.target == candidate.target; });
    if (candidate.pool != pool || shown) continue;
    lines.push_back(
        {depth, status_text(candidate), candidate.score ? TreeRole::plain : TreeRole::detail});
  }
}

/// What is known of the attempt besides its decisions.
std::string attempt_text(const WhyReply& reply, std::uint32_t attempt) {
  std::string text = fmt::format("attempt {}", attempt);
  if (!reply.job || reply.job->attempt != attempt || reply.job->state == JobState::queued) {
    return text;
  }
  text += fmt::format(": {}", to_text(reply.job->state));
  if (!reply.job->target.empty()) text += " on " + printable(reply.job->target);
  return text;
}

void append(std::vector<TreeLine>& lines, const std::vector<TreeLine>& more, int depth) {
  for (const TreeLine& line : more) lines.push_back({line.depth + depth, line.text, line.role});
}

}  // namespace

CandidatesByDecision candidates_of(const WhyReply& reply) {
  return {{reply.candidates_of_decision, reply.candidates}};
}

std::vector<TreeLine> suggested_changes(const WhyReply& reply) {
  std::vector<TreeLine> lines;
  for (const NearestFit& fit : reply.nearest) {
    lines.push_back({0, (lines.empty() ? "to run it now: " : "           or: ") + change_text(fit),
                     TreeRole::suggestion});
  }
  return lines;
}

std::vector<TreeLine> job_lines(const JobChanged& job) {
  std::vector<TreeLine> lines = {
      {0,
       fmt::format("job {}: {}, {}", to_text(job.job.id), printable(work_text(job.job.work)),
                   to_text(job.state)),
       TreeRole::heading}};
  const auto add = [&](const std::string& text, TreeRole role = TreeRole::plain) {
    if (!text.empty()) lines.push_back({1, text, role});
  };
  if (!job.work_class.empty()) add(fmt::format("class {}", printable(job.work_class)));
  add(printable(job.change));
  add(checkpoint_text(job));
  add(printable(job.returned));
  if (!job.reason) return lines;
  if (job.state == JobState::cancelled) {
    add(printable(job.detail));
    return lines;
  }
  const bool failed = job.state == JobState::failed;
  const char* const label = job.state == JobState::queued ? "waiting for"
                            : failed                      ? "failed for"
                                                          : "fell back for";
  add(fmt::format("{} {}{}{}", label, to_text(*job.reason), job.detail.empty() ? "" : ": ",
                  printable(job.detail)),
      failed ? TreeRole::critical : TreeRole::warning);
  return lines;
}

std::vector<TreeLine> decision_lines(const Decision& decision,
                                     const std::vector<CandidateStatus>& candidates) {
  std::vector<TreeLine> lines = {{0, headline(decision), role_of(decision.action)}};
  if (decision.fallback_reason) {
    std::string text =
        fmt::format("{} {}: {}", stayed(decision) ? "in spite of" : "because",
                    to_text(*decision.fallback_reason), facts(*decision.fallback_reason).meaning);
    // A job that waits has tried all fallbacks.
    if (decision.fallback_step > 0 && decision.action != Action::queue)
      text += fmt::format(" (fallback {})", decision.fallback_step);
    lines.push_back({1, std::move(text), TreeRole::warning});
  }
  if (!decision.change.empty()) {
    lines.push_back({1, fmt::format("{}{}", decision.action == Action::queue ? "" : "changed ",
                                    printable(decision.change))});
  }
  if (const std::string costs = cost_text(decision); !costs.empty()) lines.push_back({1, costs});
  lines.push_back(
      {1, fmt::format("rule {}, preferred pool {}, policy version {}", name_or_dash(decision.rule),
                      name_or_dash(decision.preferred_pool), decision.policy_version)});
  for (const std::string& pool : pools_tried(decision, candidates)) {
    lines.push_back({2, pool_text(decision, pool)});
    add_candidates_of_pool(lines, decision, candidates, pool, 3);
  }
  return lines;
}

std::vector<TreeLine> why_tree(const WhyReply& reply, const CandidatesByDecision& candidates) {
  std::vector<TreeLine> lines = suggested_changes(reply);
  if (reply.job) append(lines, job_lines(*reply.job), 0);
  const auto of_number = [&](std::uint64_t number) {
    const auto found = candidates.find(number);
    return found == candidates.end() ? std::vector<CandidateStatus>() : found->second;
  };
  const Decision* before = nullptr;
  for (const Decision& decision : reply.decisions) {
    if (before == nullptr || before->attempt != decision.attempt) {
      lines.push_back({0, attempt_text(reply, decision.attempt), TreeRole::heading});
    }
    append(lines, decision_lines(decision, of_number(decision.number)), 1);
    before = &decision;
  }
  // Candidates as of now, if the decision that would be made now is not in the reply.
  const std::vector<CandidateStatus> now = of_number(0);
  if (now.empty() || (before != nullptr && before->number == 0)) return lines;
  lines.push_back(
      {0, fmt::format("as of now: {}", counted(now.size(), "candidate")), TreeRole::heading});
  const Decision none;
  for (const std::string& pool : pools_tried(none, now)) {
    lines.push_back({1, pool_text(none, pool)});
    add_candidates_of_pool(lines, none, now, pool, 2);
  }
  return lines;
}

std::string indented_text(const std::vector<TreeLine>& lines) {
  std::string text;
  for (const TreeLine& line : lines) {
    text += fmt::format("{:{}}{}\n", "", 2 * line.depth, line.text);
  }
  return text;
}

}  // namespace drover
