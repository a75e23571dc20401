// The drawing of placements from preferred to actual pools.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "tests/tui/golden_screen.h"
#include "tui/diagrams/flow_diagram.h"

namespace drover::tui {
namespace {

using FlowTexts = std::vector<std::string>;

const FlowTexts policy_order = {"hopper", "ampere", "tpu", "edge"};

std::vector<PoolFlow> usual_flows() {
  return {{"hopper", "hopper", std::nullopt, 23.6},  {"ampere", "ampere", std::nullopt, 21.6},
          {"ampere", "tpu", Reason::queue_slo, 5.9}, {"hopper", "tpu", Reason::capacity, 5.9},
          {"hopper", "edge", Reason::capacity, 0.9}, {"edge", "edge", std::nullopt, 0}};
}

FlowTexts box_names(const std::vector<FlowBox>& boxes) {
  FlowTexts all;
  for (const FlowBox& box : boxes) all.push_back(box.pool);
  return all;
}

TEST(FlowDiagram, PoolsAreInThePolicysOrderAndFlowsOfNothingAreLeftOut) {
  const FlowDiagram diagram = lay_out_flows(usual_flows(), policy_order, 12);
  EXPECT_EQ(box_names(diagram.left), (FlowTexts{"hopper", "ampere"}));
  EXPECT_EQ(box_names(diagram.right), policy_order);
  EXPECT_EQ(diagram.bands.size(), 5U);
  EXPECT_FALSE(diagram.bands.front().flow.reason) << "fallbacks are drawn over the others";
  EXPECT_TRUE(diagram.bands.back().flow.reason);
}

TEST(FlowDiagram, OfNothingHasNothing) {
  for (const double rate : {0.0, std::numeric_limits<double>::quiet_NaN()}) {
    EXPECT_TRUE(lay_out_flows({{"a", "a", std::nullopt, rate}}, {}, 12).bands.empty());
  }
  EXPECT_TRUE(lay_out_flows(usual_flows(), policy_order, 0).bands.empty());
}

TEST(FlowDiagram, OneScaleHoldsForBothSidesAndEverythingFitsWithoutOverlap) {
  for (int rows = 7; rows <= 30; ++rows) {
    const FlowDiagram diagram = lay_out_flows(usual_flows(), policy_order, rows);
    const double scale = diagram.left[0].thickness / diagram.left[0].per_min;
    for (const auto* side : {&diagram.left, &diagram.right}) {
      double free_from = 0;
      for (const FlowBox& box : *side) {
        EXPECT_NEAR(box.thickness, box.per_min * scale, 1e-6) << rows;
        EXPECT_GE(box.top, free_from) << rows << box.pool;
        free_from = box.top + std::max(1.0, std::ceil(box.thickness)) + 1;
      }
      EXPECT_LE(free_from - 1, rows);
    }
    for (const FlowBand& band : diagram.bands) {
      EXPECT_NEAR(band.thickness, band.flow.per_min * scale, 1e-6);
    }
  }
}

TEST(FlowDiagram, BandsLeaveABoxWithoutGapsInTheOrderOfWhatTheyReach) {
  const FlowDiagram diagram = lay_out_flows(usual_flows(), policy_order, 20);
  const auto band = [&](std::string_view wanted, std::string_view got) {
    return *std::ranges::find_if(diagram.bands, [&](const FlowBand& one) {
      return one.flow.wanted == wanted && one.flow.got == got;
    });
  };
  double at = diagram.left[0].top;
  for (const char* got : {"hopper", "tpu", "edge"}) {
    EXPECT_NEAR(band("hopper", got).left_top, at, 1e-6) << got;
    at += band("hopper", got).thickness;
  }
  EXPECT_LT(band("hopper", "tpu").right_top, band("ampere", "tpu").right_top);
}

TEST(FlowDiagram, PoolsThatDoNotFitAreOne) {
  std::vector<PoolFlow> flows;
  for (int i = 0; i < 30; ++i) {
    flows.push_back({"all", fmt::format("pool-{:02}", i), Reason::capacity, 30.0 - i});
  }
  for (const auto& [rows, boxes] :
       std::vector<std::pair<int, std::size_t>>{{7, 4}, {12, 6}, {59, 30}}) {
    const FlowDiagram diagram = lay_out_flows(flows, {}, rows);
    ASSERT_EQ(diagram.right.size(), boxes) << rows;
    double sum = 0;
    for (const FlowBox& box : diagram.right) sum += box.per_min;
    EXPECT_NEAR(sum, 465, 1e-6) << "none is lost";
    EXPECT_EQ(diagram.right.back().pool, boxes < 30 ? "others" : "pool-29");
  }
}

std::string drawn_flows(Size size, bool ascii) {
  Canvas canvas(size);
  const DrawRegion region(canvas, {0, 0, size.columns, size.rows}, ascii);
  draw_flow_diagram(region, lay_out_flows(usual_flows(), policy_order, size.rows));
  return styled_text(canvas);
}

TEST(FlowDiagram, LooksAsReviewed) {
  expect_screen("flow-diagram-62", drawn_flows({62, 12}, false));
  expect_screen("flow-diagram-100", drawn_flows({100, 16}, false));
  expect_screen("flow-diagram-ascii", drawn_flows({62, 12}, true));
}

TEST(FlowDiagram, EverySizeIsDrawnSafely) {
  for (int columns = 1; columns <= 120; ++columns) {
    for (int rows = 1; rows <= 20; ++rows) {
      Canvas canvas({columns, rows});
      const DrawRegion region(canvas, {0, 0, columns, rows}, columns % 2 == 0);
      draw_flow_diagram(region, lay_out_flows(usual_flows(), policy_order, rows));
      expect_whole_rows(canvas);
    }
  }
}

}  // namespace
}  // namespace drover::tui
