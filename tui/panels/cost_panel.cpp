#include "tui/panels/cost_panel.h"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "fleet/base/units.h"
#include "tui/panels/panels.h"
#include "tui/tables/columns.h"

namespace drover::tui {
namespace {

constexpr int cost_label_columns = 9;
constexpr double power_near_cap = 0.90, power_at_cap = 0.99;
constexpr double joules_per_kwh = 3.6e6;

/// Columns of the two tables, from the right edge: a number and its share of the whole.
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

void draw_titles(Pen& pen, int row, std::string_view title) {
  const TableColumns at = lay_out(pen.columns());
  pen.field(0, row, at.energy, title, Role::faint);
  pen.field(at.energy, row, number_columns, "ENERGY", Role::faint, Align::right);
  pen.field(at.cost, row, number_columns, "COST", Role::faint, Align::right);
}

void draw_number(Pen& pen, int column, int row, double value, std::string (*text)(double)) {
  pen.field(column, row, number_columns, known_text(value, text),
            std::isnan(value) ? Role::faint : Role::plain, Align::right);
}

void draw_share(Pen& pen, int column, int row, double share) {
  pen.field(column, row, share_columns, std::isnan(share) ? "" : percent_text(share), Role::faint,
            Align::right);
}

/// What went somewhere; NaN where nobody tells.
struct Spent {
  double energy_j = absent, cost_usd = absent;
};

double ratio(double part, double whole) { return whole > 0 ? part / whole : absent; }

void draw_spent(Pen& pen, int row, std::string_view label, const Spent& part, const Spent& whole,
                bool shares = true) {
  const TableColumns at = lay_out(pen.columns());
  pen.field(0, row, at.energy, label);
  draw_number(pen, at.energy, row, part.energy_j, joules_text);
  draw_number(pen, at.cost, row, part.cost_usd, dollars_text);
  if (!shares) return;
  draw_share(pen, at.energy_share, row, ratio(part.energy_j, whole.energy_j));
  draw_share(pen, at.cost_share, row, ratio(part.cost_usd, whole.cost_usd));
}

/// Where the energy and the money went since the ledger began.
void draw_so_far(Pen& pen, int row, const std::optional<Summary>& summary) {
  Spent fleet, charged, wasted, rest;
  if (summary) {
    fleet = {summary->fleet_energy_j, summary->fleet_cost_usd};
    charged = {summary->charged.energy_j, summary->charged.cost_usd};
    wasted = {summary->wasted.energy_j, summary->wasted.cost_usd};
    rest = {std::max(0.0, fleet.energy_j - charged.energy_j - wasted.energy_j),
            std::max(0.0, fleet.cost_usd - charged.cost_usd - wasted.cost_usd)};
  }
  draw_titles(pen, row, "SO FAR");
  const std::string all =
      summary ? fmt::format("fleet, {:.2f} kWh", fleet.energy_j / joules_per_kwh) : "fleet";
  draw_spent(pen, row + 1, all, fleet, fleet, false);
  draw_spent(pen, row + 2, "finished jobs", charged, fleet);
  draw_spent(pen, row + 3, "lost attempts", wasted, fleet);
  draw_spent(pen, row + 4, "idle and open", rest, fleet);
}

Spent per(const Production& work, double units) {
  const auto count = static_cast<double>(work.units);
  return {units * ratio(work.charged.energy_j, count), units * ratio(work.charged.cost_usd, count)};
}

/// What finished jobs were charged over what they delivered, of one sort at a time: idle devices
/// and lost attempts are nobody's.
void draw_per_unit(Pen& pen, int row, const std::optional<Summary>& summary) {
  const Summary sums = summary.value_or(Summary{});
  draw_titles(pen, row, "PER, CHARGED");
  draw_spent(pen, row + 1, "1M tokens", per(sums.tokens_work, 1e6), {}, false);
  draw_spent(pen, row + 2, "1k training steps", per(sums.steps_work, 1e3), {}, false);
  const auto count = [](std::uint64_t number, std::string_view one) {
    return fmt::format("{} {}{}", count_text(static_cast<double>(number)), one,
                       number == 1 ? "" : "s");
  };
  pen.field(0, row + 3, pen.columns(),
            summary ? fmt::format("{}, {} of finished jobs", count(sums.tokens_work.units, "token"),
                                  count(sums.steps_work.units, "step"))
                    : std::string(),
            Role::faint);
}

void draw_spending(const Scene& scene, Pen& pen, int row) {
  pen.text(0, row, "spends", Role::faint);
  const auto& summary = scene.model.summary();
  const bool known = summary && !summary->pools.empty() && !scene.model.is_silent(scene.now);
  const double spend = known ? summary->spend_usd_per_h : absent;
  const double budget = known ? summary->budget_usd_per_h : 0;
  if (budget <= 0) {
    pen.field(
        cost_label_columns, row, pen.columns() - cost_label_columns,
        known ? fmt::format("{} an hour, no budget", dollars_text(spend)) : std::string(not_known),
        known ? Role::plain : Role::faint);
    return;
  }
  const double share = spend / budget;
  pen.gauge(cost_label_columns, row, pen.columns() - cost_label_columns, share,
            fmt::format("{} of {} an hour", dollars_text(spend), dollars_text(budget)),
            fill_role(share, power_near_cap, 1));
}

void draw_now(const Scene& scene, Pen& pen, const Totals& totals) {
  // Some of the devices have no part of their own in the site's cap.
  const bool whole = !scene.choices.narrowing.active() && scene.model.policy().has_value();
  const double cap = whole ? scene.model.policy()->site_power_cap_w : 0;
  const double limit = cap > 0 ? cap : totals.power_limit_w;
  const bool known = !std::isnan(totals.power_w);
  const double share = limit > 0 ? totals.power_w / limit : absent;
  pen.text(0, 1, "draws", Role::faint);
  pen.gauge(cost_label_columns, 1, pen.columns() - cost_label_columns, share,
            known ? fmt::format("{} of {}{}", watts_text(totals.power_w), watts_text(limit),
                                cap > 0 ? " site cap" : " device caps")
                  : std::string(not_known),
            fill_role(share, power_near_cap, power_at_cap));
  draw_fact(pen, 0, 2, cost_label_columns, "price",
            totals.reporting > 0 && totals.usd_per_h > 0
                ? fmt::format("{}{} an hour, idle devices too", totals.price_known ? "" : "over ",
                              dollars_text(totals.usd_per_h))
                : std::string(not_known));
}

}  // namespace

void draw_costs(const Scene& scene, Pen pen, const Totals& totals, const std::string& note) {
  const auto& summary = scene.model.summary();
  pen.heading(0, "Power and money", note);
  draw_now(scene, pen, totals);
  pen.heading(3, "Accounts",
              scene.unnarrowed(summary ? "since " + to_clock_text(summary->started) : ""));
  draw_spending(scene, pen, 4);
  draw_fact(pen, 0, 5, cost_label_columns, "reserved",
            summary ? fmt::format("{} for work that no sample shows yet",
                                  watts_text(summary->power_reserved_w))
                    : std::string(not_known));
  draw_so_far(pen, 6, summary);
  draw_per_unit(pen, 11, summary);
}

}  // namespace drover::tui
