// Tables with a row for each job, decision, event or alert.
#include <algorithm>
#include <array>

#include "fleet/base/enum_tables.h"
#include "fleet/job_facts.h"
#include "tui/tables/decision_list.h"
#include "tui/tables/job_list.h"
#include "tui/tables/log_list.h"
#include "tui/tables/table_columns.h"

namespace drover::tui {
namespace {

using filter::Field;

template <Field field>
TableCell of_job(const EvaluationContext& at, const JobChanged& job) {
  return number_cell(JobSubject(at, job).number(field));
}

template <auto member>
TableCell of_usage(const EvaluationContext&, const JobChanged& job) {
  return is_usage_known(job) ? number_cell(job.usage.*member) : TableCell();
}

bool is_training(const JobChanged& job) { return job.job.work.kind == WorkKind::train; }

/// Of training jobs only, or of the others only.
template <bool training, auto... path>
TableCell of_kind(const EvaluationContext& at, const JobChanged& job) {
  return is_training(job) == training ? of<path...>(at, job) : TableCell();
}

/// Of finished ones.
template <bool training, auto member>
TableCell of_outcome(const EvaluationContext& at, const JobChanged& job) {
  if (job.state != JobState::finished) return {};
  return of_kind<training, &JobChanged::outcome, member>(at, job);
}

TableCell job_pause(const EvaluationContext& at, const JobChanged& job) {
  return pause_cell(pause_of(at.model, job));
}

constexpr std::array<TableColumn<JobChanged>, 36> job_table = {{
    {"id", of<&JobChanged::job, &Job::id>},
    {"state", of<&JobChanged::state>},
    {"kind", of<&JobChanged::job, &Job::work, &Workload::kind>},
    {"model", of<&JobChanged::job, &Job::work, &Workload::model>},
    {"work_class", of<&JobChanged::work_class>},
    {"tenant", of<&JobChanged::job, &Job::tenant>},
    {"priority", of_job<Field::priority>},
    {"attempt", of<&JobChanged::attempt>},
    {"pool", of<&JobChanged::pool>},
    {"target", of<&JobChanged::target>},
    {"submitted", of<&JobChanged::submitted>},
    {"since", of<&JobChanged::since>},
    {"waited_s", of_job<Field::waited>},
    {"progress", of_job<Field::progress>},
    {"remaining_s", of_job<Field::remaining>},
    {"latency_s",
     [](const EvaluationContext&, const JobChanged& job) {
       return is_terminal(job.state) ? number_cell(job.latency_s) : TableCell();
     }},
    {"pause", job_pause},
    {"reason", of<&JobChanged::reason>},
    {"detail", of<&JobChanged::detail>},
    {"requeue_reason", of<&JobChanged::returned>},
    {"change", of<&JobChanged::change>},
    {"policy_version",
     [](const EvaluationContext&, const JobChanged& job) {
       return job.policy_version > 0 ? count_cell(job.policy_version) : TableCell();
     }},
    {"input_tokens", of_kind<false, &JobChanged::job, &Job::work, &Workload::input_tokens>},
    {"output_tokens", of_kind<false, &JobChanged::job, &Job::work, &Workload::output_tokens>},
    {"steps", of_kind<true, &JobChanged::job, &Job::work, &Workload::steps>},
    {"devices", of_kind<true, &JobChanged::job, &Job::work, &Workload::devices>},
    {"steps_saved", of_kind<true, &JobChanged::steps_saved>},
    {"steps_lost", of_kind<true, &JobChanged::steps_lost>},
    {"usage.device_s", of_usage<&Usage::device_s>},
    {"usage.energy_j", of_usage<&Usage::energy_j>},
    {"usage.cost_usd", of_usage<&Usage::cost_usd>},
    {"outcome.input_tokens", of_outcome<false, &Outcome::input_tokens>},
    {"outcome.output_tokens", of_outcome<false, &Outcome::output_tokens>},
    {"outcome.steps", of_outcome<true, &Outcome::steps>},
    {"outcome.first_token_s", of_outcome<false, &Outcome::first_token_s>},
    {"outcome.run_s",
     [](const EvaluationContext&, const JobChanged& job) {
       return job.state == JobState::finished ? number_cell(job.outcome.run_s) : TableCell();
     }},
}};

constexpr std::array<TableColumn<Decision>, 16> decision_table = {{
    {"number", of<&Decision::number>},
    {"time", of<&Decision::at>},
    {"action", of<&Decision::action>},
    {"job", [](const EvaluationContext&,
               const Decision& it) { return it.job.empty() ? TableCell() : value_cell(it.job); }},
    {"attempt", of<&Decision::attempt>},
    {"kind", of<&Decision::kind>},
    {"model", of<&Decision::model>},
    {"work_class", of<&Decision::work_class>},
    {"rule", of<&Decision::rule>},
    {"preferred_pool", of<&Decision::preferred_pool>},
    {"pool", of<&Decision::pool>},
    {"target", of<&Decision::target>},
    {"fallback_reason", of<&Decision::fallback_reason>},
    {"score",
     [](const EvaluationContext&, const Decision& it) {
       return it.top.empty() ? TableCell() : number_cell(it.top.front().score);
     }},
    {"considered", of<&Decision::considered>},
    {"change", of<&Decision::change>},
}};

// In the order of LogEntryKind.
constexpr std::array<std::string_view, 8> log_kinds = {
    "raised",        "rule",   "event",         "alert", "alert_acknowledged",
    "alert_cleared", "action", "action_refused"};

constexpr std::array<TableColumn<LogEntry>, 7> log_table = {{
    {"time", of<&LogEntry::at>},
    {"kind", [](const EvaluationContext&,
                const LogEntry& entry) { return text_cell(row_at(log_kinds, entry.kind)); }},
    {"severity", of<&LogEntry::severity>},
    {"rule", of<&LogEntry::rule>},
    {"subject", of<&LogEntry::subject>},
    {"text", of<&LogEntry::text>},
    {"acknowledged_by", of<&LogEntry::acknowledged_by>},
}};

constexpr std::array<TableColumn<Alert>, 7> alert_table = {{
    {"rule", of<&Alert::rule>},
    {"subject", of<&Alert::subject>},
    {"severity", of<&Alert::severity>},
    {"since", of<&Alert::since>},
    {"text", of<&Alert::text>},
    {"acknowledged_by", of<&Alert::acknowledged_by>},
    {"acknowledged_at",
     [](const EvaluationContext&, const Alert& alert) {
       return alert.acknowledged_by.empty() ? TableCell() : value_cell(alert.acknowledged_at);
     }},
}};

}  // namespace

TableRows job_rows(const EvaluationContext& at, std::span<const JobChanged> jobs) {
  TableBuilder<JobChanged> rows(at, job_table);
  for (const JobChanged& job : jobs) rows.add(job);
  return rows.take();
}

TableRows listed_job_rows(const TableSource& from) {
  std::vector<const JobChanged*> shown;
  for (const auto& [id, row] : from.model().jobs()) {
    if (from.fleet_filter().shows(from.model(), row.reported) && from.is_of(row.reported.target)) {
      shown.push_back(&row.reported);
    }
  }
  std::ranges::stable_sort(shown, {}, [](const JobChanged* job) { return job->submitted; });
  TableBuilder<JobChanged> rows(from.at, job_table);
  for (const JobChanged* const job : shown) rows.add(*job);
  return rows.take();
}

TableRows decision_rows(const EvaluationContext& at, std::span<const Decision> decisions) {
  TableBuilder<Decision> rows(at, decision_table);
  for (const Decision& decision : decisions) rows.add(decision);
  return rows.take();
}

TableRows event_rows(const EvaluationContext& at, std::span<const LogEntry> entries) {
  TableBuilder<LogEntry> rows(at, log_table);
  for (const LogEntry& entry : entries) rows.add(entry);
  return rows.take();
}

TableRows listed_decision_rows(const TableSource& from) {
  TableBuilder<Decision> rows(from.at, decision_table);
  for (const std::uint64_t number : list_decisions(from.model(), from.fleet_filter())) {
    const Decision& decision = *decision_of(from.model(), number);
    if (from.is_of(decision.target)) rows.add(decision);
  }
  return rows.take();
}

TableRows listed_event_rows(const TableSource& from) {
  const Model& model = from.model();
  TableBuilder<LogEntry> rows(from.at, log_table);
  for (const LogLine& line : list_log(model, from.fleet_filter(), LogFilter::all)) {
    if (line.kind == LogLine::Kind::heading) continue;
    if (!from.query.only || concerns(model, line.entry.subject, *from.query.only))
      rows.add(line.entry);
  }
  return rows.take();
}

TableRows alert_rows(const TableSource& from) {
  const Model& model = from.model();
  TableBuilder<Alert> rows(from.at, alert_table);
  for (const LogEntry& entry : raised_alerts(model)) {
    const auto& only = from.query.only;
    if (!from.fleet_filter().shows(model, entry)) continue;
    if (only && !concerns(model, entry.subject, *only)) continue;
    rows.add(model.alerts().at({entry.rule, entry.subject}).alert);
  }
  return rows.take();
}

}  // namespace drover::tui
