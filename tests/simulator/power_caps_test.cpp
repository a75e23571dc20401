// Power caps over whole fleets: what the devices truly draw, against what the router has promised.
#include <algorithm>
#include <string>

#include <gtest/gtest.h>

#include "devices/catalogue/catalogue.h"
#include "simulator/simulation.h"
#include "tests/simulator/fleet_under_test.h"

namespace drover::simulator {
namespace {

using std::chrono::milliseconds;
using std::chrono::seconds;

constexpr Duration look_every = milliseconds(100);
/// As the answer says.
constexpr Duration met_within = seconds(10);

/// The mixed fleet, with long trainings on its GPUs besides the requests.
Scenario busy_scenario(std::uint64_t seed) {
  Scenario scenario = mixed_scenario(seed, 150, 6);
  RandomStream random = RandomStream(seed).child("long work");
  scenario.arrivals.push_back({seconds(1), training(random, "llama-3.1-8b", 8, 4000)});
  scenario.arrivals.push_back({seconds(1), training(random, "bert-large", 2, 40'000)});
  return scenario;
}

class CappedWorld {
 public:
  explicit CappedWorld(Scenario scenario)
      : start_(scenario.start), world_(std::move(scenario), devices::Catalogue::embedded()) {}

  Simulation& world() { return world_; }
  double drawn_w() const { return world_.drawn_w(); }
  bool alert_is_up(const std::string& subject = "site") const {
    return world_.seen().standing.contains({"power_cap_unmet", subject});
  }
  /// GPUs that may not draw what they are made for.
  int lowered() const {
    int count = 0;
    for (const auto& [host, devices] : world_.devices()) {
      const double made_for_w = host == "h100-1" ? 700 : host == "a100-1" ? 400 : 0;
      for (const agents::DeviceTruth& device : devices) {
        if (device.power_cap_w < made_for_w) ++count;
      }
    }
    return count;
  }
  /// What the one cap of the scenario was answered.
  std::string answer() const {
    return world_.seen().replies.empty() ? "" : world_.seen().replies.front().summary;
  }
  void run_until(Duration at) { world_.run_for(at); }
  /// The most that was drawn at any look until then.
  double most_until(Duration at) {
    double most_w = 0;
    for (Duration look = world_.now() - start_; look <= at; look += look_every) {
      world_.run_for(look);
      most_w = std::max(most_w, drawn_w());
    }
    return most_w;
  }
  /// From here until then, whenever more than the cap is drawn for longer than was stated, the
  /// alert is up.
  void expect_met_or_said(Duration at, double cap_w, const std::string& what) {
    Duration over{};
    for (Duration look = world_.now() - start_; look <= at; look += look_every) {
      world_.run_for(look);
      over = drawn_w() > cap_w ? over + look_every : Duration{};
      ASSERT_TRUE(over <= met_within + seconds(2) || alert_is_up())
          << what << ": draws " << drawn_w() << " W of " << cap_w << " W";
    }
  }

 private:
  Instant start_;
  Simulation world_;
};

TEST(PowerCapOverrides, AreMetByActualPowerWithinTheStatedTimeAndLiftedAfterwards) {
  for (const std::uint64_t seed : {1U, 2U}) {
    Scenario scenario = busy_scenario(seed);
    const double cap_w = 5'000;
    scenario.actions = {{seconds(40), SetPowerCap{"site", cap_w, seconds(60)}}};
    CappedWorld fleet(std::move(scenario));
    const double before_w = fleet.most_until(seconds(40));
    ASSERT_GT(before_w, 1.1 * cap_w) << "seed " << seed;
    fleet.run_until(seconds(40) + met_within);
    EXPECT_NE(fleet.answer().find("5.00kW within 10s"), std::string::npos) << fleet.answer();
    EXPECT_LE(fleet.drawn_w(), cap_w) << "seed " << seed;
    fleet.expect_met_or_said(seconds(100), cap_w, "seed " + std::to_string(seed));
    EXPECT_FALSE(fleet.alert_is_up()) << "it is met";
    EXPECT_GT(fleet.lowered(), 0) << "seed " << seed;
    fleet.run_until(seconds(104));
    EXPECT_EQ(fleet.lowered(), 0) << "all that was taken is given back, seed " << seed;
    EXPECT_EQ(fleet.world().seen().alerts_out_of_turn, 0U);
  }
}

TEST(PowerCapOverrides, ThatCannotBeMetRaiseAnAlert) {
  for (const std::uint64_t seed : {1U, 2U}) {
    Scenario scenario = busy_scenario(seed);
    scenario.actions = {{seconds(40), SetPowerCap{"site", 2'600, seconds(60)}}};
    CappedWorld fleet(std::move(scenario));
    fleet.run_until(seconds(52));
    EXPECT_NE(fleet.answer().find("but not 2.60kW: "), std::string::npos) << fleet.answer();
    ASSERT_GT(fleet.drawn_w(), 2'600);
    EXPECT_TRUE(fleet.alert_is_up());
    fleet.expect_met_or_said(seconds(100), 2'600, "seed " + std::to_string(seed));
    fleet.run_until(seconds(105));
    EXPECT_FALSE(fleet.alert_is_up()) << "the cap is over";
  }
}

TEST(PowerCapOverrides, ForAPoolLimitOnlyItsDevices) {
  Scenario scenario = busy_scenario(3);
  const std::string pool = "h100";
  scenario.actions = {{seconds(40), SetPowerCap{"pool:" + pool, 1'800, seconds(60)}}};
  CappedWorld fleet(std::move(scenario));
  const auto drawn_w = [&](const std::string& host) {
    double sum_w = 0;
    const auto devices = fleet.world().devices();
    for (const agents::DeviceTruth& each : devices.at(host)) sum_w += each.power_w;
    return sum_w;
  };
  fleet.run_until(seconds(40));
  ASSERT_GT(drawn_w("h100-1"), 1'800);
  fleet.run_until(seconds(40) + met_within);
  EXPECT_LE(drawn_w("h100-1"), 1'800) << fleet.answer();
  EXPECT_FALSE(fleet.alert_is_up("pool:" + pool));
  const auto others = fleet.world().devices();
  for (const agents::DeviceTruth& each : others.at("a100-1")) EXPECT_EQ(each.power_cap_w, 400);
}

TEST(PowerCapOverrides, HoldAcrossLostHostsAgentRestartsAndARouterRestart) {
  for (const std::uint64_t seed : {1U, 2U}) {
    Scenario scenario = busy_scenario(seed);
    scenario.actions = {{seconds(20), SetPowerCap{"site", 4'500, Duration{}}},
                        {seconds(140), SetPowerCap{"site", 0, Duration{}}}};
    scenario.agent_kills = {{seconds(35), "h100-1", seconds(20)}};
    scenario.partitions = {{seconds(70), "a100-1", seconds(5)}};
    scenario.router_kills = {{seconds(90), seconds(6)}};
    CappedWorld fleet(std::move(scenario));
    fleet.run_until(seconds(20));
    // While there is no router nobody can say anything.
    fleet.expect_met_or_said(seconds(90), 4'500, "seed " + std::to_string(seed));
    fleet.run_until(seconds(97));
    fleet.expect_met_or_said(seconds(140), 4'500, "seed " + std::to_string(seed));
    EXPECT_EQ(fleet.world().seen().alerts_out_of_turn, 0U);
  }
}

}  // namespace
}  // namespace drover::simulator
