#include "tui/views/budget_panel.h"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "fleet/base/units.h"
#include "tui/model/spend_plan.h"
#include "tui/panels/power_charts.h"

namespace drover::tui {
namespace {

constexpr int budget_label_columns = 11, budget_number_columns = 9, bar_columns_least = 8;
constexpr double near_budget = 0.90, at_budget = 1;

struct BudgetLine {
  std::string label;
  double spent_usd = absent, planned_usd = absent;
};

/// "$1.85 left", or "$1.85 over".
std::string left_text(const BudgetLine& line) {
  if (std::isnan(line.spent_usd) || std::isnan(line.planned_usd)) return "";
  const double left = line.planned_usd - line.spent_usd;
  return fmt::format("{} {}", dollars_text(std::abs(left)), left < 0 ? "over" : "left");
}

void draw_budget_line(DrawRegion& region, int row, const BudgetLine& line) {
  const int spent = budget_label_columns, planned = spent + budget_number_columns + 1;
  const int left = planned + budget_number_columns + 2;
  const bool over = line.spent_usd > line.planned_usd;
  region.field(0, row, budget_label_columns, line.label, CellStyle::faint);
  region.field(spent, row, budget_number_columns, known_text(line.spent_usd, dollars_text),
               std::isnan(line.spent_usd) ? CellStyle::faint : CellStyle::plain, Align::right);
  region.field(planned, row, budget_number_columns, known_text(line.planned_usd, dollars_text),
               std::isnan(line.planned_usd) ? CellStyle::faint : CellStyle::plain, Align::right);
  region.field(left, row, std::max(0, region.columns() - left), left_text(line),
               over ? CellStyle::hot : CellStyle::good);
}

void draw_budget_titles(DrawRegion& region, int row) {
  const int planned = budget_label_columns + budget_number_columns + 1;
  region.field(budget_label_columns, row, budget_number_columns, "SPENT", CellStyle::faint,
               Align::right);
  region.field(planned, row, budget_number_columns, "PLANNED", CellStyle::faint, Align::right);
}

/// The rate on a scale that has room above the budget, which is marked; the numbers stand behind
/// it.
void draw_rate(const FrameContext& frame, DrawRegion& region, int row) {
  const Summary* const sums = spend_sums(frame);
  const std::string text = spend_text(frame);
  const int width = region.columns() - budget_label_columns - columns_of(text) - 1;
  if (sums == nullptr || sums->budget_usd_per_h <= 0 || width < bar_columns_least) {
    return draw_fact(region, 0, row, budget_label_columns, "busy now", text);
  }
  const double spend = sums->spend_usd_per_h, budget = sums->budget_usd_per_h;
  const double most = std::max(spend, budget) * 1.2;
  region.text(0, row, "busy now", CellStyle::faint);
  region.gauge(budget_label_columns, row, width, spend / most, "",
               gauge_style(spend / budget, near_budget, at_budget));
  const int mark = static_cast<int>(std::lround(budget / most * width));
  if (mark < width) {
    region.text(budget_label_columns + mark, row, region.ascii() ? "|" : "┃", CellStyle::strong);
  }
  region.text(budget_label_columns + width + 1, row, text);
}

/// How long the budget of a day lasts at this rate; empty without a budget.
std::string lasts_text(double spend, double budget) {
  constexpr Duration day = std::chrono::hours(24);
  const auto lasts = budget_lasts(spend, budget, day);
  if (!lasts) return {};
  return "a day's budget lasts " + duration_text(to_seconds(*lasts));
}

}  // namespace

int budget_panel_rows(const Model& model) {
  const auto& sums = model.summary();
  return sums && sums->budget_usd_per_h > 0 ? 6 : 3;
}

void draw_budget(const FrameContext& frame, DrawRegion region) {
  const Summary* const sums = spend_sums(frame);
  const double spend = sums == nullptr ? absent : sums->spend_usd_per_h;
  const double budget =
      sums == nullptr || sums->budget_usd_per_h <= 0 ? absent : sums->budget_usd_per_h;
  region.heading(0, std::isnan(budget) ? "Spend of busy devices" : "Spend against budget",
                 frame.with_whole_fleet_note(lasts_text(spend, budget)));
  draw_rate(frame, region, 1);
  if (std::isnan(budget)) {
    const std::string sum =
        fmt::format("{} in a day, {} in 30 days", known_text(24 * spend, dollars_text),
                    known_text(30 * 24 * spend, dollars_text));
    return draw_fact(region, 0, 2, budget_label_columns, "adds up to", sum);
  }
  draw_budget_titles(region, 2);
  const Duration second = from_seconds(frame.options.speed);
  const SpentAndPlanned recent = spent_and_planned(
      frame.model.trend(), frame.now - std::min(recent_points_s * second, frame.now - Instant{}),
      frame.now, 2 * second);
  const bool known = recent.covered > Duration{0};
  draw_budget_line(region, 3,
                   {known ? "last " + duration_text(to_seconds(recent.covered)) : "last minutes",
                    known ? recent.spent_usd : absent, known ? recent.planned_usd : absent});
  draw_budget_line(region, 4, {"in a day", 24 * spend, 24 * budget});
  draw_budget_line(region, 5, {"in 30 days", 30 * 24 * spend, 30 * 24 * budget});
}

}  // namespace drover::tui
