// The power view: what is divided by what, what a lost router still tells, for how long clocks were
// held down.
#include <cmath>

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "fleet/base/units.h"
#include "tests/tui/golden_screen.h"
#include "tests/tui/sample_fleet.h"
#include "tui/model/model.h"

namespace drover::tui {
namespace {

using std::chrono::seconds;

std::string shown(SampleFleet& fleet, Size size = {80, 60}) {
  return dashboard_of(fleet, size, "power", false, 2)->draw(SampleFleet::after_2s).to_text();
}

TEST(PowerView, ShowsCurrentValuesAsUnknownAfterTheRouterIsLost) {
  SampleFleet fleet;
  const auto dashboard = dashboard_of(fleet, {200, 60}, "power", false, 40);
  const std::string known = dashboard->draw(SampleFleet::start + seconds(40)).to_text();
  EXPECT_EQ(known.find(" N/A of 4.20kW"), std::string::npos) << known;
  dashboard->set_connected(SampleFleet::start + seconds(40), false);
  const std::string silent = dashboard->draw(SampleFleet::start + seconds(60)).to_text();
  EXPECT_NE(silent.find(" N/A of 4.20kW"), std::string::npos) << silent;
  EXPECT_NE(silent.find("spend rate ─"), std::string::npos) << silent;
  EXPECT_EQ(silent.find("$83.14 of $90.00/h"), std::string::npos) << silent;
}

TEST(PowerView, DividesTheChargesOfFinishedWorkByItsOutput) {
  SampleFleet fleet;
  fleet.summary.input_tokens = fleet.summary.output_tokens = 900'000'000;  // accepted: another sum
  fleet.summary.charged = {1, 9e9, 9e9};                                   // of work of both sorts
  fleet.summary.tokens_work = {10, 4'000'000, {1, 8e6, 6}};
  fleet.summary.steps_work = {2, 50'000, {1, 1e6, 40}};
  const std::string text = shown(fleet);
  const std::string tokens = line_with(text, "1M tokens");
  EXPECT_NE(tokens.find(" " + joules_text(2e6) + " "), std::string::npos) << tokens;
  EXPECT_NE(tokens.find(" " + dollars_text(1.5)), std::string::npos) << tokens;
  const std::string steps = line_with(text, "1k training steps");
  EXPECT_NE(steps.find(" " + joules_text(2e4) + " "), std::string::npos) << steps;
  EXPECT_NE(steps.find(" " + dollars_text(0.8)), std::string::npos) << steps;
}

TEST(PowerView, HasOneUnitOfEnergy) {
  SampleFleet fleet;
  EXPECT_EQ(shown(fleet).find("kWh"), std::string::npos) << shown(fleet);
  EXPECT_NE(line_with(shown(fleet), " fleet  ").find("14.2MJ"), std::string::npos) << shown(fleet);
}

TEST(PowerView, ShowsNoUnitPriceWhenNothingWasDelivered) {
  SampleFleet fleet;
  fleet.summary.tokens_work = fleet.summary.steps_work = {};
  const std::string text = shown(fleet);
  for (const char* unit : {"1M tokens", "1k training steps"}) {
    const std::string line = line_with(text, unit);
    EXPECT_NE(line.find("N/A"), std::string::npos) << line;
    EXPECT_EQ(line.find('0', line.find(unit) + 9), std::string::npos) << line;
  }
}

TEST(PowerView, ShowsWhereAllEnergyAndMoneyWent) {
  SampleFleet fleet;
  fleet.summary.fleet_energy_j = 100e6;
  fleet.summary.fleet_cost_usd = 200;
  fleet.summary.charged = {1, 60e6, 50};
  fleet.summary.wasted = {1, 10e6, 30};
  const std::string text = shown(fleet);
  struct Case {
    const char *label, *energy, *energy_share, *cost, *cost_share;
  };
  for (const Case& c : {Case{"finished jobs", "60.0MJ", "60%", "$50.00", "25%"},
                        {"lost attempts", "10.0MJ", "10%", "$30.00", "15%"},
                        {"idle, open jobs", "30.0MJ", "30%", "$120.00", "60%"}}) {
    const std::string line = line_with(text, c.label);
    for (const char* part : {c.energy, c.energy_share, c.cost, c.cost_share}) {
      EXPECT_NE(line.find(part), std::string::npos) << part << " in " << line;
    }
  }
}

TEST(PowerView, SpendingOverTheBudgetIsHot) {
  for (const auto& [spend, style] : {std::pair{50.0, CellStyle::fill_good},
                                     {95.0, CellStyle::fill_warm},
                                     {101.0, CellStyle::fill_hot}}) {
    SampleFleet fleet;
    fleet.summary.spend_usd_per_h = spend;
    fleet.summary.budget_usd_per_h = 100;
    const auto dashboard = dashboard_of(fleet, {80, 60}, "power", false, 2);
    const std::string money = fmt::format("{} of $100.00/h", dollars_text(spend));
    const Canvas& canvas = dashboard->draw(SampleFleet::after_2s);
    const std::string text = canvas.to_text();
    EXPECT_NE(line_with(text, "busy now").find(money), std::string::npos) << text;
    int gauges = 0;
    for (int row = 0; row < canvas.size().rows; ++row) {
      if (canvas.at(1, row).text != "b" || canvas.at(2, row).text != "u" ||
          canvas.at(6, row).text != "n") {
        continue;
      }
      ++gauges;
      EXPECT_EQ(canvas.at(12, row).style, style) << spend;  // the first cell behind the label
    }
    EXPECT_EQ(gauges, 1) << text;
  }
}

TEST(PowerView, WithoutABudgetTheSumOfTheRateIsWhole) {
  for (const double spend : {0.5, 41.6, 70.57, 4'000.0}) {
    SampleFleet fleet;
    fleet.summary.spend_usd_per_h = spend;
    fleet.summary.budget_usd_per_h = 0;
    const auto dashboard = dashboard_of(fleet, {120, 60}, "power", false, 2);
    const std::string text = dashboard->draw(SampleFleet::after_2s).to_text();
    EXPECT_NE(line_with(text, "adds up to").find(dollars_text(30 * 24 * spend) + " in 30 days"),
              std::string::npos)
        << text;
  }
}

TEST(PowerView, OnlyRouterTotalsAreMarkedAsWholeFleetUnderAFilter) {
  SampleFleet fleet;
  const auto dashboard = dashboard_of(fleet, {120, 40}, "power", false, 2);
  for (const char* key : {"/", "k", "i", "n", "d", "=", "=", "t", "p", "u", "Enter"}) {
    dashboard->press(SampleFleet::after_2s, {key});
  }
  const std::string text = dashboard->draw(SampleFleet::after_2s).to_text();
  EXPECT_NE(line_with(text, "Accounting").find("whole fleet"), std::string::npos) << text;
  const std::string costs = line_with(text, "Power and cost");
  EXPECT_EQ(costs.find("whole fleet", costs.find("Power and cost")), std::string::npos) << text;
}

TEST(PowerView, AFilterNarrowsDeviceListsAndCurvesAreMarkedAsUnfiltered) {
  SampleFleet fleet;
  const auto dashboard = dashboard_of(fleet, {120, 40}, "power", false, 40);
  const std::string before = dashboard->draw(SampleFleet::after_2s).to_text();
  EXPECT_NE(before.find(" gpu-a/6  "), std::string::npos) << before;
  for (const char* key : {"/", "k", "i", "n", "d", "=", "=", "t", "p", "u", "Enter"}) {
    dashboard->press(SampleFleet::after_2s, {key});
  }
  const std::string text = dashboard->draw(SampleFleet::after_2s).to_text();
  EXPECT_EQ(text.find(" gpu-"), std::string::npos) << "neither hottest nor throttled: " << text;
  EXPECT_NE(text.find(" tpu-a/7 "), std::string::npos) << text;
  const auto told_by = [](const std::string& screen, const std::string& title) {
    const std::string line = line_with(screen, title);
    const std::size_t from = line.find("─ ", line.find(title));
    return line.substr(from, line.find("  ", from) - from);
  };
  EXPECT_EQ(told_by(text, "last 1 min, whole fleet ─"), told_by(before, "pool, last 1 min ─"));
  EXPECT_EQ(told_by(text, " whole hopper ─"), told_by(before, " pool hopper ─"));
}

/// One host of h100 whose counters are told second by second.
struct Counted {
  Model model{seconds(1)};
  std::uint64_t sequence = 0;

  explicit Counted(int devices = 2) {
    model.apply(SampleFleet::start, plain_hosts(1, devices).front());
  }
  void tell(int second, const std::vector<double>& power_s, double heat_s = absent) {
    std::vector<Sample> rows(power_s.size());
    for (std::size_t i = 0; i < rows.size(); ++i) {
      rows[i].device = static_cast<std::uint16_t>(i);
      rows[i][Metric::power_violation] = power_s[i];
      rows[i][Metric::thermal_violation] = heat_s;
    }
    const Instant at = SampleFleet::start + seconds(second);
    model.apply(at, {"host-0000", ++sequence, at, pack("host-0000", rows)});
  }
  double lately(int second) {
    model.tick(SampleFleet::start + seconds(second));
    const auto held = model.recent_throttle_times(SampleFleet::start + seconds(second));
    return held ? (*held)[0] : absent;
  }
};

TEST(ThrottleTime, TheRecentTimeIsTheCounterGrowthOfTheLastMinute) {
  Counted counted;
  for (int second = 1; second <= 300; ++second) {
    // Both are held half of the time, and then no more.
    const double held = 1'000 + 0.5 * std::min(second, 200);
    counted.tell(second, {held, held});
  }
  // A point of the grid is made before what comes at its instant: a second more or less.
  Counted half;
  for (int second = 1; second <= 200; ++second) {
    half.tell(second, {1'000 + 0.5 * second, 1'000 + 0.5 * second});
  }
  EXPECT_NEAR(half.lately(200), 60, 1.1);
  EXPECT_EQ(counted.lately(300), 0);
}

TEST(ThrottleTime, ACountersFirstValueDoesNotCountAsRecent) {
  Counted counted;
  for (int second = 1; second <= 30; ++second) counted.tell(second, {86'400, 86'400});
  EXPECT_EQ(counted.lately(30), 0);
}

TEST(ThrottleTime, ACounterThatRestartsSubtractsNothing) {
  Counted counted;
  for (int second = 1; second <= 20; ++second) counted.tell(second, {500.0 + second, 0});
  for (int second = 21; second <= 30; ++second) counted.tell(second, {second - 20.0, 0});
  EXPECT_NEAR(counted.lately(30), 19 + 9, 1.1) << "the agent began anew at 20";
}

TEST(ThrottleTime, GrowthDuringASilenceDoesNotCountAsRecent) {
  Counted counted;
  for (int second = 1; second <= 20; ++second) counted.tell(second, {10, 10});
  for (int second = 100; second <= 110; ++second) counted.tell(second, {90, 90});
  EXPECT_EQ(counted.lately(110), 0) << "80 s of a silence of 80 s are not of the last 60";
}

TEST(ThrottleTime, IsUnknownWhereNoDeviceReportsIt) {
  SampleFleet fleet;
  fleet.hosts.erase(fleet.hosts.begin());  // only the h100 count
  const std::string text = shown(fleet, {120, 40});
  EXPECT_NE(text.find("summed over 0 of 28 devices"), std::string::npos) << text;
  for (const char* by : {"power cap  ", "thermal  ", "power brake  "}) {
    const std::string line = line_with(text, by);
    EXPECT_NE(line.find("N/A"), std::string::npos) << line;
    EXPECT_EQ(line.find("0s"), std::string::npos) << line;
  }
}

TEST(ThrottleTime, TheTotalIsTheSumOverTheShownDevices) {
  SampleFleet fleet;
  const auto dashboard = dashboard_of(fleet, {120, 40}, "power", false, 2);
  std::string text = dashboard->draw(SampleFleet::after_2s).to_text();
  // 12.5 s times 0 + 1 + .. + 7
  EXPECT_NE(line_with(text, "power cap  ").find("6m"), std::string::npos) << text;
  EXPECT_NE(line_with(text, "thermal  ").find("61s"), std::string::npos) << text;
  for (const char* key : {"/", "i", "n", "d", "e", "x", "=", "=", "2", "Enter"}) {
    dashboard->press(SampleFleet::after_2s, {key});
  }
  text = dashboard->draw(SampleFleet::after_2s).to_text();
  EXPECT_NE(line_with(text, "power cap  ").find("25s"), std::string::npos) << text;
  EXPECT_NE(line_with(text, "power cap  ").find("N/A"), std::string::npos)
      << "how it grew is counted for all of them: " << text;
}

TEST(Throttled, DevicesThatDoNotFitTheRowsAreCounted) {
  SampleFleet fleet;
  const auto dashboard = dashboard_of(fleet, {120, 40}, "power", false, 2);
  std::vector<Sample> rows(8);
  for (std::size_t i = 0; i < rows.size(); ++i) {
    rows[i].device = static_cast<std::uint16_t>(i);
    rows[i][Metric::throttle] = throttle_sw_power_cap;
    rows[i][Metric::clock] = 1'000;
  }
  for (const char* host : {"gpu-a", "gpu-b", "tpu-a"}) {
    dashboard->receive(SampleFleet::after_2s, publish_peer,
                       {host, 1'000, SampleFleet::after_2s, pack(host, rows)});
  }
  const std::string text = dashboard->draw(SampleFleet::after_2s).to_text();
  ASSERT_NE(text.find("Throttled devices 24"), std::string::npos) << text;
  const std::size_t at = text.find("Throttled devices 24");
  int listed = 0;
  for (std::size_t next = text.find(" MHz", at); next != std::string::npos;
       next = text.find(" MHz", next + 1)) {
    ++listed;
  }
  EXPECT_NE(text.find(fmt::format("{} more", 24 - listed), at), std::string::npos) << text;
}

}  // namespace
}  // namespace drover::tui
