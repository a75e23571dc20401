#include "commands/reports.h"

#include <fmt/format.h>

#include "commands/table.h"
#include "fleet/text.h"
#include "fleet/units.h"

namespace drover::commands {

namespace {

Json to_json(const Percentiles& percentiles) {
  return Json::object()
      .set("count", percentiles.count)
      .set("p50", percentiles.p50)
      .set("p90", percentiles.p90)
      .set("p99", percentiles.p99)
      .set("max", percentiles.max);
}

Json to_json(const Usage& usage) {
  return Json::object()
      .set("device_s", usage.device_s)
      .set("energy_j", usage.energy_j)
      .set("cost_usd", usage.cost_usd);
}

Json to_json(const std::map<Reason, std::uint64_t>& counts) {
  Json object = Json::object();
  for (const auto& [reason, count] : counts) object.set(to_text(reason), count);
  return object;
}

std::string reasons_text(const std::map<Reason, std::uint64_t>& counts) {
  std::string text;
  for (const auto& [reason, count] : counts) {
    text += fmt::format("{}{} {}", text.empty() ? "" : ", ", to_text(reason), count);
  }
  return text.empty() ? "none" : text;
}

std::string percentiles_text(const Percentiles& percentiles) {
  if (percentiles.count == 0) return "none yet";
  return fmt::format("p50 {}, p90 {}, p99 {}, max {}", duration_text(percentiles.p50),
                     duration_text(percentiles.p90), duration_text(percentiles.p99),
                     duration_text(percentiles.max));
}

std::string usage_text(const Usage& usage) {
  return fmt::format("{} device time, {}, {}", duration_text(usage.device_s),
                     joules_text(usage.energy_j), dollars_text(usage.cost_usd));
}

Json to_json(const Estimate& estimate) {
  return Json::object()
      .set("start_s", estimate.start_s)
      .set("finish_s", estimate.finish_s)
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
      .set("pool", candidate.pool)
      .set("score", candidate.score)
      .set("parts", std::move(parts))
      .set("estimate", to_json(candidate.estimate));
}

}  // namespace

Json to_json(const Summary& summary) {
  return Json::object()
      .set("rows", summary.accepted + summary.refused)
      .set("accepted", summary.accepted)
      .set("refused", summary.refused)
      .set("finished", summary.finished)
      .set("failed", summary.failed)
      .set("queued", summary.queued)
      .set("running", summary.running)
      .set("input_tokens", summary.input_tokens)
      .set("output_tokens", summary.output_tokens)
      .set("fallbacks", to_json(summary.fallbacks))
      .set("failures", to_json(summary.failures))
      .set("waiting_for", to_json(summary.queued_for))
      .set("energy_j", summary.fleet_energy_j)
      .set("cost_usd", summary.fleet_cost_usd)
      .set("charged", to_json(summary.charged))
      .set("wasted", to_json(summary.wasted))
      .set("latency_s", to_json(summary.latency_s))
      .set("first_token_s", to_json(summary.first_token_s))
      .set("retries", summary.retries)
      .set("stale_results", summary.stale_results)
      .set("undecodable", summary.undecodable)
      .set("sample_gaps", summary.sample_gaps)
      .set("decisions", summary.decisions)
      .set("estimate_error", summary.estimate_error);
}

std::string to_table(const Summary& summary) {
  const std::vector<std::pair<std::string, std::string>> lines = {
      {"jobs", fmt::format("{} accepted, {} refused", summary.accepted, summary.refused)},
      {"ended", fmt::format("{} finished, {} failed", summary.finished, summary.failed)},
      {"open", fmt::format("{} queued, {} running", summary.queued, summary.running)},
      {"tokens", fmt::format("{} in, {} out (as requested)",
                             count_text(static_cast<double>(summary.input_tokens)),
                             count_text(static_cast<double>(summary.output_tokens)))},
      {"fallbacks", reasons_text(summary.fallbacks)},
      {"failures", reasons_text(summary.failures)},
      {"waiting for", reasons_text(summary.queued_for)},
      {"latency", percentiles_text(summary.latency_s)},
      {"first token", percentiles_text(summary.first_token_s)},
      {"fleet", fmt::format("{}, {} (idle included)", joules_text(summary.fleet_energy_j),
                            dollars_text(summary.fleet_cost_usd))},
      {"charged", usage_text(summary.charged)},
      {"wasted", fmt::format("{}; {} retries", usage_text(summary.wasted), summary.retries)},
      {"decisions", fmt::format("{}, run times estimated within {:.0f} %", summary.decisions,
                                summary.estimate_error * 100)},
      {"messages", fmt::format("{} undecodable, {} sample gaps, {} stale results",
                               summary.undecodable, summary.sample_gaps, summary.stale_results)},
  };
  std::string text;
  for (const auto& [name, value] : lines) text += fmt::format("{:<12} {}\n", name, value);
  return text;
}

Json to_json(const JobChanged& job) {
  Json object = Json::object()
                    .set("id", to_text(job.job.id))
                    .set("kind", to_text(job.job.work.kind))
                    .set("model", job.job.work.model)
                    .set("tenant", job.job.tenant)
                    .set("priority", static_cast<int>(job.job.priority))
                    .set("state", to_text(job.state))
                    .set("attempt", job.attempt)
                    .set("target", job.target)
                    .set("pool", job.pool)
                    .set("reason", job.reason ? Json(to_text(*job.reason)) : Json())
                    .set("detail", job.detail)
                    .set("submitted", to_iso8601(job.submitted))
                    .set("since", to_iso8601(job.since))
                    .set("progress", job.progress)
                    .set("remaining_s", job.remaining_s)
                    .set("latency_s", job.latency_s)
                    .set("usage", to_json(job.usage));
  object.set("input_tokens", job.job.work.input_tokens)
      .set("output_tokens", job.job.work.output_tokens)
      .set("steps", job.job.work.steps)
      .set("devices", job.job.work.devices)
      .set("outcome", Json::object()
                          .set("input_tokens", job.outcome.input_tokens)
                          .set("output_tokens", job.outcome.output_tokens)
                          .set("steps", job.outcome.steps)
                          .set("first_token_s", job.outcome.first_token_s)
                          .set("run_s", job.outcome.run_s));
  return object;
}

std::string work_text(const Workload& work) {
  switch (work.kind) {
    case WorkKind::serve:
      return fmt::format("serve {} {}+{} tokens", work.model, work.input_tokens,
                         work.output_tokens);
    case WorkKind::train:
      return fmt::format("train {} {} steps on {}", work.model, work.steps, work.devices);
    case WorkKind::batch:
      return fmt::format("batch {} {} x {}+{} tokens", work.model, work.items, work.input_tokens,
                         work.output_tokens);
  }
  return {};
}

std::string to_table(const std::vector<JobChanged>& jobs, Instant now) {
  std::vector<std::vector<std::string>> rows;
  for (const JobChanged& job : jobs) {
    const double age_s = is_terminal(job.state) ? job.latency_s : to_seconds(now - job.submitted);
    std::string about = job.reason ? std::string(to_text(*job.reason)) : std::string();
    if (!job.detail.empty()) about += (about.empty() ? "" : ": ") + job.detail;
    rows.push_back(
        {to_short_text(job.job.id), work_text(job.job.work), std::string(to_text(job.state)),
         job.state == JobState::running ? fmt::format("{:.0f}%", job.progress * 100) : "",
         duration_text(age_s), std::to_string(job.attempt), job.target, about});
  }
  return table_text({{"JOB"},
                     {"WORK"},
                     {"STATE"},
                     {"DONE", Align::right},
                     {"AGE", Align::right},
                     {"TRY", Align::right},
                     {"WHERE"},
                     {"WHY"}},
                    rows);
}

Json to_json(const Decision& decision) {
  Json top = Json::array();
  for (const Candidate& candidate : decision.top) top.add(to_json(candidate));
  Json rejections = Json::array();
  for (const Rejection& rejection : decision.rejections) {
    rejections.add(Json::object()
                       .set("pool", rejection.pool)
                       .set("device", rejection.device_class)
                       .set("reason", to_text(rejection.reason))
                       .set("count", rejection.count));
  }
  return Json::object()
      .set("number", decision.number)
      .set("at", to_iso8601(decision.at))
      .set("job", decision.job.empty() ? Json() : Json(to_text(decision.job)))
      .set("attempt", decision.attempt)
      .set("kind", to_text(decision.kind))
      .set("model", decision.model)
      .set("action", to_text(decision.action))
      .set("rule", decision.rule)
      .set("wanted_pool", decision.wanted_pool)
      .set("pool", decision.pool)
      .set("target", decision.target)
      .set("fallback_reason",
           decision.fallback_reason ? Json(to_text(*decision.fallback_reason)) : Json())
      .set("fallback_step", static_cast<int>(decision.fallback_step))
      .set("change", decision.change)
      .set("top", std::move(top))
      .set("rejections", std::move(rejections))
      .set("considered", decision.considered)
      .set("roster_version", decision.roster_version);
}

std::string explain(const Decision& decision) {
  std::string text = fmt::format("{} decision {}, attempt {}: {}", to_clock_text(decision.at),
                                 decision.number, decision.attempt, to_text(decision.action));
  if (!decision.target.empty()) {
    text += fmt::format(" {} in pool {}", printable(decision.target), printable(decision.pool));
  }
  text += fmt::format(" (rule {}, wanted pool {})\n", printable(decision.rule),
                      printable(decision.wanted_pool));
  if (decision.fallback_reason) {
    text += fmt::format("  because {}: {}", to_text(*decision.fallback_reason),
                        facts(*decision.fallback_reason).meaning);
    if (decision.fallback_step > 0) text += fmt::format(" (fallback {})", decision.fallback_step);
    text += "\n";
  }
  if (!decision.change.empty()) text += fmt::format("  changed {}\n", printable(decision.change));
  for (std::size_t i = 0; i < decision.top.size(); ++i) {
    const Candidate& candidate = decision.top[i];
    text += fmt::format(
        "  {} {} score {:.3f}, starts in {}, ends in {}, {}, {}\n", i == 0 ? "best" : "next",
        printable(candidate.target), candidate.score, duration_text(candidate.estimate.start_s),
        duration_text(candidate.estimate.finish_s), joules_text(candidate.estimate.energy_j),
        dollars_text(candidate.estimate.cost_usd));
    for (const ScorePart& part : candidate.parts) {
      text += fmt::format("         {:<15} {:.3f} x {:g}\n", printable(part.scorer), part.value,
                          part.weight);
    }
  }
  for (const Rejection& rejection : decision.rejections) {
    text += fmt::format("  passed over {} {} in pool {}: {}\n", rejection.count,
                        printable(rejection.device_class), printable(rejection.pool),
                        to_text(rejection.reason));
  }
  return text;
}

}  // namespace drover::commands
