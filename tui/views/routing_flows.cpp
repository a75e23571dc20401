#include "tui/views/routing_flows.h"

#include <algorithm>
#include <cmath>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "fleet/base/units.h"
#include "tui/diagrams/flow_diagram.h"

namespace drover::tui {
namespace {

constexpr int flow_lines_max = 8;  // the last one counts the flows that are not shown

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

struct FlowColumns {
  int pool, reason, count, rate, bar;
};

FlowColumns flow_list_columns(int columns) {
  const int pool = std::clamp((columns - 50) / 2, 6, 20);
  const int reason = 2 * pool + 6;
  return {pool, reason, reason + 15, reason + 22, reason + 33};
}

/// The policy's order if it is known.
std::vector<std::string> pool_order(const Model& model) {
  std::vector<std::string> names;
  if (!model.summary()) return model.pools();
  for (const PoolReport& pool : model.summary()->pools) names.push_back(pool.name);
  return names;
}

/// A flow of a few jobs among thousands is not none.
std::string flow_share_text(double share) {
  return share > 0 && share < 0.01 ? "<1%" : percent_text(share);
}

void draw_flow(const Model& model, DrawRegion& region, int line, const FlowColumns& at,
               const Flow& flow, double share, Instant now) {
  const auto& [key, count] = flow;
  const bool fell = key->fell_back;
  region.field(0, line, at.pool, key->wanted.empty() ? "-" : key->wanted,
               fell ? CellStyle::faint : CellStyle::plain);
  region.text(at.pool + 1, line, region.ascii() ? "->" : "─▶",
              fell ? CellStyle::warm : CellStyle::good);
  region.field(at.pool + 4, line, at.pool,
               key->stayed()      ? "(stayed)"
               : key->got.empty() ? "-"
                                  : key->got,
               CellStyle::plain);
  region.field(at.reason, line, 14, key->reason ? to_text(*key->reason) : "preferred pool",
               fell ? CellStyle::warm : CellStyle::good);
  region.field(at.count, line, 6, count_text(static_cast<double>(count->all)), CellStyle::plain,
               Align::right);
  const double per_min = model.per_min(*count, now);
  region.field(at.rate, line, 10, rate_text(per_min) + (std::isnan(per_min) ? "" : "/min"),
               per_min > 0 ? CellStyle::plain : CellStyle::faint, Align::right);
  region.gauge(at.bar, line, std::clamp(region.columns() - at.bar, 0, 40), share,
               flow_share_text(share), fell ? CellStyle::fill_warm : CellStyle::fill_good);
}

/// The time of the rates: shorter than their span soon after the start.
Duration rates_over(const FrameContext& frame) {
  const Duration since = frame.now - std::min(frame.now, frame.model.flows_since());
  return std::min(frame.model.rate_span(), since);
}

void draw_flows_heading(const FrameContext& frame, DrawRegion& region,
                        const std::vector<Flow>& flows, std::uint64_t all) {
  std::uint64_t moved = 0;
  for (const Flow& flow : flows) moved += flow.key->fell_back ? flow.count->all : 0;
  const std::string title = "Placements: preferred pool to actual";
  const auto fits = [&](const std::string& text) {
    return title.size() + text.size() + 3 < static_cast<std::size_t>(region.columns());
  };
  std::string note;
  for (const std::string& more :
       {fmt::format("{} of {} fell back", count_text(static_cast<double>(moved)),
                    count_text(static_cast<double>(all))),
        fmt::format(" since {}", to_clock_text(frame.model.flows_since())),
        fmt::format(", rates over {}", duration_text(to_seconds(rates_over(frame))))}) {
    if (all == 0 || !fits(frame.with_whole_fleet_note(note + more))) break;
    note += more;
  }
  region.heading(0, title, frame.with_whole_fleet_note(note));
}

}  // namespace

int flow_lines(const Model& model) {
  return std::clamp(static_cast<int>(model.flows().size()), 1, flow_lines_max);
}

void draw_flows(const FrameContext& frame, DrawRegion region) {
  const std::vector<Flow> flows = flows_by_count(frame.model);
  std::uint64_t all = 0;
  for (const Flow& flow : flows) all += flow.count->all;
  draw_flows_heading(frame, region, flows, all);
  if (flows.empty()) region.text(0, 1, "no job was placed yet", CellStyle::faint);
  const FlowColumns at = flow_list_columns(region.columns());
  const int room = std::max(1, region.rows() - 1);
  const auto lines = static_cast<std::size_t>(std::min(flow_lines(frame.model), room));
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

int flows_of_minute_rows(const Model& model, int most) {
  std::set<std::string_view> wanted, got;
  for (const auto& [key, count] : model.flows()) {
    wanted.insert(key.wanted);
    got.insert(key.got);
  }
  return 1 + flow_diagram_rows(std::max(wanted.size(), got.size()), most - 1);
}

void draw_flows_of_minute(const FrameContext& frame, DrawRegion region) {
  const Model& model = frame.model;
  std::vector<PoolFlow> flows;
  double all = 0, fell = 0;
  bool known = model.flows().empty();
  for (const auto& [key, count] : model.flows()) {
    const double per_min = model.per_min(count, frame.now);
    if (std::isnan(per_min)) continue;
    known = true;
    // The bands are of the reasons for leaving.
    flows.push_back({key.wanted, key.got, key.fell_back ? key.reason : std::nullopt, per_min});
    all += per_min;
    if (key.fell_back) fell += per_min;
  }
  const Duration span = rates_over(frame);
  std::string title = "Placements a minute";
  if (span > Duration{0}) title += fmt::format(", last {}", duration_text(to_seconds(span)));
  title += " to " + to_clock_text(frame.now);
  const auto fits = [&](const std::string& note) {
    return columns_of(title) + columns_of(note) + 3 < region.columns();
  };
  std::string note = fmt::format("{} of {}/min fell back", rate_text(fell), rate_text(all));
  if (!fits(frame.with_whole_fleet_note(note))) note = rate_text(fell) + "/min fell back";
  region.heading(0, title, frame.with_whole_fleet_note(all > 0 ? note : ""));
  if (all > 0) {
    const DrawRegion body = region.part({0, 1, region.columns(), region.rows() - 1});
    draw_flow_diagram(body, lay_out_flows(std::move(flows), pool_order(model), body.rows()));
    return;
  }
  region.field(0, 1, region.columns(),
               !known              ? "N/A: the router is silent, or has just begun"
               : span > Duration{} ? fmt::format("no job was placed in the last {}",
                                                 duration_text(to_seconds(span)))
                                   : std::string("no job was placed yet"),
               CellStyle::faint);
}

}  // namespace drover::tui
