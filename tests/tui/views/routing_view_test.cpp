// Above the live decisions: how fast work goes where, what falling back costs, how the pools are.
#include <cmath>

#include <gtest/gtest.h>

#include "tests/tui/golden_screen.h"
#include "tests/tui/sample_fleet.h"
#include "tui/canvas/layout.h"
#include "tui/views/view_layouts.h"

namespace drover::tui {
namespace {

using std::chrono::seconds;
const PoolFlowKey as_wanted{"hopper", "hopper", std::nullopt};

/// A model that hears decisions at chosen instants, and a summary so that it is not silent.
struct Routed {
  Model model;
  std::uint64_t number = 0;

  explicit Routed(Duration wall = seconds(1)) : model(wall) {}
  void decide(Instant at, const std::string& pool = "hopper") {
    Decision decision;
    decision.number = ++number;
    decision.at = at;
    decision.preferred_pool = decision.pool = pool;
    model.apply(at, {"router", number, at, decision});
  }
  void hear(Instant at) { model.apply(at, {"router", 0, at, Summary{}}); }
  double rate(Instant now) { return model.per_min(model.flows().at(as_wanted), now); }
};

TEST(FlowRates, CoverOnlyTheLastMinute) {
  Routed routed;
  for (int second = 0; second < 100; ++second) routed.decide(SampleFleet::start + seconds(second));
  EXPECT_NEAR(routed.rate(SampleFleet::start + seconds(100)), 60, 1);
  for (int second = 100; second < 300; ++second) {
    second % 10 == 0 ? routed.decide(SampleFleet::start + seconds(second))
                     : routed.hear(SampleFleet::start + seconds(second));
  }
  EXPECT_NEAR(routed.rate(SampleFleet::start + seconds(300)), 6, 1);
  for (int second = 300; second < 366; ++second) routed.hear(SampleFleet::start + seconds(second));
  EXPECT_EQ(routed.rate(SampleFleet::start + seconds(365)), 0);
  EXPECT_EQ(routed.model.flows().at(as_wanted).all, 120u) << "the count is of all";
}

TEST(FlowRates, ArePerMinuteOfFleetTimeAtAnySpeed) {
  for (const int pace : {1, 5, 60}) {
    Routed routed{seconds(pace)};
    for (int second = 0; second < 100 * pace; second += pace) {
      routed.decide(SampleFleet::start + seconds(second));
    }
    EXPECT_NEAR(routed.rate(SampleFleet::start + seconds(100 * pace)), 60.0 / pace, 1) << pace;
  }
}

TEST(FlowRates, AreUnknownUntilEnoughTimeHasPassed) {
  Routed routed;
  routed.decide(SampleFleet::start);
  EXPECT_TRUE(std::isnan(routed.rate(SampleFleet::start + seconds(4))));
  routed.decide(SampleFleet::start + seconds(5));
  EXPECT_NEAR(routed.rate(SampleFleet::start + seconds(6)), 20, 0.1) << "two in six seconds";
}

TEST(FlowRates, AreUnknownWhileTheRouterIsSilent) {
  Routed routed;
  for (int second = 0; second < 60; ++second) routed.decide(SampleFleet::start + seconds(second));
  EXPECT_FALSE(std::isnan(routed.rate(SampleFleet::start + seconds(61))));
  EXPECT_TRUE(std::isnan(routed.rate(SampleFleet::start + seconds(70))));
}

TEST(FlowRates, ForAPastMomentDoNotChangeLater) {
  Routed routed;
  for (int second = 0; second < 100; ++second) routed.decide(SampleFleet::start + seconds(second));
  const Model then = routed.model;
  const double rate = then.per_min(then.flows().at(as_wanted), SampleFleet::start + seconds(99));
  for (int second = 100; second < 200; ++second) routed.hear(SampleFleet::start + seconds(second));
  EXPECT_EQ(then.per_min(then.flows().at(as_wanted), SampleFleet::start + seconds(99)), rate);
  EXPECT_NEAR(rate, 60, 1);
}

TEST(FlowRates, CountPastDecisionsInASnapshotAtTheirOriginalTimes) {
  SampleFleet fleet;
  Model model(seconds(1));
  // The decisions of the last 21 seconds come at once.
  for (const Envelope& envelope : fleet.state()) model.apply(SampleFleet::start, envelope);
  const double rate = model.per_min(model.flows().at(as_wanted), SampleFleet::start);
  EXPECT_NEAR(rate, 24 * 60 / 20.0, 5);
}

/// A decision to assign, after all others.
void add_placement(SampleFleet& fleet, const std::string& pool, std::optional<Reason> reason,
                   std::uint8_t step) {
  Decision decision;
  decision.number = 1'000 + fleet.decisions.size();
  decision.at = SampleFleet::start;
  decision.model = "llama-3.1-8b";
  decision.preferred_pool = "tpu";
  decision.pool = pool;
  decision.target = pool == "tpu" ? "tpu-a/r0" : "gpu-a/r0";
  decision.fallback_reason = reason;
  decision.fallback_step = step;
  fleet.decisions.push_back(decision);
}

TEST(Flows, WorkThatStayedInItsPoolDidNotFallBack) {
  SampleFleet fleet;
  fleet.decisions.clear();
  add_placement(fleet, "tpu", std::nullopt, 0);
  add_placement(fleet, "tpu", Reason::queue_slo, 0);
  add_placement(fleet, "hopper", Reason::capacity, 1);
  add_placement(fleet, "tpu", Reason::capacity, 1);  // a fallback of the rule in the same pool
  const auto dashboard = dashboard_of(fleet, {80, 40}, "routing", false, 2);
  const std::string text = dashboard->draw(SampleFleet::after_2s).to_text();
  EXPECT_NE(text.find("2 of 4 fell back"), std::string::npos) << text;
  EXPECT_NE(line_with(text, "─▶ (stayed)").find("queue_slo"), std::string::npos) << text;
  EXPECT_NE(text.find("stayed: queue"), std::string::npos) << "the list of decisions" << text;
  EXPECT_EQ(text.find("stayed: cap"), std::string::npos) << text;
}

TEST(Flows, AFewOfThousandsAreNotNone) {
  SampleFleet fleet;
  fleet.decisions.clear();
  for (int i = 0; i < 300; ++i) add_placement(fleet, "tpu", std::nullopt, 0);
  add_placement(fleet, "hopper", Reason::capacity, 1);
  const auto dashboard = dashboard_of(fleet, {80, 40}, "routing", false, 2);
  const std::string line = line_with(dashboard->draw(SampleFleet::after_2s).to_text(), "─▶ hopper");
  EXPECT_NE(line.find("<1%"), std::string::npos) << line;
}

SampleFleet fleet_of_many_flows() {
  SampleFleet fleet;
  for (int i = 0; i < 20; ++i) {
    Decision decision = fleet.decisions.back();
    decision.number = 1'000 + static_cast<std::uint64_t>(i);
    decision.preferred_pool = decision.pool = "pool-" + std::to_string(i);
    fleet.decisions.push_back(decision);
  }
  return fleet;
}

TEST(Flows, ThatDoNotFitAreCounted) {
  SampleFleet fleet = fleet_of_many_flows();
  const auto dashboard = dashboard_of(fleet, {120, 40}, "routing", false, 2);
  const std::string text = dashboard->draw(SampleFleet::after_2s).to_text();
  EXPECT_NE(text.find("17 more flows, of 17 jobs"), std::string::npos) << text;
}

TEST(Flows, LeaveRoomForThreePools) {
  SampleFleet fleet = fleet_of_many_flows();
  fleet.summary.fallbacks = {{Reason::capacity, 10}, {Reason::thermal, 4},   {Reason::memory, 2},
                             {Reason::queue_slo, 1}, {Reason::precision, 1}, {Reason::cooldown, 1}};
  Model model(seconds(1));
  for (const Envelope& envelope : fleet.state()) model.apply(SampleFleet::start, envelope);
  // Of 120x40 and 80x24 also with a caption and the line of time.
  for (const Size& body :
       {Size{120, 38}, Size{120, 36}, Size{120, 34}, Size{80, 22}, Size{80, 20}, Size{80, 18}}) {
    const RoutingPage page = lay_out_routing_page(model, body.columns, body.rows);
    const TableLayout layout = lay_out_routing({0, 0, body.columns, body.rows}, page, 0);
    const int shown = layout.top.rows - (page.rows > layout.top.rows ? 1 : 0);
    EXPECT_GE(shown - page.pools.row - pool_panel_first_row, 3) << body.columns << "x" << body.rows;
  }
}

TEST(Flows, ThatHaveNoRoomAreCounted) {
  SampleFleet fleet = fleet_of_many_flows();
  const auto dashboard = dashboard_of(fleet, {80, 24}, "routing", false, 2);
  const std::string text = dashboard->draw(SampleFleet::after_2s).to_text();
  EXPECT_NE(text.find("19 more flows, of 19 jobs"), std::string::npos) << text;
}

TEST(Fallbacks, ShowTheirExtraCostsAndSavings) {
  SampleFleet fleet;
  fleet.summary.fallbacks = {{Reason::capacity, 10}, {Reason::thermal, 4}, {Reason::memory, 2}};
  fleet.summary.fallback_costs = {{Reason::capacity, 10, 1.5, 2e3, 90, 9},
                                  {Reason::thermal, 4, -0.25, -3e3, -12, 4},
                                  {Reason::memory, 2, 0, 0, 0, 0}};
  const auto dashboard = dashboard_of(fleet, {120, 40}, "routing", false, 2);
  const Canvas& canvas = dashboard->draw(SampleFleet::after_2s);
  const std::string text = canvas.to_text();
  for (const char* part : {"+$1.50", "+2.00kJ", "+90s"}) {
    EXPECT_NE(line_with(text, part).find("capacity "), std::string::npos) << part << "\n" << text;
    EXPECT_EQ(role_at(canvas, "capacity ", part), CellStyle::warm);
  }
  for (const char* part : {"-$0.25", "-3.00kJ", "-12s"}) {
    EXPECT_NE(line_with(text, part).find("thermal "), std::string::npos) << part << "\n" << text;
    EXPECT_EQ(role_at(canvas, "thermal ", part), CellStyle::good);
  }
  EXPECT_NE(text.find("memory              2       N/A       N/A       N/A"), std::string::npos)
      << "no estimate could be made there: " << text;
}

TEST(Pools, ShowTheirHealthInWordsAndTheSiteShowsItsBudget) {
  SampleFleet fleet;
  fleet.summary.pools.resize(1);
  PoolReport& pool = fleet.summary.pools[0];
  pool = {.name = "mixed",
          .devices = 12,
          .usable = 3,
          .unusable = 2,
          .drained = 4,
          .ejected = 1,
          .suspect = 2,
          .lost = 8};
  for (const int columns : {80, 120, 200}) {
    const auto dashboard = dashboard_of(fleet, {columns, 60}, "routing", false, 2);
    const std::string text = dashboard->draw(SampleFleet::after_2s).to_text();
    const std::string line = line_with(text, "mixed");
    EXPECT_NE(line.find("3 of 12"), std::string::npos) << line;
    EXPECT_NE(line.find("8 lost, 1 ejected"), std::string::npos) << line;
    EXPECT_NE(line_with(text, "site ").find("92% of $90.00 budget"), std::string::npos) << text;
  }
}

TEST(Pools, WithoutDevicesHaveUnknownPowerAndCost) {
  SampleFleet fleet;
  const auto dashboard = dashboard_of(fleet, {120, 40}, "routing", false, 2);
  const std::string line = line_with(dashboard->draw(SampleFleet::after_2s).to_text(), "edge  ");
  EXPECT_NE(line.find("N/A"), std::string::npos) << line;
  EXPECT_EQ(line.find("0W"), std::string::npos) << line;
  EXPECT_EQ(line.find('$'), std::string::npos) << line;
}

TEST(Pools, WithoutContentTakeNoLine) {
  SampleFleet fleet;
  fleet.summary.pools = {{.name = "has-none"},
                         {.name = "has-work", .queued = 1},
                         {.name = "has-lost", .lost = 2},
                         {.name = "has-some", .devices = 1, .usable = 1}};
  const auto dashboard = dashboard_of(fleet, {120, 40}, "routing", false, 2);
  const std::string text = dashboard->draw(SampleFleet::after_2s).to_text();
  EXPECT_EQ(text.find("has-none"), std::string::npos) << text;
  EXPECT_NE(line_with(text, "Pools 4").find("1 without devices"), std::string::npos) << text;
  for (const char* name : {"has-work", "has-lost", "has-some"}) {
    EXPECT_NE(text.find(name), std::string::npos) << text;
  }
}

TEST(Pools, ThatDoNotFitAreCounted) {
  SampleFleet fleet;
  fleet.summary.pools.assign(100, PoolReport{.name = "many", .devices = 1});
  const auto dashboard = dashboard_of(fleet, {120, 40}, "routing", false, 2);
  EXPECT_NE(dashboard->draw(SampleFleet::after_2s).to_text().find("76 more not shown"),
            std::string::npos);
}

TEST(Routing, DecisionsKeepAThirdOfEveryScreen) {
  SampleFleet fleet;
  fleet.summary.pools.assign(100, PoolReport{.name = "many", .devices = 1});
  Model model(seconds(1));
  for (const Envelope& envelope : fleet.state()) model.apply(SampleFleet::start, envelope);
  for (int rows = 16; rows <= 120; ++rows) {
    for (const int columns : {60, 80, 120, 200}) {
      // A title and hints, and up to three lines between them.
      const Rect body{0, 2, columns, rows - 2};
      EXPECT_GE(3 * lay_out_routing(body, lay_out_routing_page(model, columns, rows), 0).list.rows,
                rows)
          << columns << "x" << rows;
    }
  }
}

TEST(RoutingView, EqualDecisionsOfASecondMatchTheReferenceClosedAndOpen) {
  SampleFleet fleet;
  const auto dashboard = dashboard_of(fleet, {120, 40}, "routing");
  Decision decision = fleet.decisions.back();
  for (int i = 0; i < 37; ++i) {
    ++decision.number;
    decision.at = SampleFleet::after_40s;
    decision.target = i % 2 == 0 ? "gpu-a/r0" : "gpu-a/r1";
    dashboard->receive(SampleFleet::after_40s, publish_peer,
                       fleet.published(decision, SampleFleet::after_40s));
  }
  expect_screen("routing-grouped-120", styled_text(dashboard->draw(SampleFleet::after_40s)));
  for (const char* key : {"j", "Enter"}) {
    dashboard->press(SampleFleet::after_40s, {key});
    dashboard->draw(SampleFleet::after_40s);
  }
  expect_screen("routing-group-open-120", styled_text(dashboard->draw(SampleFleet::after_40s)));
}

}  // namespace
}  // namespace drover::tui
