#include "tui/panels/fallback_panel.h"

#include <algorithm>
#include <cmath>

#include "fleet/base/units.h"
#include "tui/tables/device_columns.h"

namespace drover::tui {
namespace {

/// "+$1.94", "-88.0kJ"; a saving is drawn as good.
void draw_difference(DrawRegion& region, int column, int row, int width, double value,
                     std::string (*text)(double)) {
  const CellStyle style = value > 0   ? CellStyle::warm
                          : value < 0 ? CellStyle::good
                                      : CellStyle::faint;
  const std::string sign = value > 0 ? "+" : value < 0 ? "-" : "";
  region.field(column, row, width, sign + text(std::abs(value)), style, Align::right);
}

constexpr int jobs_at = 15, cost_at = 22, energy_at = 32, delay_at = 42, difference_columns = 9;

void draw_line(DrawRegion& region, int row, const FallbackLine& line) {
  region.field(0, row, jobs_at - 1, to_text(line.reason));
  region.field(jobs_at, row, 6, count_text(static_cast<double>(line.jobs)), CellStyle::plain,
               Align::right);
  if (!line.compared()) {
    for (const int column : {cost_at, energy_at, delay_at}) {
      region.field(column, row, difference_columns, not_known, CellStyle::faint, Align::right);
    }
    return;
  }
  const FallbackCost* const sum = line.sum;
  draw_difference(region, cost_at, row, difference_columns, sum->cost_usd, dollars_text);
  draw_difference(region, energy_at, row, difference_columns, sum->energy_j, joules_text);
  if (sum->timed == 0) {
    region.field(delay_at, row, difference_columns, not_known, CellStyle::faint, Align::right);
    return;
  }
  draw_difference(region, delay_at, row, difference_columns, sum->finish_s, duration_text);
}

}  // namespace

bool FallbackLine::compared() const {
  return sum != nullptr && (sum->cost_usd != 0 || sum->energy_j != 0 || sum->finish_s != 0);
}

std::vector<FallbackLine> fallback_lines(const Summary& sums) {
  std::vector<FallbackLine> lines;
  for (const auto& [reason, jobs] : sums.fallbacks) {
    lines.push_back({reason, jobs, nullptr});
    for (const FallbackCost& sum : sums.fallback_costs) {
      if (sum.reason == reason) lines.back().sum = &sum;
    }
  }
  std::stable_sort(lines.begin(), lines.end(),
                   [](const FallbackLine& a, const FallbackLine& b) { return a.jobs > b.jobs; });
  return lines;
}

int fallback_panel_rows(const Model& model) {
  const auto& summary = model.summary();
  return 2 + (summary ? static_cast<int>(summary->fallbacks.size()) : 0);
}

void draw_fallbacks(const FrameContext& frame, DrawRegion region) {
  const bool filtered = frame.ui.fleet_filter.active();
  region.heading(
      0, "Fallbacks",
      filtered ? frame.with_whole_fleet_note("~estimated") : "vs. preferred pool, ~estimated");
  const auto& summary = frame.model.summary();
  const std::vector<FallbackLine> lines =
      summary ? fallback_lines(*summary) : std::vector<FallbackLine>{};
  if (lines.empty()) {
    region.text(0, 1, summary ? "no job fell back" : "not reported by the router yet",
                CellStyle::faint);
    return;
  }
  region.field(0, 1, jobs_at - 1, "REASON", CellStyle::faint);
  region.field(jobs_at, 1, 6, "JOBS", CellStyle::faint, Align::right);
  region.field(cost_at, 1, difference_columns, "COST", CellStyle::faint, Align::right);
  region.field(energy_at, 1, difference_columns, "ENERGY", CellStyle::faint, Align::right);
  region.field(delay_at, 1, difference_columns, "DELAY", CellStyle::faint, Align::right);
  for (std::size_t i = 0; i < lines.size(); ++i)
    draw_line(region, static_cast<int>(i) + 2, lines[i]);
}

}  // namespace drover::tui
