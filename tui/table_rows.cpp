#include "tui/table_rows.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <span>

#include "tui/columns.h"
#include "tui/device_facts.h"
#include "tui/device_state.h"
#include "tui/host_list.h"

namespace drover::tui {
namespace {

using filter::Field;

TableCell text(std::string_view said) {
  return said.empty() ? TableCell() : TableCell(std::string(said));
}
TableCell number(double value) { return std::isnan(value) ? TableCell() : TableCell(value); }
TableCell count(std::uint64_t value) { return static_cast<double>(value); }
TableCell time(Instant at) { return at == Instant::min() ? TableCell() : text(to_iso8601(at)); }
TableCell reason(const std::optional<Reason>& why) {
  return why ? text(to_text(*why)) : TableCell();
}

/// A column of a table of things.
template <typename Thing>
struct Column {
  std::string_view name;
  TableCell (*cell)(const Judged& at, const Thing& thing);
};

/// The table's head, to which rows are added.
template <typename Thing>
class Rows {
 public:
  Rows(const Judged& at, std::span<const Column<Thing>> columns) : at_(at), columns_(columns) {
    for (const Column<Thing>& column : columns) table_.names.emplace_back(column.name);
  }
  void add(const Thing& thing) {
    auto& row = table_.rows.emplace_back();
    for (const Column<Thing>& column : columns_) row.push_back(column.cell(at_, thing));
  }
  TableRows take() { return std::move(table_); }

 private:
  const Judged& at_;
  std::span<const Column<Thing>> columns_;
  TableRows table_;
};

using Row = DeviceTable::Row;

template <Field field>
TableCell of_field(const Judged& at, const Row& row) {
  return number(DeviceThing(at, row).number(field));
}
template <Metric metric>
TableCell of_metric(const Judged& at, const Row& row) {
  return number(at.model.reading(row, metric));
}

TableCell states_of(const Judged& at, const Row& row) { return states_text(at.model, at.now, row); }

TableCell models_of(const Judged& at, const Row& row) {
  if (at.model.is_lost(row)) return {};
  std::string models;
  for (const ReplicaRow* replica : replicas_on(at.model, at.model.id_of(row))) {
    models += (models.empty() ? "" : " ") + replica->said.replica.model;
  }
  return text(models);
}

TableCell jobs_of(const Judged& at, const Row& row) {
  std::string jobs;
  for (const JobChanged* const job : at.jobs.on(row)) {
    jobs += (jobs.empty() ? "" : " ") + to_text(job->job.id);
  }
  return text(jobs);
}

TableCell slowed_of(const Judged& at, const Row& row) {
  const double bits = at.model.reading(row, Metric::throttle);
  if (std::isnan(bits)) return {};
  return is_slowed(bits) ? TableCell(throttle_text(bits)) : TableCell("no");
}

const Hello& hello_of(const Judged& at, Row row) { return at.model.host_of(row).said.hello; }

constexpr std::array<Column<Row>, 31> device_table = {{
    {"id", [](const Judged& at, const Row& row) { return text(to_text(at.model.id_of(row))); }},
    {"host", [](const Judged& at, const Row& row) { return text(hello_of(at, row).host); }},
    {"device", of_field<Field::index>},
    {"rack", [](const Judged& at, const Row& row) { return text(hello_of(at, row).rack); }},
    {"site", [](const Judged& at, const Row& row) { return text(hello_of(at, row).site); }},
    {"kind", [](const Judged& at, const Row& row) { return text(at.model.spec_of(row).id); }},
    {"pool", [](const Judged& at, const Row& row) { return text(at.model.pool_of(row)); }},
    {"group", of_field<Field::group>},
    {"state", states_of},
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
  return number(JobThing(at, row.said).number(field));
}

constexpr std::array<Column<JobRow>, 22> job_table = {{
    {"id", [](const Judged&, const JobRow& row) { return text(to_text(row.said.job.id)); }},
    {"state", [](const Judged&, const JobRow& row) { return text(to_text(row.said.state)); }},
    {"kind",
     [](const Judged&, const JobRow& row) { return text(to_text(row.said.job.work.kind)); }},
    {"model", [](const Judged&, const JobRow& row) { return text(row.said.job.work.model); }},
    {"class", [](const Judged&, const JobRow& row) { return text(row.said.work_class); }},
    {"tenant", [](const Judged&, const JobRow& row) { return text(row.said.job.tenant); }},
    {"priority", of_job<Field::priority>},
    {"attempt", [](const Judged&, const JobRow& row) { return count(row.said.attempt); }},
    {"pool", [](const Judged&, const JobRow& row) { return text(row.said.pool); }},
    {"target", [](const Judged&, const JobRow& row) { return text(row.said.target); }},
    {"submitted", [](const Judged&, const JobRow& row) { return time(row.said.submitted); }},
    {"since", [](const Judged&, const JobRow& row) { return time(row.said.since); }},
    {"waited_s", of_job<Field::waited>},
    {"progress", of_job<Field::progress>},
    {"remaining_s", of_job<Field::remaining>},
    {"latency_s",
     [](const Judged&, const JobRow& row) {
       return is_terminal(row.said.state) ? number(row.said.latency_s) : TableCell();
     }},
    {"first_token_s",
     [](const Judged&, const JobRow& row) {
       const double first_s = row.said.outcome.first_token_s;
       return first_s > 0 ? number(first_s) : TableCell();
     }},
    {"energy_j", of_job<Field::energy>},
    {"cost_usd", of_job<Field::cost>},
    {"reason", [](const Judged&, const JobRow& row) { return reason(row.said.reason); }},
    {"detail", [](const Judged&, const JobRow& row) { return text(row.said.detail); }},
    {"change", [](const Judged&, const JobRow& row) { return text(row.said.change); }},
}};

constexpr std::array<Column<Decision>, 16> decision_table = {{
    {"number", [](const Judged&, const Decision& it) { return count(it.number); }},
    {"time", [](const Judged&, const Decision& it) { return time(it.at); }},
    {"action", [](const Judged&, const Decision& it) { return text(to_text(it.action)); }},
    {"job",
     [](const Judged&, const Decision& it) {
       return it.job.empty() ? TableCell() : text(to_text(it.job));
     }},
    {"attempt", [](const Judged&, const Decision& it) { return count(it.attempt); }},
    {"kind", [](const Judged&, const Decision& it) { return text(to_text(it.kind)); }},
    {"model", [](const Judged&, const Decision& it) { return text(it.model); }},
    {"class", [](const Judged&, const Decision& it) { return text(it.work_class); }},
    {"rule", [](const Judged&, const Decision& it) { return text(it.rule); }},
    {"wanted_pool", [](const Judged&, const Decision& it) { return text(it.wanted_pool); }},
    {"pool", [](const Judged&, const Decision& it) { return text(it.pool); }},
    {"target", [](const Judged&, const Decision& it) { return text(it.target); }},
    {"fallback_reason",
     [](const Judged&, const Decision& it) { return reason(it.fallback_reason); }},
    {"score",
     [](const Judged&, const Decision& it) {
       return it.top.empty() ? TableCell() : number(it.top.front().score);
     }},
    {"considered", [](const Judged&, const Decision& it) { return count(it.considered); }},
    {"change", [](const Judged&, const Decision& it) { return text(it.change); }},
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

constexpr std::array<Column<News>, 7> news_table = {{
    {"time", [](const Judged&, const News& news) { return time(news.at); }},
    {"kind", [](const Judged&, const News& news) { return text(kind_of(news.kind)); }},
    {"severity", [](const Judged&, const News& news) { return text(to_text(news.severity)); }},
    {"rule", [](const Judged&, const News& news) { return text(news.rule); }},
    {"subject", [](const Judged&, const News& news) { return text(news.subject); }},
    {"text", [](const Judged&, const News& news) { return text(news.text); }},
    {"acknowledged_by", [](const Judged&, const News& news) { return text(news.seen_by); }},
}};

constexpr std::array<Column<HostRow>, 14> host_table = {{
    {"host", [](const Judged&, const HostRow& host) { return text(host.said.hello.host); }},
    {"rack", [](const Judged&, const HostRow& host) { return text(host.said.hello.rack); }},
    {"state", [](const Judged&, const HostRow& host) { return text(to_text(host.said.health)); }},
    {"age_s",
     [](const Judged& at, const HostRow& host) {
       return host.sampled == Instant::min() ? TableCell()
                                             : number(to_seconds(at.now - host.sampled));
     }},
    {"rows_per_s",
     [](const Judged&, const HostRow& host) { return number(host.traffic.rows_per_s()); }},
    {"messages_per_s",
     [](const Judged&, const HostRow& host) { return number(host.traffic.batches_per_s()); }},
    {"lost", [](const Judged&, const HostRow& host) { return count(host.gaps); }},
    {"lost_at_router",
     [](const Judged&, const HostRow& host) { return count(host.said.sample_gaps); }},
    {"thinned",
     [](const Judged&, const HostRow& host) { return count(host.said.samples_thinned); }},
    {"undecodable",
     [](const Judged&, const HostRow& host) { return count(host.said.undecodable); }},
    {"clock_offset_s",
     [](const Judged&, const HostRow& host) { return number(host.traffic.offset_s()); }},
    {"devices", [](const Judged&, const HostRow& host) { return count(host.count); }},
    {"secured_by", [](const Judged&, const HostRow& host) { return text(host.said.secured_by); }},
    {"software", [](const Judged&, const HostRow& host) { return text(host.said.hello.software); }},
}};

/// What a pool draws, against its cap; the last one, without a name, is of devices of no pool.
struct PoolRow {
  std::string_view name;
  PoolTotals totals;
};

TableCell pool_cap(const Judged& at, const PoolRow& pool) {
  if (!at.model.policy()) return {};
  for (const PoolLimits& limits : at.model.policy()->pools) {
    if (limits.name == pool.name && limits.power_cap_w > 0) return limits.power_cap_w;
  }
  return {};
}

constexpr std::array<Column<PoolRow>, 6> pool_table = {{
    {"pool", [](const Judged&, const PoolRow& pool) { return text(pool.name); }},
    {"devices", [](const Judged&, const PoolRow& pool) { return count(pool.totals.devices); }},
    {"reporting", [](const Judged&, const PoolRow& pool) { return count(pool.totals.reporting); }},
    {"power_w",
     [](const Judged&, const PoolRow& pool) {
       return pool.totals.reporting > 0 ? number(pool.totals.power_w) : TableCell();
     }},
    {"power_cap_w", pool_cap},
    {"usd_per_h",
     [](const Judged&, const PoolRow& pool) {
       return pool.totals.usd_per_h > 0 ? number(pool.totals.usd_per_h) : TableCell();
     }},
}};

/// What a table is made from: a moment, and the device that it is narrowed to.
struct Source {
  const Scene& scene;
  const Judged& at;
  std::optional<DeviceId> only;

  const Narrowing& narrowing() const { return scene.choices.narrowing; }
  bool is_of(std::string_view target) const {
    return !only || has_device(scene.model, target, *only);
  }
};

TableRows devices(const Source& from) {
  Rows<Row> rows(from.at, device_table);
  for (const DeviceLine& line : from.scene.choices.devices.lines) {
    if (!line.heading.empty()) continue;
    if (!from.only || from.scene.model.id_of(line.row) == *from.only) rows.add(line.row);
  }
  return rows.take();
}

TableRows jobs(const Source& from) {
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
  Rows<JobRow> rows(from.at, job_table);
  for (const JobRow* const row : shown) rows.add(*row);
  return rows.take();
}

TableRows decisions(const Source& from) {
  Rows<Decision> rows(from.at, decision_table);
  for (const std::uint64_t number : list_decisions(from.scene.model, from.narrowing())) {
    const Decision& decision = *decision_of(from.scene.model, number);
    if (from.is_of(decision.target)) rows.add(decision);
  }
  return rows.take();
}

TableRows news(const Source& from) {
  const Model& model = from.scene.model;
  Rows<News> rows(from.at, news_table);
  for (const NewsLine& line : list_news(model, from.narrowing(), NewsFilter::all)) {
    if (!line.heading.empty()) continue;
    if (!from.only || concerns(model, line.news.subject, *from.only)) rows.add(line.news);
  }
  return rows.take();
}

TableRows hosts(const Source& from) {
  const Model& model = from.scene.model;
  Rows<HostRow> rows(from.at, host_table);
  for (const std::uint32_t number : list_hosts(model, from.narrowing(), from.scene.now)) {
    const HostRow& host = model.hosts()[number];
    if (!from.only || from.only->host == host.said.hello.host) rows.add(host);
  }
  return rows.take();
}

TableRows pools(const Source& from) {
  const Model& model = from.scene.model;
  const auto counts = [&](Row row) {
    return from.narrowing().shows(row) && (!from.only || model.id_of(row) == *from.only);
  };
  const std::vector<PoolTotals> totals = pool_totals_of(model, from.scene.now, counts);
  Rows<PoolRow> rows(from.at, pool_table);
  for (std::size_t i = 0; i < totals.size(); ++i) {
    const bool named = i < model.pools().size();
    if (named || totals[i].devices > 0) {
      rows.add({named ? std::string_view(model.pools()[i]) : std::string_view(), totals[i]});
    }
  }
  return rows.take();
}

struct ViewTable {
  View view;
  TableRows (*rows)(const Source& from);
};
constexpr std::array<ViewTable, 6> tables = {{{View::devices, devices},
                                              {View::jobs, jobs},
                                              {View::routing, decisions},
                                              {View::power, pools},
                                              {View::events, news},
                                              {View::data_plane, hosts}}};

}  // namespace

const std::vector<std::string>& table_view_names() {
  static const std::vector<std::string> names = [] {
    std::vector<std::string> all;
    for (const ViewTable& table : tables) {
      all.push_back(view_names()[static_cast<std::size_t>(table.view)]);
    }
    return all;
  }();
  return names;
}

TableRows table_rows(const Scene& scene) {
  const JobsByDevice jobs(scene.model);
  const Judged at{scene.model, scene.now, jobs};
  const auto found = std::find_if(tables.begin(), tables.end(), [&](const ViewTable& table) {
    return table.view == scene.choices.view;
  });
  DROVER_REQUIRE(found != tables.end());
  const auto device = parse_device_id(scene.options.device);
  return found->rows({scene, at, device ? std::optional(*device) : std::nullopt});
}

}  // namespace drover::tui
