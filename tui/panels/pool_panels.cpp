// The pools and the site, and the cost of fallbacks from one pool to another.
#include <algorithm>
#include <array>
#include <cmath>

#include <fmt/format.h>

#include "fleet/base/units.h"
#include "tui/canvas/fit_columns.h"
#include "tui/panels/panels.h"
#include "tui/tables/device_columns.h"
#include "tui/tables/job_list.h"

namespace drover::tui {
namespace {

constexpr std::size_t pool_lines_max = 24;  // further pools are counted in the heading
constexpr int words_columns_least = 22;     // after the numbers
constexpr double near_limit = 0.90, at_limit = 0.99;

/// A line of the panel: a pool or the site.
struct PoolLine {
  std::string name;
  const PoolReport* pool = nullptr;  // null: the site
  double power_w = absent, cap_w = 0, reserved_w = 0;
  double spend_usd_per_h = absent;
  std::uint64_t waiting = 0;
  bool cap_known = true;
};

struct PoolColumn {
  std::string_view title;
  int width;
  Align align;
  int rank;
};
constexpr std::array<PoolColumn, 6> pool_columns = {{{"POOL", 10, Align::left, 0},
                                                     {"USABLE", 9, Align::right, 1},
                                                     {"POWER", 19, Align::right, 2},
                                                     {"RESERVED", 8, Align::right, 5},
                                                     {"$/h", 7, Align::right, 3},
                                                     {"QUEUED", 6, Align::right, 4}}};

PoolLine line_of(const PoolReport& pool) {
  PoolLine line{pool.name, &pool};
  line.cap_w = pool.power_cap_w;
  line.waiting = pool.queued;
  // A pool without devices has no power or cost.
  if (pool.devices == 0) return line;
  line.power_w = pool.power_w;
  line.reserved_w = pool.power_reserved_w;
  line.spend_usd_per_h = pool.spend_usd_per_h;
  return line;
}

PoolLine site_line(const Model& model, const Summary& sums) {
  PoolLine line{"site"};
  line.power_w = sums.power_w;
  line.cap_known = model.policy().has_value();
  line.cap_w = model.site_cap_w();
  line.reserved_w = sums.power_reserved_w;
  line.spend_usd_per_h = sums.spend_usd_per_h;
  line.waiting = sums.queued;
  return line;
}

/// Why devices take no work; a device may be in several of these states.
std::string health_words(const PoolReport& pool) {
  struct State {
    std::uint64_t count;
    std::string_view word;
  };
  std::string words;
  for (const State& state :
       {State{pool.lost, "lost"}, State{pool.ejected, "ejected"}, State{pool.unusable, "unusable"},
        State{pool.suspect, "suspect"}, State{pool.drained, "drained"}}) {
    if (state.count == 0) continue;
    words += fmt::format("{}{} {}", words.empty() ? "" : ", ", state.count, state.word);
  }
  return words;
}

CellStyle health_role(const PoolReport& pool) {
  if (pool.devices == 0 && pool.lost == 0) return CellStyle::faint;
  if (pool.usable == 0) return CellStyle::critical;
  return pool.usable == pool.devices && pool.lost == 0 ? CellStyle::good : CellStyle::warm;
}

void draw_power(DrawRegion& region, int at, int row, int width, const PoolLine& line) {
  if (std::isnan(line.power_w)) {
    region.field(at, row, width, not_known, CellStyle::faint, Align::right);
    return;
  }
  if (line.cap_w <= 0) {
    region.field(at, row, width, watts_text(line.power_w) + (line.cap_known ? ", no cap" : ""),
                 CellStyle::plain, Align::right);
    return;
  }
  const double share = line.power_w / line.cap_w;
  region.gauge(at, row, width, share,
               fmt::format("{} of {}", watts_text(line.power_w), watts_text(line.cap_w)),
               gauge_style(share, near_limit, at_limit));
}

void draw_cell(DrawRegion& region, int at, int row, int width, const PoolColumn& column,
               const PoolLine& line) {
  const auto put = [&](const std::string& text, CellStyle style = CellStyle::plain) {
    region.field(at, row, width, text, text == not_known ? CellStyle::faint : style, column.align);
  };
  if (column.title == "POOL") {
    put(line.name, line.pool == nullptr ? CellStyle::strong : CellStyle::plain);
  } else if (column.title == "USABLE") {
    if (line.pool == nullptr) return;  // a sum would count a device of two pools twice
    const PoolReport& pool = *line.pool;
    put(pool.devices == 0 ? "none" : fmt::format("{} of {}", pool.usable, pool.devices),
        health_role(pool));
  } else if (column.title == "POWER") {
    draw_power(region, at, row, width, line);
  } else if (column.title == "RESERVED") {
    put(line.reserved_w > 0 ? "+" + watts_text(line.reserved_w) : "-", CellStyle::faint);
  } else if (column.title == "$/h") {
    put(known_text(line.spend_usd_per_h, dollars_text));
  } else {
    put(count_text(static_cast<double>(line.waiting)),
        line.waiting > 0 ? CellStyle::warm : CellStyle::faint);
  }
}

void draw_words(DrawRegion& region, int at, int row, const PoolLine& line,
                double budget_usd_per_h) {
  const int width = region.columns() - at;
  if (line.pool != nullptr) {
    region.field(at, row, width, health_words(*line.pool), health_role(*line.pool));
    return;
  }
  if (budget_usd_per_h <= 0) {
    region.field(at, row, width, "no budget", CellStyle::faint);
    return;
  }
  if (std::isnan(line.spend_usd_per_h)) {
    region.field(at, row, width, not_known, CellStyle::faint);
    return;
  }
  const double share = line.spend_usd_per_h / budget_usd_per_h;
  region.field(at, row, width,
               fmt::format("{} of {} budget", percent_text(share), dollars_text(budget_usd_per_h)),
               threshold_style(share, near_limit, 1));
}

/// A pool without devices and waiting jobs has no line.
bool is_empty(const PoolReport& pool) {
  return pool.devices == 0 && pool.lost == 0 && pool.queued == 0;
}

/// The pools with a line, and the numbers of the others.
struct ShownPools {
  std::vector<const PoolReport*> lines;
  std::size_t left_out = 0, empty = 0;
};

ShownPools shown_pools(const Summary& sums) {
  ShownPools shown;
  for (const PoolReport& pool : sums.pools) {
    if (is_empty(pool)) {
      ++shown.empty;
    } else if (shown.lines.size() < pool_lines_max) {
      shown.lines.push_back(&pool);
    } else {
      ++shown.left_out;
    }
  }
  return shown;
}

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

void draw_fallback(DrawRegion& region, int row, const FallbackLine& line) {
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

int pool_panel_rows(const Model& model) {
  if (!model.summary()) return 2;
  return 3 + static_cast<int>(shown_pools(*model.summary()).lines.size());
}

std::vector<std::string> listed_pools(const Model& model) {
  std::vector<std::string> names;
  if (!model.summary()) return names;
  for (const PoolReport* const pool : shown_pools(*model.summary()).lines) {
    names.push_back(pool->name);
  }
  return names;
}

void draw_pools(const FrameContext& frame, DrawRegion region) {
  if (!frame.model.summary()) {
    region.heading(0, "Pools");
    region.text(0, 1, "not reported by the router yet", CellStyle::faint);
    return;
  }
  const Summary& sums = *frame.model.summary();
  const ShownPools shown = shown_pools(sums);
  std::string note;
  if (shown.left_out > 0) note = fmt::format("{} more not shown", shown.left_out);
  if (shown.empty > 0) {
    note += fmt::format("{}{} without devices", note.empty() ? "" : ", ", shown.empty);
  }
  region.heading(0, fmt::format("Pools {}", sums.pools.size()), frame.with_whole_fleet_note(note));
  auto columns = fit_columns<PoolColumn>(pool_columns, 0, region.columns() - words_columns_least);
  if (region.columns() >= 100) widen(columns, "POOL", 6);  // room for longer names
  draw_column_titles(region, 1, columns, CellStyle::faint);
  for (std::size_t i = 0; i <= shown.lines.size(); ++i) {
    const int row = static_cast<int>(i) + pool_panel_first_row;
    PoolLine line =
        i < shown.lines.size() ? line_of(*shown.lines[i]) : site_line(frame.model, sums);
    if (frame.model.is_silent(frame.now)) line.power_w = line.spend_usd_per_h = absent;
    for (const auto& [column, at, width] : columns) {
      draw_cell(region, at, row, width, *column, line);
    }
    draw_words(region, column_after(columns, 0) + 1, row, line, sums.budget_usd_per_h);
    if (line.pool != nullptr && frame.ui.pool == line.name) region.tint(row, CellStyle::selected);
  }
}

int fallback_panel_rows(const Model& model) {
  const auto& summary = model.summary();
  return 2 + (summary ? static_cast<int>(summary->fallbacks.size()) : 0);
}

void draw_fallbacks(const FrameContext& frame, DrawRegion region) {
  // What the jobs cost more than in their preferred pools.
  const std::string note = "extra " + frame.counted_since();
  region.heading(0, "Fallbacks",
                 frame.ui.fleet_filter.active() ? frame.with_whole_fleet_note(note)
                                                : "sum of estimated " + note);
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
    draw_fallback(region, static_cast<int>(i) + 2, lines[i]);
}

}  // namespace drover::tui
