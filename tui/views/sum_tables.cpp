// Tables of sums, and of the rules of alerts.
#include <algorithm>
#include <array>

#include "tui/panels/fallback_panel.h"
#include "tui/tables/news.h"
#include "tui/views/table_columns.h"

namespace drover::tui {
namespace {

/// A pool as its devices tell it and as the router does; the last one, without a name, is of
/// devices of no pool.
struct PoolRow {
  std::string_view name;
  PoolTotals totals;
  const PoolReport* report = nullptr;  // null: not told, or of other devices than are asked for
};

TableCell pool_cap(const Judged& at, const PoolRow& pool) {
  if (!at.model.policy()) return {};
  for (const PoolLimits& limits : at.model.policy()->pools) {
    if (limits.name == pool.name && limits.power_cap_w > 0) return limits.power_cap_w;
  }
  return {};
}

template <auto member>
TableCell told_of(const Judged&, const PoolRow& pool) {
  if (pool.report == nullptr) return {};
  return static_cast<double>(pool.report->*member);
}

constexpr std::array<TableColumn<PoolRow>, 15> pool_table = {{
    {"pool", [](const Judged&, const PoolRow& pool) { return text_cell(pool.name); }},
    {"devices", [](const Judged&, const PoolRow& pool) { return count_cell(pool.totals.devices); }},
    {"reporting",
     [](const Judged&, const PoolRow& pool) { return count_cell(pool.totals.reporting); }},
    {"usable", told_of<&PoolReport::usable>},
    {"unusable", told_of<&PoolReport::unusable>},
    {"drained", told_of<&PoolReport::drained>},
    {"ejected", told_of<&PoolReport::ejected>},
    {"suspect", told_of<&PoolReport::suspect>},
    {"lost", told_of<&PoolReport::lost>},
    {"power_w",
     [](const Judged&, const PoolRow& pool) { return number_cell(pool.totals.power_w); }},
    {"power_cap_w", pool_cap},
    {"power_reserved_w", told_of<&PoolReport::power_reserved_w>},
    {"usd_per_h",
     [](const Judged&, const PoolRow& pool) {
       return pool.totals.usd_per_h > 0 ? number_cell(pool.totals.usd_per_h) : TableCell();
     }},
    {"working_usd_per_h", told_of<&PoolReport::spend_usd_per_h>},
    {"waiting", told_of<&PoolReport::queued>},
}};

/// Of a class of which nothing has finished yet no number is known.
template <double Percentiles::*member>
TableCell of_values(const Judged&, const ClassReport& report) {
  return report.values.count == 0 ? TableCell() : number_cell(report.values.*member);
}

constexpr std::array<TableColumn<ClassReport>, 9> class_table = {{
    {"class", [](const Judged&, const ClassReport& report) { return text_cell(report.name); }},
    {"metric",
     [](const Judged&, const ClassReport& report) { return text_cell(to_text(report.metric)); }},
    {"target",
     [](const Judged&, const ClassReport& report) {
       return report.target > 0 ? number_cell(report.target) : TableCell();
     }},
    {"p50", of_values<&Percentiles::p50>},
    {"p90", of_values<&Percentiles::p90>},
    {"p99", of_values<&Percentiles::p99>},
    {"most", of_values<&Percentiles::max>},
    {"within_target",
     [](const Judged&, const ClassReport& report) {
       return report.target > 0 ? count_cell(report.met) : TableCell();
     }},
    {"finished",
     [](const Judged&, const ClassReport& report) { return count_cell(report.values.count); }},
}};

using Flow = std::pair<const FlowKey, FlowCount>;

constexpr std::array<TableColumn<Flow>, 5> flow_table = {{
    {"wanted_pool", [](const Judged&, const Flow& flow) { return text_cell(flow.first.wanted); }},
    {"pool", [](const Judged&, const Flow& flow) { return text_cell(flow.first.got); }},
    {"fallback_reason",
     [](const Judged&, const Flow& flow) { return reason_cell(flow.first.reason); }},
    {"jobs", [](const Judged&, const Flow& flow) { return count_cell(flow.second.all); }},
    {"jobs_per_min",
     [](const Judged& at, const Flow& flow) {
       return number_cell(at.model.per_min(flow.second, at.now));
     }},
}};

template <double FallbackSum::*member>
TableCell of_fallback(const Judged&, const FallbackLine& line) {
  return line.compared() ? number_cell(line.sum->*member) : TableCell();
}

constexpr std::array<TableColumn<FallbackLine>, 5> fallback_table = {{
    {"reason",
     [](const Judged&, const FallbackLine& line) { return text_cell(to_text(line.reason)); }},
    {"jobs", [](const Judged&, const FallbackLine& line) { return count_cell(line.jobs); }},
    {"more_cost_usd", of_fallback<&FallbackSum::cost_usd>},
    {"more_energy_j", of_fallback<&FallbackSum::energy_j>},
    {"later_s",
     [](const Judged& at, const FallbackLine& line) {
       const bool timed = line.sum != nullptr && line.sum->timed > 0;
       return timed ? of_fallback<&FallbackSum::finish_s>(at, line) : TableCell();
     }},
}};

TableCell raised_now(const Judged& at, const AlertRuleText& rule) {
  const auto raised = raised_alerts(at.model);
  return count_cell(static_cast<std::uint64_t>(std::count_if(
      raised.begin(), raised.end(), [&](const News& news) { return news.rule == rule.name; })));
}

constexpr std::array<TableColumn<AlertRuleText>, 9> alert_rule_table = {{
    {"rule", [](const Judged&, const AlertRuleText& rule) { return text_cell(rule.name); }},
    {"raised", raised_now},
    {"severity",
     [](const Judged&, const AlertRuleText& rule) { return text_cell(to_text(rule.severity)); }},
    {"about", [](const Judged&, const AlertRuleText& rule) { return text_cell(rule.about); }},
    {"when", [](const Judged&, const AlertRuleText& rule) { return text_cell(rule.when); }},
    {"clear", [](const Judged&, const AlertRuleText& rule) { return text_cell(rule.clear); }},
    {"raise_after_s",
     [](const Judged&, const AlertRuleText& rule) {
       return number_cell(to_seconds(rule.raise_after));
     }},
    {"clear_after_s",
     [](const Judged&, const AlertRuleText& rule) {
       return number_cell(to_seconds(rule.clear_after));
     }},
    {"help", [](const Judged&, const AlertRuleText& rule) { return text_cell(rule.help); }},
}};

const PoolReport* report_of(const Model& model, std::string_view pool) {
  if (!model.summary()) return nullptr;
  for (const PoolReport& report : model.summary()->pools) {
    if (report.name == pool) return &report;
  }
  return nullptr;
}

}  // namespace

TableRows pool_rows(const TableSource& from) {
  const Model& model = from.scene.model;
  const auto counts = [&](DeviceTable::Row row) {
    return from.narrowing().shows(row) && (!from.only || model.id_of(row) == *from.only);
  };
  const std::vector<PoolTotals> totals = pool_totals_of(model, from.scene.now, counts);
  TableOf<PoolRow> rows(from.at, pool_table);
  for (std::size_t i = 0; i < totals.size(); ++i) {
    const bool named = i < model.pools().size();
    if (!named && totals[i].devices == 0) continue;
    PoolRow pool{named ? std::string_view(model.pools()[i]) : std::string_view(), totals[i]};
    if (named && !from.narrowed()) pool.report = report_of(model, pool.name);
    rows.add(pool);
  }
  // Those that no device is in yet, which jobs may wait for.
  if (from.narrowed() || !model.summary()) return rows.take();
  for (const PoolReport& report : model.summary()->pools) {
    const auto& known = model.pools();
    if (std::find(known.begin(), known.end(), report.name) == known.end()) {
      rows.add({report.name, {}, &report});
    }
  }
  return rows.take();
}

TableRows class_rows(const TableSource& from) {
  TableOf<ClassReport> rows(from.at, class_table);
  if (const auto& summary = from.scene.model.summary()) {
    for (const ClassReport& report : summary->classes) rows.add(report);
  }
  return rows.take();
}

TableRows flow_rows(const TableSource& from) {
  TableOf<Flow> rows(from.at, flow_table);
  for (const Flow& flow : from.scene.model.flows()) rows.add(flow);
  return rows.take();
}

TableRows fallback_rows(const TableSource& from) {
  TableOf<FallbackLine> rows(from.at, fallback_table);
  if (const auto& summary = from.scene.model.summary()) {
    for (const FallbackLine& line : fallback_lines(*summary)) rows.add(line);
  }
  return rows.take();
}

TableRows alert_rule_rows(const TableSource& from) {
  TableOf<AlertRuleText> rows(from.at, alert_rule_table);
  for (const News& news : alert_rules(from.scene.model)) {
    if (const AlertRuleText* const rule = rule_named(from.scene.model, news.rule)) rows.add(*rule);
  }
  return rows.take();
}

}  // namespace drover::tui
