// The page above the list of decisions: flows, the cost of fallbacks, and the pools.

#include <algorithm>
#include <array>

#include <fmt/format.h>

#include "fleet/base/units.h"
#include "tui/canvas/fit_columns.h"
#include "tui/panels/fallback_panel.h"
#include "tui/tables/device_columns.h"
#include "tui/views/routing_view.h"

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
                                                     {"$/HOUR", 7, Align::right, 3},
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
  } else if (column.title == "$/HOUR") {
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

/// Heading, column titles, a line per pool, and a line of the site.
int pool_panel_rows(const Model& model) {
  if (!model.summary()) return 2;
  return 3 + static_cast<int>(shown_pools(*model.summary()).lines.size());
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
    const int row = static_cast<int>(i) + 2;
    PoolLine line =
        i < shown.lines.size() ? line_of(*shown.lines[i]) : site_line(frame.model, sums);
    if (frame.model.is_silent(frame.now)) line.power_w = line.spend_usd_per_h = absent;
    for (const auto& [column, at, width] : columns) {
      draw_cell(region, at, row, width, *column, line);
    }
    draw_words(region, column_after(columns, 0) + 1, row, line, sums.budget_usd_per_h);
  }
}

constexpr int flow_lines_max = 8;           // the last one counts the flows that are not shown
constexpr int routing_wide_columns = 116;   // from here on, costs are beside the flows
constexpr int routing_roomy_columns = 170;  // from here on, pools are beside both
constexpr int pools_columns = 96;
constexpr int routing_gap = 2;

struct Flow {
  const PoolFlowKey* key;
  const PoolFlowCount* count;
};

std::vector<Flow> flows_by_count(const Model& model) {
  std::vector<Flow> flows;
  for (const auto& [key, count] : model.flows()) flows.push_back({&key, &count});
  std::stable_sort(flows.begin(), flows.end(),
                   [](const Flow& a, const Flow& b) { return a.count->all > b.count->all; });
  return flows;
}

int flow_lines(const Model& model) {
  return std::clamp(static_cast<int>(model.flows().size()), 1, flow_lines_max);
}

/// Per minute, in five columns.
std::string rate_text(double per_min) {
  if (std::isnan(per_min)) return std::string(not_known);
  return per_min < 100 ? fmt::format("{:.1f}", per_min) : count_text(per_min);
}

struct FlowColumns {
  int pool, reason, count, rate, bar;
};

FlowColumns lay_out_flows(int columns) {
  const int pool = std::clamp((columns - 50) / 2, 6, 20);
  const int reason = 2 * pool + 6;
  return {pool, reason, reason + 15, reason + 22, reason + 33};
}

void draw_flow(const Model& model, DrawRegion& region, int line, const FlowColumns& at,
               const Flow& flow, double share, Instant now) {
  const auto& [key, count] = flow;
  const bool fell = key->reason.has_value();
  region.field(0, line, at.pool, key->wanted.empty() ? "-" : key->wanted,
               fell ? CellStyle::faint : CellStyle::plain);
  region.text(at.pool + 1, line, region.ascii() ? "->" : "─▶",
              fell ? CellStyle::warm : CellStyle::good);
  region.field(at.pool + 4, line, at.pool, key->got.empty() ? "-" : key->got, CellStyle::plain);
  region.field(at.reason, line, 14, fell ? to_text(*key->reason) : "preferred pool",
               fell ? CellStyle::warm : CellStyle::good);
  region.field(at.count, line, 6, count_text(static_cast<double>(count->all)), CellStyle::plain,
               Align::right);
  const double per_min = model.per_min(*count, now);
  region.field(at.rate, line, 10, rate_text(per_min) + (std::isnan(per_min) ? "" : "/min"),
               per_min > 0 ? CellStyle::plain : CellStyle::faint, Align::right);
  region.gauge(at.bar, line, std::clamp(region.columns() - at.bar, 0, 40), share,
               percent_text(share), fell ? CellStyle::fill_warm : CellStyle::fill_good);
}

void draw_flows_heading(const FrameContext& frame, DrawRegion& region,
                        const std::vector<Flow>& flows, std::uint64_t all) {
  std::uint64_t moved = 0;
  for (const Flow& flow : flows) moved += flow.key->reason ? flow.count->all : 0;
  const std::string title = "Placements: preferred pool to actual";
  const auto fits = [&](const std::string& text) {
    return title.size() + text.size() + 3 < static_cast<std::size_t>(region.columns());
  };
  std::string note;
  for (const std::string& more :
       {fmt::format("{} of {} fell back", count_text(static_cast<double>(moved)),
                    count_text(static_cast<double>(all))),
        fmt::format(" since {}", to_clock_text(frame.model.flows_since())),
        fmt::format(", rates over {}", duration_text(to_seconds(frame.model.rate_span())))}) {
    if (all == 0 || !fits(frame.with_whole_fleet_note(note + more))) break;
    note += more;
  }
  region.heading(0, title, frame.with_whole_fleet_note(note));
}

void draw_flows(const FrameContext& frame, DrawRegion region) {
  const std::vector<Flow> flows = flows_by_count(frame.model);
  std::uint64_t all = 0;
  for (const Flow& flow : flows) all += flow.count->all;
  draw_flows_heading(frame, region, flows, all);
  if (flows.empty()) region.text(0, 1, "no job was placed yet", CellStyle::faint);
  const FlowColumns at = lay_out_flows(region.columns());
  const std::size_t lines = static_cast<std::size_t>(flow_lines(frame.model));
  const std::size_t shown = flows.size() > lines ? lines - 1 : flows.size();
  std::uint64_t listed = 0;
  for (std::size_t i = 0; i < shown; ++i) {
    listed += flows[i].count->all;
    const double share = static_cast<double>(flows[i].count->all) / static_cast<double>(all);
    draw_flow(frame.model, region, static_cast<int>(i) + 1, at, flows[i], share, frame.now);
  }
  if (shown == flows.size()) return;
  region.field(0, static_cast<int>(lines), region.columns(),
               fmt::format("{} more {}, of {} jobs", flows.size() - shown,
                           flows.size() - shown == 1 ? "flow" : "flows",
                           count_text(static_cast<double>(all - listed))),
               CellStyle::faint);
}

}  // namespace

RoutingPage lay_out_routing_page(const Model& model, int columns) {
  const int flows = 1 + flow_lines(model);
  const int costs = fallback_panel_rows(model);
  const int pools = pool_panel_rows(model);
  RoutingPage page;
  if (columns >= routing_roomy_columns) {
    const int left = columns - pools_columns - routing_gap;
    page.flows = {0, 0, left, flows};
    page.costs = {0, flows, left, costs};
    page.pools = {left + routing_gap, 0, pools_columns, pools};
    page.rows = std::max(flows + costs, pools);
  } else if (columns >= routing_wide_columns) {
    const int left = columns - fallback_panel_columns - routing_gap;
    page.flows = {0, 0, left, flows};
    page.costs = {left + routing_gap, 0, fallback_panel_columns, costs};
    page.pools = {0, std::max(flows, costs), columns, pools};
    page.rows = page.pools.row + pools;
  } else {
    page.flows = {0, 0, columns, flows};
    page.pools = {0, flows, columns, pools};
    page.costs = {0, flows + pools, columns, costs};
    page.rows = flows + pools + costs;
  }
  return page;
}

void draw_routing_page(const FrameContext& frame, const RoutingPage& page,
                       const DrawRegion& region) {
  draw_flows(frame, region.on(page.flows));
  draw_fallbacks(frame, region.on(page.costs));
  draw_pools(frame, region.on(page.pools));
}

}  // namespace drover::tui
