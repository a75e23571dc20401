#include "tui/panels/fallback_panel.h"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "fleet/base/units.h"
#include "tui/tables/columns.h"

namespace drover::tui {
namespace {

/// "+$1.94", "-88.0kJ"; saved is good.
void draw_difference(Pen& pen, int column, int row, int width, double value,
                     std::string (*text)(double)) {
  const Role role = value > 0 ? Role::warm : value < 0 ? Role::good : Role::faint;
  const std::string sign = value > 0 ? "+" : value < 0 ? "-" : "";
  pen.field(column, row, width, sign + text(std::abs(value)), role, Align::right);
}

constexpr int jobs_at = 13, cost_at = 20, energy_at = 30, later_at = 40, difference_columns = 9;

void draw_line(Pen& pen, int row, const FallbackLine& line) {
  pen.field(0, row, jobs_at - 1, to_text(line.reason));
  pen.field(jobs_at, row, 6, count_text(static_cast<double>(line.jobs)), Role::plain, Align::right);
  if (!line.compared()) {
    for (const int column : {cost_at, energy_at, later_at}) {
      pen.field(column, row, difference_columns, not_known, Role::faint, Align::right);
    }
    return;
  }
  const FallbackSum* const sum = line.sum;
  draw_difference(pen, cost_at, row, difference_columns, sum->cost_usd, dollars_text);
  draw_difference(pen, energy_at, row, difference_columns, sum->energy_j, joules_text);
  if (sum->timed == 0) {
    pen.field(later_at, row, difference_columns, not_known, Role::faint, Align::right);
    return;
  }
  draw_difference(pen, later_at, row, difference_columns, sum->finish_s, duration_text);
}

}  // namespace

bool FallbackLine::compared() const {
  return sum != nullptr && (sum->cost_usd != 0 || sum->energy_j != 0 || sum->finish_s != 0);
}

std::vector<FallbackLine> fallback_lines(const Summary& sums) {
  std::vector<FallbackLine> lines;
  for (const auto& [reason, jobs] : sums.fallbacks) {
    lines.push_back({reason, jobs, nullptr});
    for (const FallbackSum& sum : sums.fallback_costs) {
      if (sum.reason == reason) lines.back().sum = &sum;
    }
  }
  std::stable_sort(lines.begin(), lines.end(),
                   [](const FallbackLine& a, const FallbackLine& b) { return a.jobs > b.jobs; });
  return lines;
}

int fallback_panel_rows(const Model& model) {
  const auto& summary = model.summary();
  const std::size_t reasons = summary ? summary->fallbacks.size() : 0;
  return reasons == 0 ? 2 : 2 + static_cast<int>(reasons);
}

void draw_fallbacks(const Scene& scene, Pen pen) {
  const bool narrowed = scene.choices.narrowing.active();
  pen.heading(0, "Fallbacks",
              narrowed ? scene.unnarrowed("~estimated") : "against the wanted pool, ~estimated");
  const auto& summary = scene.model.summary();
  const std::vector<FallbackLine> lines =
      summary ? fallback_lines(*summary) : std::vector<FallbackLine>{};
  if (lines.empty()) {
    pen.text(0, 1, summary ? "no job fell back" : "the router has told no sums yet", Role::faint);
    return;
  }
  pen.field(0, 1, jobs_at - 1, "FOR", Role::faint);
  pen.field(jobs_at, 1, 6, "JOBS", Role::faint, Align::right);
  pen.field(cost_at, 1, difference_columns, "COST", Role::faint, Align::right);
  pen.field(energy_at, 1, difference_columns, "ENERGY", Role::faint, Align::right);
  pen.field(later_at, 1, difference_columns, "LATER", Role::faint, Align::right);
  for (std::size_t i = 0; i < lines.size(); ++i) draw_line(pen, static_cast<int>(i) + 2, lines[i]);
}

}  // namespace drover::tui
