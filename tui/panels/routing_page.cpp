#include "tui/panels/routing_page.h"

#include <algorithm>

#include <fmt/format.h>

#include "fleet/base/text.h"
#include "fleet/base/units.h"
#include "tui/panels/fallback_panel.h"
#include "tui/panels/pool_panel.h"
#include "tui/tables/device_columns.h"

namespace drover::tui {
namespace {

constexpr int flow_lines_max = 8;   // the last one counts the flows that are not shown
constexpr int wide_columns = 116;   // from here on, costs are beside the flows
constexpr int roomy_columns = 170;  // from here on, pools are beside both
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
  if (columns >= roomy_columns) {
    const int left = columns - pools_columns - routing_gap;
    page.flows = {0, 0, left, flows};
    page.costs = {0, flows, left, costs};
    page.pools = {left + routing_gap, 0, pools_columns, pools};
    page.rows = std::max(flows + costs, pools);
  } else if (columns >= wide_columns) {
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

void draw_routing_page(const FrameContext& frame, const DrawRegion& region) {
  const RoutingPage page = lay_out_routing_page(frame.model, region.columns());
  draw_flows(frame, region.on(page.flows));
  draw_fallbacks(frame, region.on(page.costs));
  draw_pools(frame, region.on(page.pools));
}

}  // namespace drover::tui
