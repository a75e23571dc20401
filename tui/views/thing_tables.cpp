// Tables of things: devices, replicas, jobs, decisions, events, hosts.
#include <algorithm>
#include <array>
#include <cmath>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "tui/model/device_state.h"
#include "tui/tables/host_list.h"
#include "tui/views/table_columns.h"

namespace drover::tui {
namespace {

using filter::Field;

using Row = DeviceTable::Row;

template <Field field>
TableCell of_field(const Judged& at, const Row& row) {
  return number_cell(DeviceThing(at, row).number(field));
}
template <Metric metric>
TableCell of_metric(const Judged& at, const Row& row) {
  return number_cell(at.model.reading(row, metric));
}

TableCell states_of(const Judged& at, const Row& row) { return states_text(at.model, at.now, row); }

TableCell models_of(const Judged& at, const Row& row) {
  if (at.model.is_gone(row)) return {};
  std::string models;
  for (const ReplicaRow* replica : replicas_on(at.model, at.model.id_of(row))) {
    models += (models.empty() ? "" : " ") + replica->said.replica.model;
  }
  return text_cell(models);
}

TableCell jobs_of(const Judged& at, const Row& row) {
  std::string jobs;
  for (const JobChanged* const job : at.jobs.on(row)) {
    jobs += (jobs.empty() ? "" : " ") + to_text(job->job.id);
  }
  return text_cell(jobs);
}

TableCell pause_cell(Pause pause) {
  return pause == Pause::none ? TableCell() : text_cell(to_text(pause));
}

TableCell device_pause(const Judged& at, const Row& row) {
  if (at.model.is_gone(row)) return {};
  return pause_cell(pause_on(at.model, at.model.id_of(row), at.jobs.on(row)));
}

TableCell slowed_of(const Judged& at, const Row& row) {
  const double bits = at.model.reading(row, Metric::throttle);
  if (std::isnan(bits)) return {};
  return is_slowed(bits) ? TableCell(throttle_text(bits)) : TableCell("no");
}

const Hello& hello_of(const Judged& at, Row row) { return at.model.host_of(row).said.hello; }

constexpr std::array<TableColumn<Row>, 32> device_table = {{
    {"id",
     [](const Judged& at, const Row& row) { return text_cell(to_text(at.model.id_of(row))); }},
    {"host", [](const Judged& at, const Row& row) { return text_cell(hello_of(at, row).host); }},
    {"device", of_field<Field::index>},
    {"rack", [](const Judged& at, const Row& row) { return text_cell(hello_of(at, row).rack); }},
    {"site", [](const Judged& at, const Row& row) { return text_cell(hello_of(at, row).site); }},
    {"kind", [](const Judged& at, const Row& row) { return text_cell(at.model.spec_of(row).id); }},
    {"pool", [](const Judged& at, const Row& row) { return text_cell(at.model.pools_text(row)); }},
    {"group", of_field<Field::group>},
    {"state", states_of},
    {"pause", device_pause},
    {"utilization", of_metric<Metric::utilization>},
    {"matrix_activity", of_metric<Metric::matrix_activity>},
    {"memory_activity", of_metric<Metric::memory_activity>},
    {"memory_used", of_metric<Metric::memory_used>},
    {"memory_total", of_metric<Metric::memory_total>},
    {"power_w", of_metric<Metric::power>},
    {"power_cap_w", of_metric<Metric::power_cap>},
    {"temperature_c", of_metric<Metric::temperature>},
    {"headroom_c", of_field<Field::headroom>},
    {"memory_temperature_c", of_metric<Metric::memory_temperature>},
    {"clock_mhz", of_metric<Metric::clock>},
    {"slowed", slowed_of},
    {"running", of_metric<Metric::running>},
    {"queue", of_metric<Metric::queue>},
    {"energy_j", of_metric<Metric::energy>},
    {"power_violation_s", of_metric<Metric::power_violation>},
    {"thermal_violation_s", of_metric<Metric::thermal_violation>},
    {"board_violation_s", of_metric<Metric::board_violation>},
    {"age_s", of_field<Field::age>},
    {"usd_per_h", of_field<Field::price>},
    {"models", models_of},
    {"jobs", jobs_of},
}};

template <Field field>
TableCell of_job(const Judged& at, const JobRow& row) {
  return number_cell(JobThing(at, row.said).number(field));
}

constexpr std::array<TableColumn<JobRow>, 23> job_table = {{
    {"id", [](const Judged&, const JobRow& row) { return text_cell(to_text(row.said.job.id)); }},
    {"state", [](const Judged&, const JobRow& row) { return text_cell(to_text(row.said.state)); }},
    {"kind",
     [](const Judged&, const JobRow& row) { return text_cell(to_text(row.said.job.work.kind)); }},
    {"model", [](const Judged&, const JobRow& row) { return text_cell(row.said.job.work.model); }},
    {"class", [](const Judged&, const JobRow& row) { return text_cell(row.said.work_class); }},
    {"tenant", [](const Judged&, const JobRow& row) { return text_cell(row.said.job.tenant); }},
    {"priority", of_job<Field::priority>},
    {"attempt", [](const Judged&, const JobRow& row) { return count_cell(row.said.attempt); }},
    {"pool", [](const Judged&, const JobRow& row) { return text_cell(row.said.pool); }},
    {"target", [](const Judged&, const JobRow& row) { return text_cell(row.said.target); }},
    {"submitted", [](const Judged&, const JobRow& row) { return time_cell(row.said.submitted); }},
    {"since", [](const Judged&, const JobRow& row) { return time_cell(row.said.since); }},
    {"waited_s", of_job<Field::waited>},
    {"progress", of_job<Field::progress>},
    {"remaining_s", of_job<Field::remaining>},
    {"latency_s",
     [](const Judged&, const JobRow& row) {
       return is_terminal(row.said.state) ? number_cell(row.said.latency_s) : TableCell();
     }},
    {"first_token_s",
     [](const Judged&, const JobRow& row) {
       const double first_s = row.said.outcome.first_token_s;
       return first_s > 0 ? number_cell(first_s) : TableCell();
     }},
    {"energy_j", of_job<Field::energy>},
    {"cost_usd", of_job<Field::cost>},
    {"reason", [](const Judged&, const JobRow& row) { return reason_cell(row.said.reason); }},
    {"detail", [](const Judged&, const JobRow& row) { return text_cell(row.said.detail); }},
    {"change", [](const Judged&, const JobRow& row) { return text_cell(row.said.change); }},
    {"pause",
     [](const Judged& at, const JobRow& row) { return pause_cell(pause_of(at.model, row.said)); }},
}};

constexpr std::array<TableColumn<Decision>, 16> decision_table = {{
    {"number", [](const Judged&, const Decision& it) { return count_cell(it.number); }},
    {"time", [](const Judged&, const Decision& it) { return time_cell(it.at); }},
    {"action", [](const Judged&, const Decision& it) { return text_cell(to_text(it.action)); }},
    {"job",
     [](const Judged&, const Decision& it) {
       return it.job.empty() ? TableCell() : text_cell(to_text(it.job));
     }},
    {"attempt", [](const Judged&, const Decision& it) { return count_cell(it.attempt); }},
    {"kind", [](const Judged&, const Decision& it) { return text_cell(to_text(it.kind)); }},
    {"model", [](const Judged&, const Decision& it) { return text_cell(it.model); }},
    {"class", [](const Judged&, const Decision& it) { return text_cell(it.work_class); }},
    {"rule", [](const Judged&, const Decision& it) { return text_cell(it.rule); }},
    {"wanted_pool", [](const Judged&, const Decision& it) { return text_cell(it.wanted_pool); }},
    {"pool", [](const Judged&, const Decision& it) { return text_cell(it.pool); }},
    {"target", [](const Judged&, const Decision& it) { return text_cell(it.target); }},
    {"fallback_reason",
     [](const Judged&, const Decision& it) { return reason_cell(it.fallback_reason); }},
    {"score",
     [](const Judged&, const Decision& it) {
       return it.top.empty() ? TableCell() : number_cell(it.top.front().score);
     }},
    {"considered", [](const Judged&, const Decision& it) { return count_cell(it.considered); }},
    {"change", [](const Judged&, const Decision& it) { return text_cell(it.change); }},
}};

std::string_view kind_of(NewsKind kind) {
  switch (kind) {
    case NewsKind::raised:
      return "raised";
    case NewsKind::rule:
      return "rule";
    case NewsKind::event:
      return "event";
    case NewsKind::alert:
      return "alert";
    case NewsKind::alert_seen:
      return "alert_acknowledged";
    case NewsKind::alert_over:
      return "alert_over";
    case NewsKind::action:
      return "action";
    case NewsKind::action_refused:
      return "action_refused";
  }
  return {};
}

constexpr std::array<TableColumn<News>, 7> news_table = {{
    {"time", [](const Judged&, const News& news) { return time_cell(news.at); }},
    {"kind", [](const Judged&, const News& news) { return text_cell(kind_of(news.kind)); }},
    {"severity", [](const Judged&, const News& news) { return text_cell(to_text(news.severity)); }},
    {"rule", [](const Judged&, const News& news) { return text_cell(news.rule); }},
    {"subject", [](const Judged&, const News& news) { return text_cell(news.subject); }},
    {"text", [](const Judged&, const News& news) { return text_cell(news.text); }},
    {"acknowledged_by", [](const Judged&, const News& news) { return text_cell(news.seen_by); }},
}};

constexpr std::array<TableColumn<HostRow>, 14> host_table = {{
    {"host", [](const Judged&, const HostRow& host) { return text_cell(host.said.hello.host); }},
    {"rack", [](const Judged&, const HostRow& host) { return text_cell(host.said.hello.rack); }},
    {"state",
     [](const Judged&, const HostRow& host) { return text_cell(to_text(host.said.health)); }},
    {"age_s",
     [](const Judged& at, const HostRow& host) {
       return host.sampled == Instant::min() ? TableCell()
                                             : number_cell(to_seconds(at.now - host.sampled));
     }},
    {"rows_per_s",
     [](const Judged&, const HostRow& host) { return number_cell(host.traffic.rows_per_s()); }},
    {"messages_per_s",
     [](const Judged&, const HostRow& host) { return number_cell(host.traffic.batches_per_s()); }},
    {"lost", [](const Judged&, const HostRow& host) { return count_cell(host.gaps); }},
    {"lost_at_router",
     [](const Judged&, const HostRow& host) { return count_cell(host.said.sample_gaps); }},
    {"thinned",
     [](const Judged&, const HostRow& host) { return count_cell(host.said.samples_thinned); }},
    {"undecodable",
     [](const Judged&, const HostRow& host) { return count_cell(host.said.undecodable); }},
    {"clock_offset_s",
     [](const Judged&, const HostRow& host) { return number_cell(host.traffic.offset_s()); }},
    {"devices", [](const Judged&, const HostRow& host) { return count_cell(host.count); }},
    {"secured_by",
     [](const Judged&, const HostRow& host) { return text_cell(host.said.secured_by); }},
    {"software",
     [](const Judged&, const HostRow& host) { return text_cell(host.said.hello.software); }},
}};

template <auto member>
TableCell of_replica(const Judged&, const ReplicaRow& row) {
  return count_cell(row.said.replica.*member);
}
/// What a lost host has loaded serves nobody.
template <auto member>
TableCell of_living(const Judged& at, const ReplicaRow& row) {
  return is_gone(at.model, row.said.replica) ? TableCell() : of_replica<member>(at, row);
}

TableCell replica_state(const Judged& at, const ReplicaRow& row) {
  if (const HostRow* const host = at.model.find_host(row.said.replica.id.host)) {
    if (is_gone(host->said.health)) return text_cell(to_text(host->said.health));
  }
  return text_cell(to_text(row.said.replica.state));
}

constexpr std::array<TableColumn<ReplicaRow>, 16> replica_table = {{
    {"id",
     [](const Judged&, const ReplicaRow& row) { return text_cell(to_text(row.said.replica.id)); }},
    {"host",
     [](const Judged&, const ReplicaRow& row) { return text_cell(row.said.replica.id.host); }},
    {"devices",
     [](const Judged&, const ReplicaRow& row) {
       return text_cell(fmt::format("{}", fmt::join(row.said.replica.devices, " ")));
     }},
    {"pool", [](const Judged& at,
                const ReplicaRow& row) { return text_cell(pools_text(at.model, row.said)); }},
    {"model",
     [](const Judged&, const ReplicaRow& row) { return text_cell(row.said.replica.model); }},
    {"precision",
     [](const Judged&, const ReplicaRow& row) {
       return text_cell(to_text(row.said.replica.precision));
     }},
    {"state", replica_state},
    {"pause",
     [](const Judged& at, const ReplicaRow& row) {
       const bool gone = is_gone(at.model, row.said.replica);
       return gone ? TableCell() : pause_cell(row.said.replica.pause);
     }},
    {"running", of_living<&Replica::running>},
    {"queue", of_living<&Replica::queued>},
    {"batch_most", of_replica<&Replica::batch_max>},
    {"kv_tokens_used", of_living<&Replica::kv_used_tokens>},
    {"kv_tokens_capacity", of_replica<&Replica::kv_capacity_tokens>},
    {"kv_token_bytes", of_replica<&Replica::kv_token_bytes>},
    {"weights_bytes", of_replica<&Replica::weights_bytes>},
    {"detail",
     [](const Judged&, const ReplicaRow& row) { return text_cell(row.said.replica.detail); }},
}};

}  // namespace

TableRows device_rows(const TableSource& from) {
  // In the order of the devices view, whichever is shown.
  const Choices& choices = from.scene.choices;
  DeviceList list = choices.devices;
  sort_devices(from.scene.model, choices.narrowing, list, from.scene.now, {}, choices.moved_at);
  TableOf<Row> rows(from.at, device_table);
  for (const DeviceLine& line : list.lines) {
    if (!line.heading.empty()) continue;
    if (!from.only || from.scene.model.id_of(line.row) == *from.only) rows.add(line.row);
  }
  return rows.take();
}

TableRows job_rows(const TableSource& from) {
  const Model& model = from.scene.model;
  std::vector<const JobRow*> shown;
  for (const auto& [id, row] : model.jobs()) {
    if (from.narrowing().shows(model, row.said) && from.is_of(row.said.target)) {
      shown.push_back(&row);
    }
  }
  std::stable_sort(shown.begin(), shown.end(), [](const JobRow* a, const JobRow* b) {
    return a->said.submitted < b->said.submitted;
  });
  TableOf<JobRow> rows(from.at, job_table);
  for (const JobRow* const row : shown) rows.add(*row);
  return rows.take();
}

TableRows decision_rows(const TableSource& from) {
  TableOf<Decision> rows(from.at, decision_table);
  for (const std::uint64_t number : list_decisions(from.scene.model, from.narrowing())) {
    const Decision& decision = *decision_of(from.scene.model, number);
    if (from.is_of(decision.target)) rows.add(decision);
  }
  return rows.take();
}

TableRows event_rows(const TableSource& from) {
  const Model& model = from.scene.model;
  TableOf<News> rows(from.at, news_table);
  for (const NewsLine& line : list_news(model, from.narrowing(), NewsFilter::all)) {
    if (!line.heading.empty()) continue;
    if (!from.only || concerns(model, line.news.subject, *from.only)) rows.add(line.news);
  }
  return rows.take();
}

TableRows host_rows(const TableSource& from) {
  const Model& model = from.scene.model;
  TableOf<HostRow> rows(from.at, host_table);
  for (const std::uint32_t number : list_hosts(model, from.narrowing(), from.scene.now)) {
    const HostRow& host = model.hosts()[number];
    if (!from.only || from.only->host == host.said.hello.host) rows.add(host);
  }
  return rows.take();
}

TableRows replica_rows(const TableSource& from) {
  const Model& model = from.scene.model;
  TableOf<ReplicaRow> rows(from.at, replica_table);
  for (const auto& [id, row] : model.replicas()) {
    if (from.narrowing().shows(model, row.said.replica) && from.is_of(to_text(id))) rows.add(row);
  }
  return rows.take();
}

}  // namespace drover::tui
