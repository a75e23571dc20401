// Tables with a row for each device, host or replica.
#include <algorithm>
#include <array>

#include "fleet/base/text.h"
#include "fleet/sample/metric_keys.h"
#include "tui/tables/table_columns.h"

namespace drover::tui {
namespace {

using filter::Field;

using Row = DeviceTable::Row;

template <Field field>
TableCell of_field(const EvaluationContext& at, const Row& row) {
  return number_cell(ModelDevice(at, row).number(field));
}
template <Metric metric>
TableCell of_metric(const EvaluationContext& at, const Row& row) {
  return number_cell(at.model.reading(row, metric));
}

DeviceCondition condition_of(const EvaluationContext& at, Row row) {
  return standing_of(at.model, at.now, row);
}

template <Field field>
TableCell list_of(const EvaluationContext& at, const Row& row) {
  return ModelDevice(at, row).values(field);
}

/// Nothing is known of the work of a lost host, nor which models other programs run on a real
/// device.
TableCell models_of(const EvaluationContext& at, const Row& row) {
  const bool known = !at.model.is_gone(row) && !at.model.spec_of(row).real;
  return known ? list_of<Field::model>(at, row) : TableCell();
}

/// Whether its processes are known: a page of metrics may name none.
bool knows_users(const EvaluationContext& at, Row row) {
  if (!at.model.spec_of(row).real) return true;
  const Board* const board = at.model.board_of(row);
  return board != nullptr && (board->processes_known || !board->processes.empty());
}

TableCell tenants_of(const EvaluationContext& at, const Row& row) {
  const bool known = !at.model.is_gone(row) && knows_users(at, row);
  return known ? list_of<Field::tenant>(at, row) : TableCell();
}

/// Empty for a real board that is in no catalogue.
TableCell kind_of(const EvaluationContext& at, const Row& row) {
  const SpecRow& spec = at.model.spec_of(row);
  return spec.listed ? text_cell(spec.id) : TableCell();
}

/// As the driver of a real board says, else as the catalogue has it.
TableCell name_of(const EvaluationContext& at, const Row& row) {
  const SpecRow& spec = at.model.spec_of(row);
  if (!spec.real) return text_cell(spec.name);
  const Board* const board = at.model.board_of(row);
  return board == nullptr ? TableCell() : text_cell(board->name);
}

template <auto member>
TableCell of_board(const EvaluationContext& at, const Row& row) {
  const Board* const board = at.model.board_of(row);
  return board == nullptr ? TableCell() : value_cell(board->*member);
}

/// "power_w: Google publishes no power".
TableCell missing_of(const EvaluationContext& at, const Row& row) {
  const Board* const board = at.model.board_of(row);
  if (board == nullptr)
    return at.model.spec_of(row).real ? TableCell() : std::vector<std::string>();
  std::vector<std::string> reasons;
  for (const MissingMetric& missing : board->missing) {
    if (missing.metric >= metric_count) continue;
    reasons.push_back(fmt::format("{}: {}", metric_keys[missing.metric].name, missing.why));
  }
  return reasons;
}

TableCell jobs_of(const EvaluationContext& at, const Row& row) {
  if (at.model.is_gone(row)) return {};
  std::vector<std::string> ids;
  for (const JobId& id : ModelDevice(at, row).job_ids()) ids.push_back(to_text(id));
  return ids;
}

TableCell device_pause(const EvaluationContext& at, const Row& row) {
  const auto pause = ModelDevice(at, row).pause();
  return pause ? pause_cell(*pause) : TableCell();
}

/// The reasons by the names that filters use; empty when it is not throttled.
TableCell throttle_of(const EvaluationContext& at, const Row& row) {
  std::vector<std::string> reasons = ModelDevice(at, row).values(Field::throttle);
  if (reasons.empty()) return {};
  std::erase(reasons, "no");
  return reasons;
}

template <auto member>
TableCell of_registration(const EvaluationContext& at, const Row& row) {
  return value_cell(at.model.host_of(row).reported.registration.*member);
}

constexpr std::array<TableColumn<Row>, 53> device_table = {{
    {"id", [](const EvaluationContext& at,
              const Row& row) { return text_cell(to_text(at.model.id_of(row))); }},
    {"host", of_registration<&Register::host>},
    {"index", of_field<Field::index>},
    {"device", kind_of},
    {"name", name_of},
    {"real", [](const EvaluationContext& at,
                const Row& row) { return TableCell(at.model.spec_of(row).real); }},
    {"uuid", of_board<&Board::uuid>},
    {"driver", of_board<&Board::driver>},
    {"rack", of_registration<&Register::rack>},
    {"site", of_registration<&Register::site>},
    {"pools", list_of<Field::pool>},
    {"group", of_field<Field::group>},
    {"state", [](const EvaluationContext& at,
                 const Row& row) { return text_cell(states_text(condition_of(at, row))); }},
    {"health", [](const EvaluationContext& at,
                  const Row& row) { return text_cell(to_text(condition_of(at, row).health)); }},
    {"usable", [](const EvaluationContext& at,
                  const Row& row) { return TableCell(condition_of(at, row).usable); }},
    {"drained", [](const EvaluationContext& at,
                   const Row& row) { return TableCell(condition_of(at, row).drained); }},
    {"pause", device_pause},
    {"utilization", of_metric<Metric::utilization>},
    {"tensor_activity", of_metric<Metric::tensor_activity>},
    {"memory_activity", of_metric<Metric::memory_activity>},
    {"memory_used_bytes", of_metric<Metric::memory_used>},
    {"memory_total_bytes", of_metric<Metric::memory_total>},
    {"power_w", of_metric<Metric::power>},
    {"power_cap_w", of_field<Field::cap>},
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
    {"memory_clock_mhz", of_metric<Metric::memory_clock>},
    {"fan", of_metric<Metric::fan>},
    {"pcie_sent_bytes_per_s", of_metric<Metric::pcie_sent>},
    {"pcie_received_bytes_per_s", of_metric<Metric::pcie_received>},
    {"pcie_generation", of_metric<Metric::pcie_generation>},
    {"pcie_lanes", of_metric<Metric::pcie_lanes>},
    {"link_sent_bytes_per_s", of_metric<Metric::link_sent>},
    {"link_received_bytes_per_s", of_metric<Metric::link_received>},
    {"ecc_corrected", of_metric<Metric::ecc_corrected>},
    {"ecc_uncorrected", of_metric<Metric::ecc_uncorrected>},
    {"xid", of_metric<Metric::xid>},
    {"busiest_cpu_core", of_metric<Metric::busiest_cpu_core>},
    {"age_s", of_field<Field::age>},
    {"usd_per_h", of_field<Field::price>},
    {"models", models_of},
    {"tenants", tenants_of},
    {"jobs", jobs_of},
    {"missing", missing_of},
}};

ReadingSums sums_of_host(const EvaluationContext& at, const HostRow& host) {
  std::vector<Row> rows;
  for (Row row = host.first; row < host.end(); ++row) {
    if (!at.model.is_gone(row)) rows.push_back(row);
  }
  return sums_of(at.model, rows);
}

template <auto member>
TableCell of_sums(const EvaluationContext& at, const HostRow& host) {
  return number_cell(sums_of_host(at, host).*member);
}

/// "h100-sxm x8", in the order of its groups.
TableCell kinds_of(const EvaluationContext&, const HostRow& host) {
  std::vector<std::pair<std::string_view, unsigned>> counts;
  for (const Group& group : host.reported.registration.groups) {
    if (counts.empty() || counts.back().first != group.device) counts.emplace_back(group.device, 0);
    counts.back().second += group.count;
  }
  std::vector<std::string> kinds;
  for (const auto& [kind, count] : counts) kinds.push_back(fmt::format("{} x{}", kind, count));
  return kinds;
}

constexpr std::array<TableColumn<HostRow>, 19> host_table = {{
    {"host", of<&HostRow::reported, &HostChanged::registration, &Register::host>},
    {"rack", of<&HostRow::reported, &HostChanged::registration, &Register::rack>},
    {"state", of<&HostRow::reported, &HostChanged::health>},
    {"why", of<&HostRow::reported, &HostChanged::why>},
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
    {"kinds", kinds_of},
    {"utilization", of_sums<&ReadingSums::load>},
    {"power_w", of_sums<&ReadingSums::power_w>},
    {"hottest_c", of_sums<&ReadingSums::hottest_c>},
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

TableCell replica_pools(const EvaluationContext& at, const ReplicaRow& row) {
  const std::string pools = pools_text(at.model, row.reported);
  if (pools.empty()) return std::vector<std::string>();
  return split(pools, ',');
}

constexpr std::array<TableColumn<ReplicaRow>, 16> replica_table = {{
    {"id", of_replica<&Replica::id>},
    {"host", of<&ReplicaRow::reported, &ReplicaChanged::replica, &Replica::id, &ReplicaId::host>},
    {"devices",
     [](const EvaluationContext&, const ReplicaRow& row) {
       return text_cell(joined(row.reported.replica.devices, " "));
     }},
    {"pools", replica_pools},
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

TableRows device_rows(const EvaluationContext& at, std::span<const Row> devices) {
  TableBuilder<Row> rows(at, device_table);
  for (const Row row : devices) rows.add(row);
  return rows.take();
}

TableRows listed_device_rows(const TableSource& from) {
  DeviceList list = from.query.order;
  sort_devices(from.model(), from.fleet_filter(), list, from.at.now, {}, Instant::min());
  std::vector<Row> devices;
  for (const DeviceLine& line : list.lines) {
    if (!line.heading.empty()) continue;
    const auto& only = from.query.only;
    if (!only || from.model().id_of(line.row) == *only) devices.push_back(line.row);
  }
  return device_rows(from.at, devices);
}

TableRows rows_of_host(const EvaluationContext& at, const std::string& name) {
  TableBuilder<HostRow> rows(at, host_table);
  for (const HostRow& host : at.model.hosts()) {
    if (host.reported.registration.host == name) rows.add(host);
  }
  return rows.take();
}

TableRows host_rows(const TableSource& from) {
  const Model& model = from.model();
  TableBuilder<HostRow> rows(from.at, host_table);
  for (const std::uint32_t number : list_hosts(model, from.fleet_filter(), from.at.now)) {
    const HostRow& host = model.hosts()[number];
    if (!from.query.only || from.query.only->host == host.reported.registration.host)
      rows.add(host);
  }
  return rows.take();
}

TableRows replica_rows(const TableSource& from) {
  const Model& model = from.model();
  TableBuilder<ReplicaRow> rows(from.at, replica_table);
  for (const auto& [id, row] : model.replicas()) {
    if (from.fleet_filter().shows(model, row.reported.replica) && from.is_of(to_text(id)))
      rows.add(row);
  }
  return rows.take();
}

}  // namespace drover::tui
