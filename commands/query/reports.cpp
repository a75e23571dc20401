#include "commands/query/reports.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <map>
#include <utility>

#include <fmt/format.h>

#include "commands/shell/json_null.h"
#include "commands/shell/table.h"
#include "fleet/base/text.h"
#include "fleet/base/units.h"
#include "fleet/explanation/job_text.h"
#include "fleet/job_facts.h"

namespace drover::commands {

namespace {

Json to_json(const Percentiles& percentiles) {
  const bool any = percentiles.count > 0;
  return Json::object()
      .set("count", percentiles.count)
      .set("p50", when(any, percentiles.p50))
      .set("p90", when(any, percentiles.p90))
      .set("p99", when(any, percentiles.p99))
      .set("max", when(any, percentiles.max));
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

Json to_json(const std::vector<SenderCount>& counts) {
  Json object = Json::object();
  for (const SenderCount& entry : counts) object.set(entry.sender, entry.count);
  return object;
}

constexpr std::size_t senders_named = 3;

/// "3", "3 (2 from h100-1, 1 from 127.0.0.1)", "90 (40 from h1, 20 from h2, 9 from h3, 21 from 12
/// others)": names the senders with the most messages.
std::string undecodable_text(const Summary& summary) {
  std::vector<SenderCount> senders = summary.undecodable_by_sender;
  std::stable_sort(senders.begin(), senders.end(),
                   [](const SenderCount& a, const SenderCount& b) { return a.count > b.count; });
  std::string text;
  std::uint64_t named = 0;
  const std::size_t count = std::min(senders.size(), senders_named);
  for (std::size_t at = 0; at < count; ++at) {
    text += fmt::format("{}{} from {}", at == 0 ? "" : ", ", senders[at].count,
                        printable(senders[at].sender));
    named += senders[at].count;
  }
  if (senders.size() > count) {
    text += fmt::format(", {} from {}", summary.undecodable - std::min(named, summary.undecodable),
                        counted(senders.size() - count, "other"));
  }
  return fmt::format("{}{}", summary.undecodable, text.empty() ? "" : fmt::format(" ({})", text));
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

/// The mean error is 0 only before the first estimate.
bool estimate_known(const Summary& summary) { return summary.estimate_error > 0; }

std::string decisions_text(const Summary& summary) {
  if (!estimate_known(summary)) return fmt::format("{}", summary.decisions);
  return fmt::format("{}, run times estimated within a factor of {:.2g}", summary.decisions,
                     1 + summary.estimate_error);
}

/// "-" for work that makes no progress now, or reports none.
std::string progress_text(const JobChanged& job) {
  if (job.state != JobState::running || job.job.work.kind == WorkKind::serve) return "-";
  const double progress = known_progress(job);
  return std::isnan(progress) ? "N/A" : fmt::format("{:.0f}%", progress * 100);
}

std::string usage_text(const Usage& usage) {
  return fmt::format("{} device time, {}, {}", duration_text(usage.device_s),
                     joules_text(usage.energy_j), dollars_text(usage.cost_usd));
}

Json fallback_costs_json(const Summary& summary) {
  Json reasons = Json::object();
  for (const FallbackCost& sum : summary.fallback_costs) {
    reasons.set(std::string(to_text(sum.reason)),
                Json::object()
                    .set("jobs", sum.jobs)
                    .set("cost_usd", sum.cost_usd)
                    .set("energy_j", sum.energy_j)
                    .set("jobs_timed", sum.timed)
                    .set("finish_s", when(sum.timed > 0, sum.finish_s)));
  }
  return reasons;
}

/// What fallbacks cost compared with the preferred pools, estimated when the jobs were placed.
std::string fallback_costs_text(const Summary& summary) {
  std::string text;
  for (const FallbackCost& sum : summary.fallback_costs) {
    text +=
        fmt::format("{:<12} {} for {}: {}, {}, {} against the preferred pool (estimated)\n",
                    "fell back", sum.jobs, to_text(sum.reason),
                    signed_text(dollars_text, sum.cost_usd), signed_text(joules_text, sum.energy_j),
                    sum.timed > 0 ? signed_text(duration_text, sum.finish_s) : "time N/A");
  }
  return text;
}

struct MetricFacts {
  ClassMetric metric;
  std::string_view name;
  std::string (*text)(double);
};
constexpr std::array<MetricFacts, 6> metric_facts = {{
    {ClassMetric::none, "", duration_text},
    {ClassMetric::training_time, "training time", duration_text},
    {ClassMetric::first_token, "first token", duration_text},
    {ClassMetric::per_token, "per token", duration_text},
    {ClassMetric::cost_per_unit, "cost per million tokens or 1,000 steps", dollars_text},
    {ClassMetric::energy_per_unit, "energy per token or step", joules_text},
}};

Json classes_json(const Summary& summary) {
  Json classes = Json::array();
  for (const ClassReport& report : summary.classes) {
    const ClassBurn burn = class_burn(report);
    classes.add(Json::object()
                    .set("work_class", report.name)
                    .set("metric", to_text(report.metric))
                    .set("target", when(report.target > 0, report.target))
                    .set("within_target", when(report.target > 0, report.met))
                    .set("burn_5min", when(!std::isnan(burn.short_window), burn.short_window))
                    .set("burn_1h", when(!std::isnan(burn.long_window), burn.long_window))
                    .set("burns_fast", when(report.target > 0, burn.fast))
                    .set("values", to_json(report.values)));
  }
  return classes;
}

/// "; burn rate 31 in 5m, 16 in 1h: fast!"; empty if neither is known.
std::string burn_text(const ClassBurn& burn) {
  if (std::isnan(burn.long_window) && std::isnan(burn.short_window)) return {};
  const auto text = [](double rate) {
    return std::isnan(rate) ? "N/A" : fmt::format("{:.{}f}", rate, rate < 10 ? 1 : 0);
  };
  return fmt::format("; burn rate {} in 5m, {} in 1h{}", text(burn.short_window),
                     text(burn.long_window), burn.fast ? ": fast!" : "");
}

/// One line for each class, with its metric.
std::string classes_text(const Summary& summary) {
  std::string text;
  for (const ClassReport& report : summary.classes) {
    const MetricFacts& facts = metric_facts[static_cast<std::size_t>(report.metric)];
    if (report.values.count == 0) {
      text += fmt::format("{:<12} {}: no job has finished yet\n", "class", printable(report.name));
      continue;
    }
    text += fmt::format("{:<12} {}: {} p50 {}, p99 {}", "class", printable(report.name), facts.name,
                        facts.text(report.values.p50), facts.text(report.values.p99));
    if (report.target > 0) {
      text += fmt::format("; {} of {} within {}", report.met, report.values.count,
                          facts.text(report.target));
      text += burn_text(class_burn(report));
    }
    text += "\n";
  }
  return text;
}

}  // namespace

Json to_json(const Summary& summary) {
  return Json::object()
      .set("rows", summary.accepted + summary.refused)
      .set("accepted", summary.accepted)
      .set("refused", summary.refused)
      .set("finished", summary.finished)
      .set("failed", summary.failed)
      .set("cancelled", summary.cancelled)
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
      .set("preempted", summary.preempted)
      .set("stale_results", summary.stale_results)
      .set("undecodable", summary.undecodable)
      .set("undecodable_by", to_json(summary.undecodable_by_sender))
      .set("sample_gaps", summary.sample_gaps)
      .set("decisions", summary.decisions)
      .set("fallback_costs", fallback_costs_json(summary))
      .set("classes", classes_json(summary))
      .set("estimate_error", when(estimate_known(summary), summary.estimate_error));
}

std::string to_table(const Summary& summary) {
  const std::vector<std::pair<std::string, std::string>> lines = {
      {"jobs", fmt::format("{} accepted, {} refused", summary.accepted, summary.refused)},
      {"ended", fmt::format("{} finished, {} failed, {} cancelled", summary.finished,
                            summary.failed, summary.cancelled)},
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
      {"wasted",
       fmt::format("{}; {}{}", usage_text(summary.wasted),
                   counted(summary.retries, "retry", "retries"),
                   summary.preempted > 0 ? fmt::format(", {} preempted", summary.preempted) : "")},
      {"decisions", decisions_text(summary)},
      {"messages", fmt::format("{} undecodable, {}, {}", undecodable_text(summary),
                               counted(summary.sample_gaps, "sample gap"),
                               counted(summary.stale_results, "stale result"))},
  };
  std::string text;
  for (const auto& [name, value] : lines) text += fmt::format("{:<12} {}\n", name, value);
  return text + fallback_costs_text(summary) + classes_text(summary);
}

std::vector<JobChanged> once_each(std::vector<JobChanged> jobs) {
  std::map<JobId, std::size_t> last;
  for (std::size_t at = 0; at < jobs.size(); ++at) last[jobs[at].job.id] = at;
  std::vector<JobChanged> once;
  for (std::size_t at = 0; at < jobs.size(); ++at) {
    if (last[jobs[at].job.id] == at) once.push_back(std::move(jobs[at]));
  }
  return once;
}

std::string ending_text(const JobChanged& job, bool fleet_time) {
  const std::string took =
      fmt::format("{} in {}{}", to_text(job.state), duration_text(job.latency_s),
                  fleet_time ? " of fleet time" : "");
  if (job.state != JobState::finished) return took;
  const double before_s = std::max(0.0, job.latency_s - job.outcome.run_s);
  return fmt::format("{} on {} ({} {}), {}, {}", took, printable(job.target),
                     job.attempt > 1 ? "waiting and earlier attempts" : "waited",
                     duration_text(before_s), dollars_text(job.usage.cost_usd),
                     joules_text(job.usage.energy_j));
}

std::string to_table(const std::vector<JobChanged>& jobs, Instant now, const TableStyle& style) {
  std::vector<std::vector<std::string>> rows;
  for (const JobChanged& job : jobs) {
    // The state column says that a job was cancelled; the detail names the user.
    const bool has_reason = job.reason && job.state != JobState::cancelled;
    std::string about = has_reason ? std::string(to_text(*job.reason)) : std::string();
    if (!job.detail.empty()) about += (about.empty() ? "" : ": ") + job.detail;
    if (job.pause != Pause::none) {
      about += fmt::format("{}paused: {}", about.empty() ? "" : "; ", to_text(job.pause));
    }
    const std::string saved = checkpoint_text(job);
    if (!saved.empty()) about += (about.empty() ? "" : "; ") + saved;
    rows.push_back(
        {to_short_text(job.job.id), work_text(job.job.work), std::string(to_text(job.state)),
         progress_text(job), duration_text(to_seconds(now - job.submitted)),
         is_terminal(job.state) ? duration_text(job.latency_s) : "-", std::to_string(job.attempt),
         job.target.empty() ? "-" : job.target, about.empty() ? "-" : about});
  }
  return table_text(
      {"JOB", "WORK", state_heading("STATE"), right_aligned("DONE"), right_aligned("AGE"),
       right_aligned("LATENCY"), right_aligned("TRY"), "TARGET", "REASON"},
      rows, style);
}

}  // namespace drover::commands
