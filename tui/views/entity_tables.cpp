// Tables with a row for each device, replica, job, decision, event or host.
#include <algorithm>
#include <array>
#include <cmath>

#include <fmt/format.h>

#include "fleet/base/enum_tables.h"
#include "fleet/base/text.h"
#include "tui/tables/host_list.h"
#include "tui/views/table_columns.h"

namespace drover::tui {
namespace {

using filter::Field;

using Row = DeviceTable::Row;

template <Field field>
TableCell of_field(const EvaluationContext& at, const Row& row) {
  return number_cell(DeviceSubject(at, row).number(field));
}
template <Metric metric>
TableCell of_metric(const EvaluationContext& at, const Row& row) {
  return number_cell(at.model.reading(row, metric));
}

TableCell states_of(const EvaluationContext& at, const Row& row) {
  return states_text(standing_of(at.model, at.now, row));
}

TableCell models_of(const EvaluationContext& at, const Row& row) {
  if (at.model.is_gone(row)) return {};
  return text_cell(models_text(at.model, at.model.id_of(row)));
}

TableCell jobs_of(const EvaluationContext& at, const Row& row) {
  std::string jobs;
  for (const JobChanged* const job : at.jobs.on(row)) {
    jobs += (jobs.empty() ? "" : " ") + to_text(job->job.id);
  }
  return text_cell(jobs);
}

TableCell pause_cell(Pause pause) {
  return pause == Pause::none ? TableCell() : text_cell(to_text(pause));
}

TableCell device_pause(const EvaluationContext& at, const Row& row) {
  if (at.model.is_gone(row)) return {};
  return pause_cell(pause_on(at.model, at.model.id_of(row), at.jobs.on(row)));
}

TableCell throttle_of(const EvaluationContext& at, const Row& row) {
  const double bits = at.model.reading(row, Metric::throttle);
  if (std::isnan(bits)) return {};
  return is_throttled(bits) ? TableCell(throttle_text(bits)) : TableCell("no");
}

template <auto member>
TableCell of_registration(const EvaluationContext& at, const Row& row) {
  return value_cell(at.model.host_of(row).reported.registration.*member);
}

constexpr std::array<TableColumn<Row>, 32> device_table = {{
    {"id", [](const EvaluationContext& at,
              const Row& row) { return text_cell(to_text(at.model.id_of(row))); }},
    {"host", of_registration<&Register::host>},
    {"device", of_field<Field::index>},
    {"rack", of_registration<&Register::rack>},
    {"site", of_registration<&Register::site>},
    {"kind", [](const EvaluationContext& at,
                const Row& row) { return text_cell(at.model.spec_of(row).id); }},
    {"pool", [](const EvaluationContext& at,
                const Row& row) { return text_cell(at.model.pools_text(row)); }},
    {"group", of_field<Field::group>},
    {"state", states_of},
    {"pause", device_pause},
    {"utilization", of_metric<Metric::utilization>},
    {"tensor_activity", of_metric<Metric::tensor_activity>},
    {"memory_activity", of_metric<Metric::memory_activity>},
    {"memory_used_bytes", of_metric<Metric::memory_used>},
    {"memory_total_bytes", of_metric<Metric::memory_total>},
    {"power_w", of_metric<Metric::power>},
    {"power_cap_w", of_metric<Metric::power_cap>},
    {"temperature_c", of_metric<Metric::temperature>},
    {"headroom_c", of_field<Field::headroom>},
    {"memory_temperature_c", of_metric<Metric::memory_temperature>},
    {"clock_mhz", of_metric<Metric::clock>},
    {"throttle", throttle_of},
    {"running", of_metric<Metric::running>},
    {"queue", of_metric<Metric::queue>},
    {"energy_j", of_metric<Metric::energy>},
    {"power_violation_s", of_metric<Metric::power_violation>},
    {"thermal_violation_s", of_metric<Metric::thermal_violation>},
    {"board_limit_violation_s", of_metric<Metric::board_limit_violation>},
    {"age_s", of_field<Field::age>},
    {"usd_per_h", of_field<Field::price>},
    {"models", models_of},
    {"jobs", jobs_of},
}};

template <Field field>
TableCell of_job(const EvaluationContext& at, const JobRow& row) {
  return number_cell(JobSubject(at, row.reported).number(field));
}

constexpr std::array<TableColumn<JobRow>, 23> job_table = {{
    {"id", of<&JobRow::reported, &JobChanged::job, &Job::id>},
    {"state", of<&JobRow::reported, &JobChanged::state>},
    {"kind", of<&JobRow::reported, &JobChanged::job, &Job::work, &Workload::kind>},
    {"model", of<&JobRow::reported, &JobChanged::job, &Job::work, &Workload::model>},
    {"class", of<&JobRow::reported, &JobChanged::work_class>},
    {"tenant", of<&JobRow::reported, &JobChanged::job, &Job::tenant>},
    {"priority", of_job<Field::priority>},
    {"attempt", of<&JobRow::reported, &JobChanged::attempt>},
    {"pool", of<&JobRow::reported, &JobChanged::pool>},
    {"target", of<&JobRow::reported, &JobChanged::target>},
    {"submitted", of<&JobRow::reported, &JobChanged::submitted>},
    {"since", of<&JobRow::reported, &JobChanged::since>},
    {"waited_s", of_job<Field::waited>},
    {"progress", of_job<Field::progress>},
    {"remaining_s", of_job<Field::remaining>},
    {"latency_s",
     [](const EvaluationContext&, const JobRow& row) {
       return is_terminal(row.reported.state) ? number_cell(row.reported.latency_s) : TableCell();
     }},
    {"first_token_s",
     [](const EvaluationContext&, const JobRow& row) {
       const double first_s = row.reported.outcome.first_token_s;
       return first_s > 0 ? number_cell(first_s) : TableCell();
     }},
    {"energy_j", of_job<Field::energy>},
    {"cost_usd", of_job<Field::cost>},
    {"reason", of<&JobRow::reported, &JobChanged::reason>},
    {"detail", of<&JobRow::reported, &JobChanged::detail>},
    {"change", of<&JobRow::reported, &JobChanged::change>},
    {"pause", [](const EvaluationContext& at,
                 const JobRow& row) { return pause_cell(pause_of(at.model, row.reported)); }},
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
    {"class", of<&Decision::work_class>},
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

constexpr std::array<TableColumn<HostRow>, 14> host_table = {{
    {"host", of<&HostRow::reported, &HostChanged::registration, &Register::host>},
    {"rack", of<&HostRow::reported, &HostChanged::registration, &Register::rack>},
    {"state", of<&HostRow::reported, &HostChanged::health>},
    {"age_s",
     [](const EvaluationContext& at, const HostRow& host) {
       return host.last_sample_at == Instant::min()
                  ? TableCell()
                  : number_cell(to_seconds(at.now - host.last_sample_at));
     }},
    {"rows_per_s",
     [](const EvaluationContext&, const HostRow& host) {
       return number_cell(host.receive_stats.rows_per_s());
     }},
    {"messages_per_s",
     [](const EvaluationContext&, const HostRow& host) {
       return number_cell(host.receive_stats.batches_per_s());
     }},
    {"lost", of<&HostRow::gaps>},
    {"router_sample_gaps", of<&HostRow::reported, &HostChanged::sample_gaps>},
    {"samples_skipped", of<&HostRow::reported, &HostChanged::samples_thinned>},
    {"undecodable", of<&HostRow::reported, &HostChanged::undecodable>},
    {"clock_offset_s",
     [](const EvaluationContext&, const HostRow& host) {
       return number_cell(host.receive_stats.offset_s());
     }},
    {"devices", of<&HostRow::count>},
    {"key", of<&HostRow::reported, &HostChanged::secured_by>},
    {"software", of<&HostRow::reported, &HostChanged::registration, &Register::software>},
}};

template <auto member>
TableCell of_replica(const EvaluationContext&, const ReplicaRow& row) {
  return value_cell(row.reported.replica.*member);
}
/// Empty for a replica of a lost host.
template <auto member>
TableCell of_living(const EvaluationContext& at, const ReplicaRow& row) {
  return is_gone(at.model, row.reported.replica) ? TableCell() : of_replica<member>(at, row);
}

TableCell replica_state(const EvaluationContext& at, const ReplicaRow& row) {
  if (const HostRow* const host = at.model.find_host(row.reported.replica.id.host)) {
    if (is_gone(host->reported.health)) return text_cell(to_text(host->reported.health));
  }
  return text_cell(to_text(row.reported.replica.state));
}

constexpr std::array<TableColumn<ReplicaRow>, 16> replica_table = {{
    {"id", of_replica<&Replica::id>},
    {"host", of<&ReplicaRow::reported, &ReplicaChanged::replica, &Replica::id, &ReplicaId::host>},
    {"devices",
     [](const EvaluationContext&, const ReplicaRow& row) {
       return text_cell(joined(row.reported.replica.devices, " "));
     }},
    {"pool", [](const EvaluationContext& at,
                const ReplicaRow& row) { return text_cell(pools_text(at.model, row.reported)); }},
    {"model", of_replica<&Replica::model>},
    {"precision", of_replica<&Replica::precision>},
    {"state", replica_state},
    {"pause",
     [](const EvaluationContext& at, const ReplicaRow& row) {
       const bool gone = is_gone(at.model, row.reported.replica);
       return gone ? TableCell() : pause_cell(row.reported.replica.pause);
     }},
    {"running", of_living<&Replica::running>},
    {"queue", of_living<&Replica::queued>},
    {"batch_max", of_replica<&Replica::batch_max>},
    {"kv_tokens_used", of_living<&Replica::kv_used_tokens>},
    {"kv_tokens_capacity", of_replica<&Replica::kv_capacity_tokens>},
    {"kv_token_bytes", of_replica<&Replica::kv_token_bytes>},
    {"weights_bytes", of_replica<&Replica::weights_bytes>},
    {"detail", of_replica<&Replica::detail>},
}};

}  // namespace

TableRows device_rows(const TableSource& from) {
  // In the order of the devices view, whichever view is shown.
  const UiState& ui = from.frame.ui;
  DeviceList list = ui.devices;
  sort_devices(from.frame.model, ui.fleet_filter, list, from.frame.now, {}, ui.moved_at);
  TableBuilder<Row> rows(from.at, device_table);
  for (const DeviceLine& line : list.lines) {
    if (!line.heading.empty()) continue;
    if (!from.only || from.frame.model.id_of(line.row) == *from.only) rows.add(line.row);
  }
  return rows.take();
}

TableRows job_rows(const TableSource& from) {
  const Model& model = from.frame.model;
  std::vector<const JobRow*> shown;
  for (const auto& [id, row] : model.jobs()) {
    if (from.fleet_filter().shows(model, row.reported) && from.is_of(row.reported.target)) {
      shown.push_back(&row);
    }
  }
  std::stable_sort(shown.begin(), shown.end(), [](const JobRow* a, const JobRow* b) {
    return a->reported.submitted < b->reported.submitted;
  });
  TableBuilder<JobRow> rows(from.at, job_table);
  for (const JobRow* const row : shown) rows.add(*row);
  return rows.take();
}

TableRows decision_rows(const TableSource& from) {
  TableBuilder<Decision> rows(from.at, decision_table);
  for (const std::uint64_t number : list_decisions(from.frame.model, from.fleet_filter())) {
    const Decision& decision = *decision_of(from.frame.model, number);
    if (from.is_of(decision.target)) rows.add(decision);
  }
  return rows.take();
}

TableRows event_rows(const TableSource& from) {
  const Model& model = from.frame.model;
  TableBuilder<LogEntry> rows(from.at, log_table);
  for (const LogLine& line : list_log(model, from.fleet_filter(), LogFilter::all)) {
    if (!line.heading.empty()) continue;
    if (!from.only || concerns(model, line.entry.subject, *from.only)) rows.add(line.entry);
  }
  return rows.take();
}

TableRows host_rows(const TableSource& from) {
  const Model& model = from.frame.model;
  TableBuilder<HostRow> rows(from.at, host_table);
  for (const std::uint32_t number : list_hosts(model, from.fleet_filter(), from.frame.now)) {
    const HostRow& host = model.hosts()[number];
    if (!from.only || from.only->host == host.reported.registration.host) rows.add(host);
  }
  return rows.take();
}

TableRows replica_rows(const TableSource& from) {
  const Model& model = from.frame.model;
  TableBuilder<ReplicaRow> rows(from.at, replica_table);
  for (const auto& [id, row] : model.replicas()) {
    if (from.fleet_filter().shows(model, row.reported.replica) && from.is_of(to_text(id)))
      rows.add(row);
  }
  return rows.take();
}

}  // namespace drover::tui
