// Tables of sums, and of alert rules.
#include <algorithm>
#include <array>
#include <cmath>

#include "tui/tables/job_list.h"
#include "tui/tables/log_entry.h"
#include "tui/tables/table_columns.h"
#include "tui/usage/user_totals.h"

namespace drover::tui {
namespace {

/// A pool with the sums of its devices and the router's report. The last one, without a name, is
/// for devices of no pool.
struct PoolRow {
  std::string_view name;
  PoolTotals totals;
  const PoolReport* report = nullptr;  // null: none, or the table covers only some devices
};

TableCell pool_cap(const EvaluationContext& at, const PoolRow& pool) {
  const double cap_w = at.model.pool_cap_w(pool.name);
  return cap_w > 0 ? number_cell(cap_w) : TableCell();
}

template <auto member>
TableCell of_report(const EvaluationContext&, const PoolRow& pool) {
  if (pool.report == nullptr) return {};
  return static_cast<double>(pool.report->*member);
}

constexpr std::array<TableColumn<PoolRow>, 15> pool_table = {{
    {"pool", of<&PoolRow::name>},
    {"devices", of<&PoolRow::totals, &PoolTotals::devices>},
    {"reporting", of<&PoolRow::totals, &PoolTotals::reporting>},
    {"usable", of_report<&PoolReport::usable>},
    {"unusable", of_report<&PoolReport::unusable>},
    {"drained", of_report<&PoolReport::drained>},
    {"ejected", of_report<&PoolReport::ejected>},
    {"suspect", of_report<&PoolReport::suspect>},
    {"lost", of_report<&PoolReport::lost>},
    {"power_w", of<&PoolRow::totals, &PoolTotals::power_w>},
    {"power_cap_w", pool_cap},
    {"power_reserved_w", of_report<&PoolReport::power_reserved_w>},
    {"usd_per_h",
     [](const EvaluationContext&, const PoolRow& pool) {
       return pool.totals.usd_per_h > 0 ? number_cell(pool.totals.usd_per_h) : TableCell();
     }},
    {"spend_usd_per_h", of_report<&PoolReport::spend_usd_per_h>},
    {"queued", of_report<&PoolReport::queued>},
}};

/// Empty for a class without finished jobs.
template <double Percentiles::*member>
TableCell of_values(const EvaluationContext&, const ClassReport& report) {
  return report.values.count == 0 ? TableCell() : number_cell(report.values.*member);
}

/// Empty for a class without a target, or without jobs in that time.
template <auto window>
TableCell burn_of(const EvaluationContext&, const ClassReport& report) {
  const double burn = class_burn(report).*window;
  return std::isnan(burn) ? TableCell() : number_cell(burn);
}

constexpr std::array<TableColumn<ClassReport>, 12> class_table = {{
    {"work_class", of<&ClassReport::name>},
    {"metric", of<&ClassReport::metric>},
    {"target",
     [](const EvaluationContext&, const ClassReport& report) {
       return report.target > 0 ? number_cell(report.target) : TableCell();
     }},
    {"p50", of_values<&Percentiles::p50>},
    {"p90", of_values<&Percentiles::p90>},
    {"p99", of_values<&Percentiles::p99>},
    {"max", of_values<&Percentiles::max>},
    {"within_target",
     [](const EvaluationContext&, const ClassReport& report) {
       return report.target > 0 ? count_cell(report.met) : TableCell();
     }},
    {"finished", of<&ClassReport::values, &Percentiles::count>},
    {"burn_5min", burn_of<&ClassBurn::short_window>},
    {"burn_1h", burn_of<&ClassBurn::long_window>},
    {"burns_fast",
     [](const EvaluationContext&, const ClassReport& report) {
       return report.target > 0 ? TableCell(class_burn(report).fast) : TableCell();
     }},
}};

using FlowRow = std::pair<const PoolFlowKey, PoolFlowCount>;

constexpr std::array<TableColumn<FlowRow>, 6> flow_table = {{
    {"preferred_pool", of<&FlowRow::first, &PoolFlowKey::wanted>},
    {"pool", of<&FlowRow::first, &PoolFlowKey::got>},
    {"fallback_reason", of<&FlowRow::first, &PoolFlowKey::reason>},
    {"fell_back", of<&FlowRow::first, &PoolFlowKey::fell_back>},
    {"jobs", of<&FlowRow::second, &PoolFlowCount::all>},
    {"jobs_per_min",
     [](const EvaluationContext& at, const FlowRow& flow) {
       return number_cell(at.model.per_min(flow.second, at.now));
     }},
}};

template <double FallbackCost::*member>
TableCell of_fallback(const EvaluationContext&, const FallbackLine& line) {
  return line.compared() ? number_cell(line.sum->*member) : TableCell();
}

constexpr std::array<TableColumn<FallbackLine>, 5> fallback_table = {{
    {"reason", of<&FallbackLine::reason>},
    {"jobs", of<&FallbackLine::jobs>},
    {"extra_cost_usd", of_fallback<&FallbackCost::cost_usd>},
    {"extra_energy_j", of_fallback<&FallbackCost::energy_j>},
    {"delay_s",
     [](const EvaluationContext& at, const FallbackLine& line) {
       const bool timed = line.sum != nullptr && line.sum->timed > 0;
       return timed ? of_fallback<&FallbackCost::finish_s>(at, line) : TableCell();
     }},
}};

TableCell raised_now(const EvaluationContext& at, const AlertRuleText& rule) {
  const auto raised = raised_alerts(at.model);
  return count_cell(static_cast<std::uint64_t>(
      std::count_if(raised.begin(), raised.end(),
                    [&](const LogEntry& entry) { return entry.rule == rule.name; })));
}

constexpr std::array<TableColumn<AlertRuleText>, 9> alert_rule_table = {{
    {"rule", of<&AlertRuleText::name>},
    {"raised", raised_now},
    {"severity", of<&AlertRuleText::severity>},
    {"subject_kind", of<&AlertRuleText::about>},
    {"when", of<&AlertRuleText::when>},
    {"clear", of<&AlertRuleText::clear>},
    {"raise_after_s",
     [](const EvaluationContext&, const AlertRuleText& rule) {
       return number_cell(to_seconds(rule.raise_after));
     }},
    {"clear_after_s",
     [](const EvaluationContext&, const AlertRuleText& rule) {
       return number_cell(to_seconds(rule.clear_after));
     }},
    {"help", of<&AlertRuleText::help>},
}};

template <KnownSum UserTotals::*sum>
TableCell of_user_sum(const EvaluationContext&, const UserTotals& user) {
  return number_cell((user.*sum).sum);
}

constexpr std::array<TableColumn<UserTotals>, 11> user_table = {{
    {"tenant", of<&UserTotals::tenant>},
    {"user", of<&UserTotals::user>},
    {"hosts", of<&UserTotals::hosts>},
    {"devices", of<&UserTotals::devices>},
    {"memory_bytes", of_user_sum<&UserTotals::memory_bytes>},
    {"power_w", of_user_sum<&UserTotals::power_w>},
    {"usd_per_h", of_user_sum<&UserTotals::usd_per_h>},
    {"running", of<&UserTotals::running>},
    {"waiting", of<&UserTotals::waiting>},
    {"processes", of<&UserTotals::processes>},
    {"oldest_s",
     [](const EvaluationContext& at, const UserTotals& user) {
       return user.oldest ? number_cell(to_seconds(at.now - user.oldest_at)) : TableCell();
     }},
}};

const PoolReport* report_of(const Model& model, std::string_view pool) {
  if (!model.summary()) return nullptr;
  const auto report = std::ranges::find(model.summary()->pools, pool, &PoolReport::name);
  return report == model.summary()->pools.end() ? nullptr : &*report;
}

}  // namespace

TableRows pool_rows(const TableSource& from) {
  const Model& model = from.model();
  const auto counts = [&](DeviceTable::Row row) {
    return from.fleet_filter().shows(row) &&
           (!from.query.only || model.id_of(row) == *from.query.only);
  };
  const std::vector<PoolTotals> totals = pool_totals_of(model, from.at.now, counts);
  TableBuilder<PoolRow> rows(from.at, pool_table);
  for (std::size_t i = 0; i < totals.size(); ++i) {
    const bool named = i < model.pools().size();
    if (!named && totals[i].devices == 0) continue;
    PoolRow pool{named ? std::string_view(model.pools()[i]) : std::string_view(), totals[i]};
    if (named && !from.filtered()) pool.report = report_of(model, pool.name);
    rows.add(pool);
  }
  // Pools without devices, which jobs may wait for.
  if (from.filtered() || !model.summary()) return rows.take();
  for (const PoolReport& report : model.summary()->pools) {
    const auto& known = model.pools();
    if (std::find(known.begin(), known.end(), report.name) == known.end()) {
      rows.add({report.name, {}, &report});
    }
  }
  return rows.take();
}

TableRows user_rows(const TableSource& from) {
  const Model& model = from.model();
  const auto counts_device = [&](DeviceTable::Row row) {
    return from.fleet_filter().shows(row) &&
           (!from.query.only || model.id_of(row) == *from.query.only);
  };
  const auto counts_job = [&](const JobChanged& job) {
    return from.fleet_filter().shows(model, job) && from.is_of(job.target);
  };
  Usage usage = usage_of(model, from.at.now, counts_device, counts_job);
  std::ranges::stable_sort(usage.users, [](const UserTotals& a, const UserTotals& b) {
    return !std::isnan(a.power_w.sum) && !(a.power_w.sum <= b.power_w.sum);
  });
  TableBuilder<UserTotals> rows(from.at, user_table);
  for (const UserTotals& user : usage.users) rows.add(user);
  return rows.take();
}

TableRows class_rows(const TableSource& from) {
  TableBuilder<ClassReport> rows(from.at, class_table);
  if (const auto& summary = from.model().summary()) {
    for (const ClassReport& report : summary->classes) rows.add(report);
  }
  return rows.take();
}

TableRows flow_rows(const TableSource& from) {
  TableBuilder<FlowRow> rows(from.at, flow_table);
  for (const FlowRow& flow : from.model().flows()) rows.add(flow);
  return rows.take();
}

TableRows fallback_rows(const TableSource& from) {
  TableBuilder<FallbackLine> rows(from.at, fallback_table);
  if (const auto& summary = from.model().summary()) {
    for (const FallbackLine& line : fallback_lines(*summary)) rows.add(line);
  }
  return rows.take();
}

TableRows alert_rule_rows(const TableSource& from) {
  TableBuilder<AlertRuleText> rows(from.at, alert_rule_table);
  for (const LogEntry& entry : alert_rules(from.model())) {
    if (const AlertRuleText* const rule = rule_named(from.model(), entry.rule)) rows.add(*rule);
  }
  return rows.take();
}

}  // namespace drover::tui
