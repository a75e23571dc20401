// Colours that hold still: a value that trembles round a border of two levels repaints nothing.
#include "tui/map/heat_levels.h"

#include <cmath>

#include <gtest/gtest.h>

#include "tests/tui/golden_screen.h"
#include "tests/tui/sample_fleet.h"
#include "tui/canvas/draw_region.h"
#include "tui/terminal/curses_screen.h"

namespace drover::tui {
namespace {

constexpr HeatLevels::Subject subject{1, 0, 0, 1};
constexpr int hosts = 125;

TEST(HeatLevels, ANewCellHasThePlainLevel) {
  HeatLevels levels;
  levels.begin(subject, 1);
  for (const double share : {-0.3, 0.0, 0.12, 0.126, 0.5, 0.99, 1.0, 7.0}) {
    levels.forget();
    levels.begin(subject, 1);
    EXPECT_EQ(levels.settle(0, share), heat_level(share)) << share;
  }
}

TEST(HeatLevels, ALevelChangesAQuarterOfItsWidthBeyondItsBoundary) {
  struct Step {
    double share;
    int level;
  };
  // Level 4 is from 0.5 to 0.625, so it holds from 0.46875 to below 0.65625.
  HeatLevels levels;
  levels.begin(subject, 1);
  for (const Step& step : {Step{0.51, 4},
                           {0.49, 4},
                           {0.47, 4},
                           {0.46, 3},
                           {0.51, 3},
                           {0.54, 4},
                           {0.65, 4},
                           {0.66, 5},
                           {0.61, 5},
                           {0.59, 4},
                           {0.05, 0},
                           {0.95, 7}}) {
    EXPECT_EQ(levels.settle(0, step.share), step.level) << step.share;
    EXPECT_EQ(levels.settle(0, step.share), step.level) << "again " << step.share;
  }
}

TEST(HeatLevels, AnUnknownValueHasNoLevelAndTheNextHasThePlainOne) {
  HeatLevels levels;
  levels.begin(subject, 1);
  EXPECT_EQ(levels.settle(0, 0.51), 4);
  EXPECT_EQ(levels.settle(0, std::nan("")), -1);
  EXPECT_EQ(levels.settle(0, 0.49), 3);
}

TEST(HeatLevels, AShadeHoldsAsLongAsALevelDoes) {
  struct Step {
    double share;
    int shade;
  };
  // Shade 17 is from 0.5 to 0.53125, and holds for a quarter of a level on both sides.
  HeatLevels levels;
  levels.begin(subject, 1);
  for (const Step& step : {Step{0.51, 17},
                           {0.47, 17},
                           {0.56, 17},
                           {0.57, 19},
                           {0.54, 19},
                           {0.52, 17},
                           {0.46, 15},
                           {-1, 1},
                           {0.02, 1},
                           {2, 32}}) {
    EXPECT_EQ(levels.settle_shade(0, step.share), step.shade) << step.share;
    EXPECT_EQ(levels.settle_shade(0, step.share), step.shade) << "again " << step.share;
  }
  EXPECT_EQ(levels.settle_shade(0, std::nan("")), 0);
}

TEST(HeatLevels, StartOverForAnotherFleetMetricGroupingOrSharing) {
  for (const HeatLevels::Subject& other :
       {HeatLevels::Subject{2, 0, 0, 1}, {1, 1, 0, 1}, {1, 0, 1, 1}, {1, 0, 0, 2}}) {
    HeatLevels levels;
    levels.begin(subject, 1);
    EXPECT_EQ(levels.settle(0, 0.51), 4);
    levels.begin(subject, 1);
    EXPECT_EQ(levels.settle(0, 0.49), 4);
    levels.begin(other, 1);
    EXPECT_EQ(levels.settle(0, 0.49), 3);
  }
}

/// One batch a host, all loads at 50 % and so much beside it.
std::vector<Envelope> trembling(std::uint64_t second, double beside) {
  std::vector<Envelope> batches;
  const Instant at = SampleFleet::start + std::chrono::seconds(second);
  for (Envelope batch : plain_samples(hosts, 8, second)) {
    const std::string host = std::get<SampleBatch>(batch.body).host;
    std::vector<Sample> samples(8);
    for (std::uint16_t i = 0; i < 8; ++i) {
      samples[i].device = i;
      samples[i][Metric::utilization] = 0.5 + (i % 2 == 0 ? beside : -beside);
    }
    batches.push_back({host, second, at, pack(host, samples)});
  }
  return batches;
}

/// Of 125 hosts, without samples.
std::unique_ptr<Dashboard> thousand_devices(bool steady) {
  DashboardOptions options;
  options.steady_colours = steady;
  auto dashboard = std::make_unique<Dashboard>(options, Size{120, 40}, SampleFleet::start);
  for (const Envelope& host : plain_hosts(hosts, 8)) {
    dashboard->receive(SampleFleet::start, publish_peer, host);
  }
  return dashboard;
}

struct Painted {
  int cells = 0;  // of the heat map that changed
  std::size_t bytes = 0;
};

/// What ten seconds repaint of a fleet whose loads move by `beside` round a border each second.
Painted painted_in_ten_seconds(double beside) {
  const auto dashboard = thousand_devices(true);
  const auto screen = CursesScreen::open("xterm-256color", {});
  Painted painted;
  Canvas shown({0, 0});
  for (std::uint64_t second = 1; second <= 11; ++second) {
    const Instant at = SampleFleet::start + std::chrono::seconds(second);
    for (const Envelope& batch : trembling(second, second % 2 == 0 ? beside : -beside)) {
      dashboard->receive(at, publish_peer, batch);
    }
    const Canvas& wanted = dashboard->draw(at);
    const std::size_t bytes = (*screen)->paint(wanted).size();
    if (second > 1) {
      painted.bytes += bytes;
      for (int row = 0; row < 40; ++row) {
        for (int column = 0; column < 120; ++column) {
          const Cell& cell = wanted.at(column, row);
          const bool heat = cell.style >= CellStyle::heat0 && cell.style <= CellStyle::heat7;
          painted.cells += heat && cell.style != shown.at(column, row).style;
        }
      }
    }
    shown = wanted;
  }
  return painted;
}

TEST(HeatLevels, ValuesJitteringAroundABoundaryRepaintNoCell) {
  const Painted still = painted_in_ten_seconds(0.02);
  const Painted moving = painted_in_ten_seconds(0.04);
  EXPECT_EQ(still.cells, 0);
  EXPECT_EQ(moving.cells, 10 * 1'000);
  EXPECT_LT(still.bytes, moving.bytes / 10) << moving.bytes;
}

TEST(HeatLevels, ArePlainWhileTimeIsPaused) {
  const auto steady = thousand_devices(true), plain = thousand_devices(false);
  const auto draw = [](Dashboard& dashboard, Instant at) {
    return styled_text(dashboard.draw(at));
  };
  Instant at{};
  for (std::uint64_t second = 1; second <= 4; ++second) {
    at = SampleFleet::start + std::chrono::seconds(second);
    for (const Envelope& batch : trembling(second, second % 2 == 0 ? 0.02 : -0.02)) {
      steady->receive(at, publish_peer, batch);
      plain->receive(at, publish_peer, batch);
    }
    // A fresh frame has no colours to keep.
    EXPECT_EQ(draw(*steady, at) == draw(*plain, at), second % 2 == 1) << second;
  }
  steady->press(at, {"Space"});
  plain->press(at, {"Space"});
  EXPECT_EQ(draw(*steady, at), draw(*plain, at));
}

}  // namespace
}  // namespace drover::tui
