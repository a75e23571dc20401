#include "tui/panels/cost_panel.h"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "fleet/base/units.h"
#include "tui/panels/panels.h"
#include "tui/tables/device_columns.h"

namespace drover::tui {
namespace {

constexpr int cost_label_columns = 11;
constexpr double power_near_cap = 0.90, power_at_cap = 0.99;
constexpr double joules_per_kwh = 3.6e6;

/// Columns of the two tables, laid out from the right edge: a number and its share of the total.
constexpr int number_columns = 9, share_columns = 5;

struct TableColumns {
  int energy, energy_share, cost, cost_share;
};

TableColumns lay_out(int columns) {
  const int cost_share = columns - share_columns;
  const int cost = cost_share - number_columns;
  const int energy_share = cost - share_columns - 1;
  return {energy_share - number_columns, energy_share, cost, cost_share};
}

void draw_titles(DrawRegion& region, int row, std::string_view title) {
  const TableColumns at = lay_out(region.columns());
  region.field(0, row, at.energy, title, CellStyle::faint);
  region.field(at.energy, row, number_columns, "ENERGY", CellStyle::faint, Align::right);
  region.field(at.cost, row, number_columns, "COST", CellStyle::faint, Align::right);
}

void draw_number(DrawRegion& region, int column, int row, double value,
                 std::string (*text)(double)) {
  region.field(column, row, number_columns, known_text(value, text),
               std::isnan(value) ? CellStyle::faint : CellStyle::plain, Align::right);
}

void draw_share(DrawRegion& region, int column, int row, double share) {
  region.field(column, row, share_columns, std::isnan(share) ? "" : percent_text(share),
               CellStyle::faint, Align::right);
}

/// Energy and cost; NaN if unknown.
struct Spent {
  double energy_j = absent, cost_usd = absent;
};

double ratio(double part, double whole) { return whole > 0 ? part / whole : absent; }

void draw_spent(DrawRegion& region, int row, std::string_view label, const Spent& part,
                const Spent& whole, bool shares = true) {
  const TableColumns at = lay_out(region.columns());
  region.field(0, row, at.energy, label);
  draw_number(region, at.energy, row, part.energy_j, joules_text);
  draw_number(region, at.cost, row, part.cost_usd, dollars_text);
  if (!shares) return;
  draw_share(region, at.energy_share, row, ratio(part.energy_j, whole.energy_j));
  draw_share(region, at.cost_share, row, ratio(part.cost_usd, whole.cost_usd));
}

/// Energy and cost by use since the ledger began.
void draw_total(DrawRegion& region, int row, const std::optional<Summary>& summary) {
  Spent fleet, charged, wasted, rest;
  if (summary) {
    fleet = {summary->fleet_energy_j, summary->fleet_cost_usd};
    charged = {summary->charged.energy_j, summary->charged.cost_usd};
    wasted = {summary->wasted.energy_j, summary->wasted.cost_usd};
    rest = {std::max(0.0, fleet.energy_j - charged.energy_j - wasted.energy_j),
            std::max(0.0, fleet.cost_usd - charged.cost_usd - wasted.cost_usd)};
  }
  draw_titles(region, row, "TOTAL");
  const std::string all =
      summary ? fmt::format("fleet, {:.2f} kWh", fleet.energy_j / joules_per_kwh) : "fleet";
  draw_spent(region, row + 1, all, fleet, fleet, false);
  draw_spent(region, row + 2, "finished jobs", charged, fleet);
  draw_spent(region, row + 3, "lost attempts", wasted, fleet);
  draw_spent(region, row + 4, "idle and open", rest, fleet);
}

Spent per(const DeliveredWork& work, double units) {
  const auto count = static_cast<double>(work.units);
  return {units * ratio(work.charged.energy_j, count), units * ratio(work.charged.cost_usd, count)};
}

/// The charges of finished jobs per unit of their output, by kind of output. Idle devices and lost
/// attempts are not included.
void draw_per_unit(DrawRegion& region, int row, const std::optional<Summary>& summary) {
  const Summary sums = summary.value_or(Summary{});
  draw_titles(region, row, "CHARGED PER");
  draw_spent(region, row + 1, "1M tokens", per(sums.tokens_work, 1e6), {}, false);
  draw_spent(region, row + 2, "1k training steps", per(sums.steps_work, 1e3), {}, false);
  const auto count = [](std::uint64_t number, std::string_view one) {
    return fmt::format("{} {}{}", count_text(static_cast<double>(number)), one,
                       number == 1 ? "" : "s");
  };
  region.field(0, row + 3, region.columns(),
               summary
                   ? fmt::format("{}, {} of finished jobs", count(sums.tokens_work.units, "token"),
                                 count(sums.steps_work.units, "step"))
                   : std::string(),
               CellStyle::faint);
}

void draw_spending(const FrameContext& frame, DrawRegion& region, int row) {
  region.text(0, row, "in use", CellStyle::faint);
  const auto& summary = frame.model.summary();
  const bool known = summary && !summary->pools.empty() && !frame.model.is_silent(frame.now);
  const double spend = known ? summary->spend_usd_per_h : absent;
  const double budget = known ? summary->budget_usd_per_h : 0;
  if (budget <= 0) {
    region.field(
        cost_label_columns, row, region.columns() - cost_label_columns,
        known ? fmt::format("{} an hour, no budget", dollars_text(spend)) : std::string(not_known),
        known ? CellStyle::plain : CellStyle::faint);
    return;
  }
  const double share = spend / budget;
  region.gauge(cost_label_columns, row, region.columns() - cost_label_columns, share,
               fmt::format("{} of {} an hour", dollars_text(spend), dollars_text(budget)),
               gauge_style(share, power_near_cap, 1));
}

void draw_now(const FrameContext& frame, DrawRegion& region, const Totals& totals) {
  // The site's cap does not apply to a part of the devices.
  const bool whole = !frame.ui.fleet_filter.active() && frame.model.policy().has_value();
  const double cap = whole ? frame.model.policy()->site_power_cap_w : 0;
  const double limit = cap > 0 ? cap : totals.power_limit_w;
  const bool known = !std::isnan(totals.power_w);
  const double share = limit > 0 ? totals.power_w / limit : absent;
  region.text(0, 1, "power now", CellStyle::faint);
  region.gauge(cost_label_columns, 1, region.columns() - cost_label_columns, share,
               known ? fmt::format("{} of {}{}", watts_text(totals.power_w), watts_text(limit),
                                   cap > 0 ? " site cap" : " device caps")
                     : std::string(not_known),
               gauge_style(share, power_near_cap, power_at_cap));
  draw_fact(region, 0, 2, cost_label_columns, "list price",
            totals.reporting > 0 && totals.usd_per_h > 0
                ? fmt::format("{}{} an hour, with idle devices", totals.price_known ? "" : "over ",
                              dollars_text(totals.usd_per_h))
                : std::string(not_known));
}

}  // namespace

void draw_costs(const FrameContext& frame, DrawRegion region, const Totals& totals,
                const std::string& note) {
  const auto& summary = frame.model.summary();
  region.heading(0, "Power and cost", note);
  draw_now(frame, region, totals);
  region.heading(
      3, "Accounting",
      frame.with_whole_fleet_note(summary ? "since " + to_clock_text(summary->started) : ""));
  draw_spending(frame, region, 4);
  draw_fact(
      region, 0, 5, cost_label_columns, "reserved",
      summary ? fmt::format("{} for work not yet in samples", watts_text(summary->power_reserved_w))
              : std::string(not_known));
  draw_total(region, 6, summary);
  draw_per_unit(region, 11, summary);
}

}  // namespace drover::tui
