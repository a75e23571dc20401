#include "tui/canvas/layout.h"

#include <algorithm>
#include <array>
#include <numeric>

#include <gtest/gtest.h>

#include "tests/tui/sample_fleet.h"
#include "tui/canvas/fit_columns.h"
#include "tui/screen.h"
#include "tui/tables/device_columns.h"
#include "tui/views/view_layouts.h"

namespace drover::tui {
namespace {

bool overlap(const Rect& a, const Rect& b) {
  return a.columns > 0 && a.rows > 0 && b.columns > 0 && b.rows > 0 &&
         a.column < b.column + b.columns && b.column < a.column + a.columns &&
         a.row < b.row + b.rows && b.row < a.row + a.rows;
}

bool inside(const Rect& inner, const Rect& outer) {
  if (inner.columns == 0 || inner.rows == 0) return true;
  return inner.column >= outer.column && inner.row >= outer.row &&
         inner.column + inner.columns <= outer.column + outer.columns &&
         inner.row + inner.rows <= outer.row + outer.rows;
}

void expect_good(const std::vector<Rect>& panels, const Rect& area) {
  for (std::size_t i = 0; i < panels.size(); ++i) {
    ASSERT_TRUE(inside(panels[i], area))
        << "panel " << i << " at " << area.columns << "x" << area.rows;
    for (std::size_t j = i + 1; j < panels.size(); ++j) {
      ASSERT_FALSE(overlap(panels[i], panels[j]))
          << "panels " << i << " and " << j << " at " << area.columns << "x" << area.rows;
    }
  }
}

TEST(Layout, SharesRespectMinimumMaximumWeightAndSpace) {
  struct Case {
    int space;
    std::vector<SizeHint> hints;
    int gap;
    std::vector<int> sizes;
  };
  const std::vector<Case> cases = {
      {10, {{2, 5, 1}, {2, 9, 1}}, 0, {5, 5}},   {10, {{4, 4, 0}, {2, 99, 1}}, 1, {4, 5}},
      {5, {{4, 4, 0}, {2, 99, 1}}, 1, {4, 0}},  // no room for the second's least
      {12, {{2, 99, 3}, {2, 99, 1}}, 0, {8, 4}}, {0, {{1, 1, 1}}, 0, {0}},
      {9, {{0, 9, 1}, {3, 9, 1}}, 2, {0, 9}},  // a wish for nothing is left out, gap and all
  };
  for (const Case& c : cases) EXPECT_EQ(distribute(c.space, c.hints, c.gap), c.sizes) << c.space;
}

TEST(Layout, PanelsNeverOverlapNorLeaveTheScreen) {
  SampleFleet fleet;
  const Model model = model_of(fleet.state());
  const HeatOrder order = order_devices(model, SampleFleet::start, Grouping::host, FleetFilter());
  for (int columns = 1; columns <= 210; ++columns) {
    for (int rows = 0; rows <= 70; ++rows) {
      const Rect area{0, 1, columns, rows};
      const FleetLayout f =
          lay_out_fleet(area, model, fleet_map_rows(area, model, order), FleetFilter());
      expect_good({f.summary, f.map, f.device, f.replicas, f.fleet_trend, f.decisions, f.running,
                   f.alerts, f.events},
                  area);
      const JobsPage jobs = lay_out_jobs_page(model, columns);
      const RoutingPage routing = lay_out_routing_page(model, columns, area.rows);
      for (const int details : {0, 20}) {
        for (const TableLayout& t : {lay_out_devices(area), lay_out_jobs(area, jobs, details),
                                     lay_out_routing(area, routing, details)}) {
          expect_good({t.top, t.list, t.details}, area);
        }
      }
    }
  }
}

TEST(Layout, DeviceColumnsFitAndKeepTheMostImportant) {
  for (int width = 1; width <= 210; ++width) {
    const std::vector<ShownColumn> shown = columns_that_fit({}, width);
    EXPECT_LE(width_of(shown), std::max(width, 0));
    if (width >= 60) {
      EXPECT_GE(shown.size(), 5u) << width;
    }
  }
}

TEST(FitColumns, AWiderTableHasWhatANarrowerOneHas) {
  struct Plain {
    std::string_view title;
    int width, rank;
  };
  // The third by rank is the widest: a narrower one after it must wait for it.
  constexpr std::array<Plain, 5> table = {
      {{"A", 8, 0}, {"B", 14, 2}, {"C", 5, 1}, {"D", 3, 3}, {"E", 6, 4}}};
  std::vector<std::string_view> before;
  for (int room = 0; room <= 50; ++room) {
    std::vector<std::string_view> titles;
    for (const auto& placed : fit_columns<Plain>(table, 0, room)) {
      titles.push_back(placed.column->title);
    }
    for (const std::string_view title : before) {
      EXPECT_NE(std::ranges::find(titles, title), titles.end()) << title << " at " << room;
    }
    before = titles;
  }
  EXPECT_EQ(before.size(), table.size());
}

}  // namespace
}  // namespace drover::tui
