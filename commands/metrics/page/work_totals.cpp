#include "commands/metrics/page/totals.h"

#include <algorithm>
#include <cmath>
#include <utility>

namespace drover::commands {

namespace {

/// Jobs of the Summary by reason.
template <auto member>
void by_reason(const FleetMetrics& fleet, FamilyText& text) {
  if (!fleet.summary()) return;
  for (const auto& [reason, count] : (*fleet.summary()).*member) {
    text.series({{"reason", to_text(reason)}}, number(count));
  }
}

void write_ended(const FleetMetrics& fleet, FamilyText& text) {
  if (!fleet.summary()) return;
  text.series({{"state", "finished"}}, number(fleet.summary()->finished));
  text.series({{"state", "failed"}}, number(fleet.summary()->failed));
  text.series({{"state", "cancelled"}}, number(fleet.summary()->cancelled));
}

void write_open_jobs(const FleetMetrics& fleet, FamilyText& text) {
  for (const auto& [key, count] : fleet.work().open_jobs()) {
    text.series({{"class", key.first}, {"state", to_text(key.second)}}, number(count.jobs));
  }
}

void write_oldest(const FleetMetrics& fleet, FamilyText& text) {
  for (const auto& [key, count] : fleet.work().open_jobs()) {
    if (key.second != JobState::queued || count.jobs == 0) continue;
    text.series({{"class", key.first}}, std::max(0.0, to_seconds(fleet.now() - count.oldest)));
  }
}

void write_class_ended(const FleetMetrics& fleet, FamilyText& text) {
  for (const auto& [key, count] : fleet.work().ended) {
    text.series({{"class", key.first}, {"state", to_text(key.second)}}, number(count));
  }
}

template <auto member>
void write_class_report(const FleetMetrics& fleet, FamilyText& text) {
  if (!fleet.summary()) return;
  for (const ClassReport& report : fleet.summary()->classes) {
    const auto value = static_cast<double>(report.*member);
    text.series({{"class", report.name}, {"metric", to_text(report.metric)}}, value);
  }
}

/// Without a target there is nothing to miss, and without a job there is no share.
void write_class_burn(const FleetMetrics& fleet, FamilyText& text) {
  if (!fleet.summary()) return;
  for (const ClassReport& report : fleet.summary()->classes) {
    const ClassBurn rates = class_burn(report);
    for (const auto& [window, burn] :
         {std::pair{"5m", rates.short_window}, std::pair{"1h", rates.long_window}}) {
      if (std::isnan(burn)) continue;
      text.series({{"class", report.name}, {"metric", to_text(report.metric)}, {"window", window}},
                  burn);
    }
  }
}

void write_class_burns_fast(const FleetMetrics& fleet, FamilyText& text) {
  if (!fleet.summary()) return;
  for (const ClassReport& report : fleet.summary()->classes) {
    if (report.target <= 0) continue;
    text.series({{"class", report.name}, {"metric", to_text(report.metric)}},
                class_burn(report).fast ? 1 : 0);
  }
}

void write_class_judged(const FleetMetrics& fleet, FamilyText& text) {
  if (!fleet.summary()) return;
  for (const ClassReport& report : fleet.summary()->classes) {
    text.series({{"class", report.name}, {"metric", to_text(report.metric)}},
                number(report.values.count));
  }
}

template <auto member>
void write_histograms(const FleetMetrics& fleet, FamilyText& text) {
  for (const auto& [name, values] : fleet.work().*member) {
    text.series({{"class", name}}, values);
  }
}

void write_training(const FleetMetrics& fleet, FamilyText& text) {
  for (const auto& [id, job] : fleet.work().training()) {
    text.series({{"job_id", to_text(id)},
                 {"tenant", job.tenant},
                 {"class", job.work_class},
                 {"pool", job.pool},
                 {"target", job.target}},
                job.progress);
  }
}

void write_decisions(const FleetMetrics& fleet, FamilyText& text) {
  for (const auto& [key, count] : fleet.work().decisions) {
    text.series({{"action", key.first}, {"kind", key.second}}, number(count));
  }
}

void write_placements(const FleetMetrics& fleet, FamilyText& text) {
  for (const auto& [key, count] : fleet.work().placements) {
    text.series({{"preferred_pool", std::get<0>(key)},
                 {"pool", std::get<1>(key)},
                 {"reason", std::get<2>(key)}},
                number(count));
  }
}

void write_rejections(const FleetMetrics& fleet, FamilyText& text) {
  for (const auto& [reason, count] : fleet.work().rejections) {
    text.series({{"reason", reason}}, number(count));
  }
}

constexpr TotalFamily work_families[] = {
    {{"drover_jobs", gauge, "", "class, state", "Open jobs."}, write_open_jobs},
    {{"drover_jobs_accepted_total", counter, "", "", "Jobs accepted into the ledger."},
     of_summary<&Summary::accepted>},
    {{"drover_jobs_refused_total", counter, "", "", "Jobs refused at submission."},
     of_summary<&Summary::refused>},
    {{"drover_jobs_ended_total", counter, "", "state", "Jobs of the ledger that have ended."},
     write_ended},
    {{"drover_class_jobs_ended_total", counter, "", "class, state",
      "Jobs that ended since this process began, by class."},
     write_class_ended},
    {{"drover_jobs_failed_total", counter, "", "reason", "Failed jobs by reason."},
     by_reason<&Summary::failures>},
    {{"drover_job_retries_total", counter, "", "", "Attempts that were returned to the queue."},
     of_summary<&Summary::retries>},
    {{"drover_jobs_preempted_total", counter, "", "",
      "Attempts preempted by work of higher priority."},
     of_summary<&Summary::preempted>},
    {{"drover_stale_results_total", counter, "", "", "Late results of older attempts."},
     of_summary<&Summary::stale_results>},
    {{"drover_train_progress_ratio", gauge, "ratio", "job_id, tenant, class, pool, target",
      "Share done of running training jobs (at most 1000)."},
     write_training},
    {{"drover_input_tokens_total", counter, "", "", "Input tokens of accepted jobs."},
     of_summary<&Summary::input_tokens>},
    {{"drover_output_tokens_total", counter, "", "", "Output tokens of accepted jobs."},
     of_summary<&Summary::output_tokens>},
    {{"drover_queue_length", gauge, "", "", "Queued jobs."}, of_summary<&Summary::queued>},
    {{"drover_queue_oldest_age_seconds", gauge, "s", "class",
      "Time since the oldest queued job was submitted."},
     write_oldest},
    {{"drover_queue_waiting_for", gauge, "", "reason", "Queued jobs by what they wait for."},
     by_reason<&Summary::queued_for>},
    {{"drover_first_token_seconds", histogram, "s", "class, le",
      "Time from submission to the first token (TTFT) of finished requests."},
     write_histograms<&WorkCounts::first_token_s>},
    {{"drover_request_latency_seconds", histogram, "s", "class, le",
      "Time from submission to the end of finished requests."},
     write_histograms<&WorkCounts::latency_s>},
    {{"drover_job_completion_seconds", histogram, "s", "class, le",
      "Time from submission to the end (JCT) of finished training and batch jobs."},
     write_histograms<&WorkCounts::completion_s>},
    {{"drover_class_target", gauge, "of the metric", "class, metric",
      "Target of a class of work; 0: none."},
     write_class_report<&ClassReport::target>},
    {{"drover_class_judged_total", counter, "", "class, metric",
      "Finished jobs of a class that were judged by its metric."},
     write_class_judged},
    {{"drover_class_met_total", counter, "", "class, metric",
      "Finished jobs of a class within its target."},
     write_class_report<&ClassReport::met>},
    {{"drover_class_burn_rate", gauge, "", "class, metric, window",
      "Share of misses in the window (5m, 1h) divided by the allowed 1 %."},
     write_class_burn},
    {{"drover_class_burns_fast", gauge, "", "class, metric",
      "1: both burn rates are at least 14.4, each over at least 10 jobs; 0: not."},
     write_class_burns_fast},
    {{"drover_ledger_decisions_total", counter, "", "", "Decisions in the ledger's time."},
     of_summary<&Summary::decisions>},
    {{"drover_decisions_total", counter, "", "action, kind", "Decisions since this process began."},
     write_decisions},
    {{"drover_placements_total", counter, "", "preferred_pool, pool, reason",
      "Placements since this process began; a reason means that a fallback placed the job."},
     write_placements},
    {{"drover_fallbacks_total", counter, "", "reason",
      "Jobs by the reason of the fallback that placed them."},
     by_reason<&Summary::fallbacks>},
    {{"drover_candidates_rejected_total", counter, "", "reason",
      "Candidates that decisions rejected since this process began."},
     write_rejections},
    {{"drover_estimate_error_ratio", gauge, "ratio", "",
      "Estimated run times are wrong by a factor of 1 plus this."},
     of_summary<&Summary::estimate_error>},
};

}  // namespace

std::span<const TotalFamily> work_totals() { return work_families; }

}  // namespace drover::commands
