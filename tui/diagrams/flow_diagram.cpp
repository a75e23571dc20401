#include "tui/diagrams/flow_diagram.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <utility>

#include <fmt/format.h>

#include "fleet/base/units.h"

namespace drover::tui {
namespace {

constexpr int rows_each = 2;  // of a pool at least: its name and a blank

/// Both ends of a flow: where the flows of a side are added up.
using EndOfFlow = std::string PoolFlow::*;

std::map<std::string, double> sums_of(const std::vector<PoolFlow>& flows, EndOfFlow end) {
  std::map<std::string, double> sums;
  for (const PoolFlow& flow : flows) sums[flow.*end] += flow.per_min;
  return sums;
}

/// Renames the pools with the fewest placements so that at most `most` are left.
void merge_smallest(std::vector<PoolFlow>& flows, EndOfFlow end, std::size_t most) {
  const std::map<std::string, double> sums = sums_of(flows, end);
  if (sums.size() <= most) return;
  std::vector<std::pair<std::string, double>> by_sum(sums.begin(), sums.end());
  std::ranges::stable_sort(by_sum, std::greater<>{}, &std::pair<std::string, double>::second);
  for (PoolFlow& flow : flows) {
    const auto place = std::ranges::find(by_sum, flow.*end, &std::pair<std::string, double>::first);
    if (place - by_sum.begin() >= static_cast<std::ptrdiff_t>(most) - 1) flow.*end = "others";
  }
}

/// Flows that have become equal are one.
std::vector<PoolFlow> merged(const std::vector<PoolFlow>& flows) {
  std::vector<PoolFlow> all;
  for (const PoolFlow& flow : flows) {
    const auto same = std::ranges::find_if(all, [&](const PoolFlow& other) {
      return other.wanted == flow.wanted && other.got == flow.got && other.reason == flow.reason;
    });
    if (same == all.end()) {
      all.push_back(flow);
    } else {
      same->per_min += flow.per_min;
    }
  }
  return all;
}

std::vector<FlowBox> boxes_of(const std::vector<PoolFlow>& flows, EndOfFlow end,
                              std::span<const std::string> pools) {
  std::vector<FlowBox> boxes;
  for (const auto& [pool, sum] : sums_of(flows, end)) boxes.push_back({pool, sum});
  std::ranges::stable_sort(boxes, {}, [&](const FlowBox& box) {
    return std::pair(std::ranges::find(pools, box.pool) - pools.begin(), box.pool == "others");
  });
  return boxes;
}

/// Rows that the boxes take at a scale of rows a placement.
double rows_at(const std::vector<FlowBox>& boxes, double scale) {
  double rows = static_cast<double>(boxes.size()) - 1;  // the blanks
  for (const FlowBox& box : boxes) rows += std::max(1.0, std::ceil(box.per_min * scale));
  return rows;
}

/// The greatest scale at which both sides fit.
double scale_of(const FlowDiagram& diagram, int rows) {
  double sum = 0;
  for (const FlowBox& box : diagram.left) sum += box.per_min;
  double low = 0, high = sum > 0 ? rows / sum : 0;
  for (int i = 0; i < 40; ++i) {
    const double middle = (low + high) / 2;
    const bool fits =
        rows_at(diagram.left, middle) <= rows && rows_at(diagram.right, middle) <= rows;
    (fits ? low : high) = middle;
  }
  return low;
}

/// Each begins on a row of its own; what is left below them is divided among the blanks.
void place_boxes(std::vector<FlowBox>& boxes, double scale, int rows) {
  const double spare = rows - rows_at(boxes, scale);
  const auto blanks = static_cast<double>(std::max<std::size_t>(1, boxes.size() - 1));
  const double more = std::clamp(std::floor(spare / blanks), 0.0, 2.0);
  double top = 0;
  for (FlowBox& box : boxes) {
    box.top = top;
    box.thickness = box.per_min * scale;
    top += std::max(1.0, std::ceil(box.thickness)) + 1 + more;
  }
}

/// Bands leave a box in the order of the boxes that they reach, so that they cross little.
void place_bands(FlowDiagram& diagram, const std::vector<PoolFlow>& flows, double scale) {
  for (const PoolFlow& flow : flows) diagram.bands.push_back({flow, 0, 0, flow.per_min * scale});
  const auto number = [](const std::vector<FlowBox>& boxes, const std::string& pool) {
    return std::ranges::find(boxes, pool, &FlowBox::pool) - boxes.begin();
  };
  const auto stack = [&](const std::vector<FlowBox>& boxes, EndOfFlow end,
                         const std::vector<FlowBox>& others, EndOfFlow other,
                         double FlowBand::*top) {
    for (const FlowBox& box : boxes) {
      std::vector<FlowBand*> own;
      for (FlowBand& band : diagram.bands) {
        if (band.flow.*end == box.pool) own.push_back(&band);
      }
      std::ranges::stable_sort(own, {}, [&](const FlowBand* band) {
        return std::pair(number(others, band->flow.*other), band->flow.reason);
      });
      double at = box.top;
      for (FlowBand* const band : own) {
        band->*top = at;
        at += band->thickness;
      }
    }
  };
  stack(diagram.left, &PoolFlow::wanted, diagram.right, &PoolFlow::got, &FlowBand::left_top);
  stack(diagram.right, &PoolFlow::got, diagram.left, &PoolFlow::wanted, &FlowBand::right_top);
  std::ranges::stable_sort(diagram.bands, {},
                           [](const FlowBand& band) { return band.flow.reason.has_value(); });
}

}  // namespace

FlowDiagram lay_out_flows(std::vector<PoolFlow> flows, std::span<const std::string> pools,
                          int rows) {
  FlowDiagram diagram;
  std::erase_if(flows, [](const PoolFlow& flow) { return !(flow.per_min > 0); });
  if (flows.empty() || rows < 1) return diagram;
  const auto most = static_cast<std::size_t>((rows + 1) / rows_each);
  merge_smallest(flows, &PoolFlow::wanted, most);
  merge_smallest(flows, &PoolFlow::got, most);
  flows = merged(flows);
  diagram.left = boxes_of(flows, &PoolFlow::wanted, pools);
  diagram.right = boxes_of(flows, &PoolFlow::got, pools);
  const double scale = scale_of(diagram, rows);
  place_boxes(diagram.left, scale, rows);
  place_boxes(diagram.right, scale, rows);
  place_bands(diagram, flows, scale);
  return diagram;
}

int flow_diagram_rows(std::size_t pools, int rows_most) {
  constexpr int rows_of_pool = 3;
  return std::clamp(static_cast<int>(pools) * rows_of_pool, flow_diagram_rows_least,
                    std::max(flow_diagram_rows_least, rows_most));
}

std::string rate_text(double per_min) {
  if (std::isnan(per_min)) return std::string(not_known);
  return per_min < 100 ? fmt::format("{:.1f}", per_min) : count_text(per_min);
}

}  // namespace drover::tui
