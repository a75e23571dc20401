#include "commands/query/explanations.h"

#include <algorithm>
#include <utility>

#include <fmt/format.h>

#include "commands/query/reports.h"
#include "commands/query/table_output.h"
#include "commands/shell/json_null.h"
#include "fleet/base/text.h"
#include "fleet/base/units.h"

namespace drover::commands {
namespace {

Json to_json(const Estimate& estimate) {
  return Json::object()
      .set("start_s", when(estimate.wait_known, estimate.start_s))
      .set("finish_s", when(estimate.wait_known, estimate.finish_s))
      .set("energy_j", estimate.energy_j)
      .set("cost_usd", estimate.cost_usd);
}

Json to_json(const Candidate& candidate) {
  Json parts = Json::array();
  for (const ScorePart& part : candidate.parts) {
    parts.add(Json::object()
                  .set("scorer", part.scorer)
                  .set("value", part.value)
                  .set("weight", part.weight));
  }
  return Json::object()
      .set("target", candidate.target)
      .set("pool", text_or_null(candidate.pool))
      .set("score", candidate.score)
      .set("parts", std::move(parts))
      .set("estimate", to_json(candidate.estimate))
      .set("price", text_or_null(candidate.price));
}

Json to_json(const CandidateStatus& standing) {
  Json reasons = Json::array();
  for (const Reason reason : standing.reasons) reasons.add(Json(to_text(reason)));
  return Json::object()
      .set("target", standing.target)
      .set("pool", text_or_null(standing.pool))
      .set("device", standing.device_class)
      .set("score", standing.score ? Json(*standing.score) : Json())
      .set("reasons", std::move(reasons));
}

Json to_json(const NearestFit& fit) {
  return Json::object()
      .set("reason", to_text(fit.reason))
      .set("target", text_or_null(fit.target))
      .set("pool", text_or_null(fit.pool))
      .set("amount", when(fit.amount > 0, fit.amount))
      .set("change", fit.change);
}

/// One line per pool and kind of device, with all its reasons: a candidate counts under each of its
/// reasons.
std::string rejections_text(const Decision& decision) {
  std::map<std::pair<std::string, std::string>, std::string> reasons;
  for (const Rejection& rejection : decision.rejections) {
    std::string& text = reasons[{rejection.pool, rejection.device_class}];
    text += fmt::format("{}{} for {}", text.empty() ? "" : ", ", rejection.count,
                        to_text(rejection.reason));
  }
  std::string lines;
  for (const auto& [group, text] : reasons) {
    lines += fmt::format("  rejected {} in pool {}: {}\n", printable(group.second),
                         printable(group.first), text);
  }
  return lines;
}

/// Names the preferred or fallback pools that have no device.
std::string empty_pools_text(const Decision& decision) {
  const std::vector<std::string>& pools = decision.empty_pools;
  if (pools.empty()) return "";
  std::string names;
  for (const std::string& pool : pools) {
    names += fmt::format("{}{}", names.empty() ? "" : ", ", printable(pool));
  }
  return fmt::format("  no device of the fleet is in {} {}\n", pools.size() == 1 ? "pool" : "pools",
                     names);
}

std::string candidate_text(const Candidate& candidate, std::string_view rank) {
  const auto time = [&](double from_now_s) {
    return candidate.estimate.wait_known ? duration_text(from_now_s) : "N/A";
  };
  std::string text =
      fmt::format("  {} {} score {:.3f}, starts in {}, ends in {}, {}, {}{}\n", rank,
                  printable(candidate.target), candidate.score, time(candidate.estimate.start_s),
                  time(candidate.estimate.finish_s), joules_text(candidate.estimate.energy_j),
                  dollars_text(candidate.estimate.cost_usd),
                  candidate.price.empty() ? "" : fmt::format(" ({})", printable(candidate.price)));
  for (const ScorePart& part : candidate.parts) {
    text += fmt::format("         {:<15} {:.3f} x {:g}\n", printable(part.scorer), part.value,
                        part.weight);
  }
  return text;
}

/// What the fallback costs compared with the preferred pool.
std::string cost_text(const Decision& decision) {
  // If only a soft constraint was dropped, the job is still in its preferred pool.
  const bool elsewhere = decision.pool != decision.preferred_pool;
  if (!decision.fallback_reason || decision.top.empty() || !elsewhere) return "";
  if (!decision.primary) return "  no device of the preferred pool can run it\n";
  const Estimate& chosen = decision.top.front().estimate;
  const Estimate& primary = *decision.primary;
  return fmt::format("  costs {}, {}, {} compared with the best candidate of pool {}\n",
                     signed_text(dollars_text, chosen.cost_usd - primary.cost_usd),
                     signed_text(joules_text, chosen.energy_j - primary.energy_j),
                     primary.wait_known
                         ? signed_text(duration_text, chosen.finish_s - primary.finish_s)
                         : "time N/A (unknown when that pool has capacity)",
                     printable(decision.preferred_pool));
}

std::string candidates_text(std::uint64_t decision,
                            const std::vector<CandidateStatus>& candidates) {
  if (candidates.empty()) return "";
  std::string text =
      fmt::format("{}{}:\n",
                  candidates.size() == 1 ? "the only candidate"
                                         : fmt::format("all {} candidates", candidates.size()),
                  decision > 0 ? fmt::format(" of decision {}", decision) : " as of now");
  std::size_t width = 24;
  for (const CandidateStatus& standing : candidates)
    width = std::max(width, standing.target.size());
  width = std::min<std::size_t>(width, 48);  // a longer name moves only its own line
  for (const CandidateStatus& standing : candidates) {
    text += fmt::format("  {:<{}} {:<14} {:<12} ", printable(standing.target), width,
                        printable(standing.device_class), printable(standing.pool));
    if (standing.score) text += fmt::format("{:.3f}", *standing.score);
    for (std::size_t i = 0; i < standing.reasons.size(); ++i) {
      text += fmt::format("{}{}", i == 0 ? "" : ", ", to_text(standing.reasons[i]));
    }
    text += "\n";
  }
  return text;
}

std::string change_text(const NearestFit& fit) {
  const std::string where =
      fit.target.empty()
          ? ""
          : fmt::format(" on {} in pool {}", printable(fit.target), printable(fit.pool));
  return fmt::format("{}{} (now: {})\n", printable(fit.change), where, to_text(fit.reason));
}

/// What would place a waiting job, the change that is nearest first.
std::string nearest_text(const WhyReply& reply) {
  std::string text;
  for (const NearestFit& fit : reply.nearest) {
    text += (text.empty() ? "to run it now: " : "           or: ") + change_text(fit);
  }
  return text;
}

}  // namespace

Json to_json(const Decision& decision) {
  Json top = Json::array();
  for (const Candidate& candidate : decision.top) top.add(to_json(candidate));
  Json rejections = Json::array();
  for (const Rejection& rejection : decision.rejections) {
    rejections.add(Json::object()
                       .set("pool", text_or_null(rejection.pool))
                       .set("device", rejection.device_class)
                       .set("reason", to_text(rejection.reason))
                       .set("count", rejection.count));
  }
  return Json::object()
      .set("number", when(decision.number > 0, decision.number))
      .set("time", to_iso8601(decision.at))
      .set("job", when(!decision.job.empty(), to_text(decision.job)))
      .set("attempt", decision.attempt)
      .set("kind", to_text(decision.kind))
      .set("model", decision.model)
      .set("action", to_text(decision.action))
      .set("rule", text_or_null(decision.rule))
      .set("preferred_pool", text_or_null(decision.preferred_pool))
      .set("pool", text_or_null(decision.pool))
      .set("target", text_or_null(decision.target))
      .set("fallback_reason",
           decision.fallback_reason ? Json(to_text(*decision.fallback_reason)) : Json())
      .set("fallback_step", static_cast<int>(decision.fallback_step))
      .set("change", text_or_null(decision.change))
      .set("work_class", text_or_null(decision.work_class))
      .set("policy_version", decision.policy_version)
      .set("primary", decision.primary ? to_json(*decision.primary) : Json())
      .set("top", std::move(top))
      .set("rejections", std::move(rejections))
      .set("considered", decision.considered)
      .set("fleet_version", decision.fleet_version)
      .set("empty_pools", Json::array_of(decision.empty_pools));
}

Json to_json(const std::vector<CandidateStatus>& candidates) {
  Json all = Json::array();
  for (const CandidateStatus& standing : candidates) all.add(to_json(standing));
  return all;
}

Json to_json(const WhyReply& reply, Instant now) {
  Json decisions = Json::array();
  for (const Decision& decision : reply.decisions) decisions.add(to_json(decision));
  Json nearest = Json::array();
  for (const NearestFit& fit : reply.nearest) nearest.add(to_json(fit));
  return Json::object()
      .set("job", reply.job ? to_json(*reply.job, now) : Json())
      .set("decisions", std::move(decisions))
      .set("candidates", to_json(reply.candidates))
      .set("candidates_of_decision",
           when(reply.candidates_of_decision > 0, reply.candidates_of_decision))
      .set("nearest_fits", std::move(nearest));
}

std::string explain(const JobChanged& job) {
  std::string text = fmt::format("job {}: {}, {}\n", to_text(job.job.id),
                                 printable(work_text(job.job.work)), to_text(job.state));
  if (!job.work_class.empty()) text += fmt::format("  class {}\n", printable(job.work_class));
  if (!job.change.empty()) text += fmt::format("  {}\n", printable(job.change));
  if (const std::string saved = checkpoint_text(job); !saved.empty()) {
    text += fmt::format("  {}\n", saved);
  }
  if (!job.returned.empty()) text += fmt::format("  {}\n", printable(job.returned));
  if (!job.reason) return text;
  if (job.state == JobState::cancelled) {
    return text + (job.detail.empty() ? "" : fmt::format("  {}\n", printable(job.detail)));
  }
  const char* const label = job.state == JobState::queued   ? "waiting for"
                            : job.state == JobState::failed ? "failed for"
                                                            : "fell back for";
  return text + fmt::format("  {} {}{}{}\n", label, to_text(*job.reason),
                            job.detail.empty() ? "" : ": ", printable(job.detail));
}

std::string explain(const Decision& decision) {
  // A decision without a number has not been made: it is what would be decided now.
  const std::string which =
      decision.number > 0 ? fmt::format("decision {}", decision.number) : std::string("as of now");
  std::string text = fmt::format("{} fleet time, {}, attempt {}: {}", to_clock_text(decision.at),
                                 which, decision.attempt, to_text(decision.action));
  if (!decision.target.empty()) {
    text += fmt::format(" {} in pool {}", printable(decision.target), printable(decision.pool));
  }
  const auto name = [](const std::string& of) { return of.empty() ? "-" : printable(of); };
  text += fmt::format(" (rule {}, preferred pool {}, policy version {})\n", name(decision.rule),
                      name(decision.preferred_pool), decision.policy_version);
  if (decision.fallback_reason) {
    text += fmt::format("  because {}: {}", to_text(*decision.fallback_reason),
                        facts(*decision.fallback_reason).meaning);
    // A job that waits has tried all fallbacks.
    if (decision.fallback_step > 0 && decision.action != Action::queue)
      text += fmt::format(" (fallback {})", decision.fallback_step);
    text += "\n";
  }
  if (!decision.change.empty()) {
    text += fmt::format("  {}{}\n", decision.action == Action::queue ? "" : "changed ",
                        printable(decision.change));
  }
  text += cost_text(decision);
  for (std::size_t i = 0; i < decision.top.size(); ++i) {
    text += candidate_text(decision.top[i], i == 0 ? "best" : "next");
  }
  return text + rejections_text(decision) + empty_pools_text(decision);
}

std::string explain(const WhyReply& reply, const CandidatesByDecision& candidates) {
  std::string text = nearest_text(reply);
  if (reply.job) text += explain(*reply.job);
  for (const Decision& decision : reply.decisions) {
    text += explain(decision);
    const auto all = candidates.find(decision.number);
    if (all != candidates.end()) text += candidates_text(decision.number, all->second);
  }
  // Candidates as of now, if the decision that would be made now is not in the reply.
  const auto now = candidates.find(0);
  const bool shown = !reply.decisions.empty() && reply.decisions.back().number == 0;
  if (now != candidates.end() && !shown) text += candidates_text(0, now->second);
  return text;
}

std::string explain(const WhyReply& reply) {
  return explain(reply, {{reply.candidates_of_decision, reply.candidates}});
}

}  // namespace drover::commands
