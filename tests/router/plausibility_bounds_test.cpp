// What agents expect and hold: no more of it is believed than can be true. Of what they used, see
// the figures in ledger_test.cpp.
#include "router/jobs/plausibility_bounds.h"

#include <cmath>

#include <gtest/gtest.h>

#include "tests/router/gang_fixture.h"

namespace drover::router {
namespace {

constexpr double year_s = 365.0 * 86'400;

std::vector<std::string> cuts(const RouterHarness& stage) {
  std::vector<std::string> texts;
  for (const Event& event : stage.published<Event>()) {
    if (event.text.find("implausible figures for") == std::string::npos) continue;
    texts.push_back(event.subject + " " + event.text);
  }
  return texts;
}

std::size_t cuts_told(const RouterHarness& stage) { return cuts(stage).size(); }

TEST(PlausibleUsage, AnEstimateIsFromZeroToAYear) {
  const struct {
    double said, believed;
    bool clamp_to;
  } cases[] = {
      {0, 0, false},           {3.5, 3.5, false},   {year_s, year_s, false},   {-1, 0, true},
      {1.7e308, year_s, true}, {-1.7e308, 0, true}, {year_s * 2, year_s, true}};
  for (const auto& row : cases) {
    double seconds = row.said;
    EXPECT_EQ(clamp_estimate(seconds), row.clamp_to) << row.said;
    EXPECT_EQ(seconds, row.believed) << row.said;
  }
}

TEST(PlausibleUsage, AnImplausibleMemberStepTimeIsClampedAndReported) {
  GangHarness fixture;
  fixture.begin_over_two();
  ASSERT_EQ(fixture.steps_told(1).back(), 1.5 + 0.1);
  fixture.receive(2, MemberStepTime{job_id(1), 1, 1.7e308, 1.7e308});
  EXPECT_EQ(fixture.steps_told(1).back(), 2 * year_s);
  EXPECT_EQ(cuts_told(fixture), 1u);
  fixture.receive(2, MemberStepTime{job_id(1), 1, 1.0, -5});
  EXPECT_EQ(fixture.steps_told(1).back(), 1.0 + 0.1) << "never less than nothing";
}

TEST(PlausibleUsage, TheRemainingTimeOfAJobIsAtMostAYear) {
  GangHarness fixture;
  fixture.begin_over_two();
  fixture.receive(1, Progress{job_id(1), 1, 0.5, 60, 0});
  EXPECT_EQ(fixture.last(1).remaining_s, 60);
  EXPECT_EQ(cuts_told(fixture), 0u);
  fixture.receive(1, Progress{job_id(1), 1, 0.5, 1.7e308, 0});
  EXPECT_EQ(fixture.last(1).remaining_s, year_s);
  fixture.receive(1, Progress{job_id(1), 1, 0.5, -1.7e308, 0});
  EXPECT_EQ(fixture.last(1).remaining_s, 0);
  EXPECT_EQ(cuts_told(fixture), 1u) << "one a minute";
}

TEST(PlausibleUsage, AReplicaUsesNoMoreThanItsDevicesHave) {
  RouterHarness stage;
  stage.add_host(1, "h1");
  Replica absurd = RouterHarness::replica("h1", 0);
  absurd.weights_bytes = absurd.kv_token_bytes = UINT64_MAX;
  absurd.kv_capacity_tokens = absurd.kv_used_tokens = UINT64_MAX;
  absurd.batch_max = absurd.queued = absurd.running = UINT32_MAX;
  absurd.tenants = {{"eve", UINT32_MAX, UINT64_MAX}};
  EXPECT_EQ(cuts_told(stage), 0u) << "what it said first can be true";
  stage.receive(1, ReplicaReport{absurd});
  const auto changes = stage.published<ReplicaChanged>();
  ASSERT_FALSE(changes.empty());
  const Replica& believed = changes.back().replica;
  constexpr std::uint64_t memory_max = 96'000'000'000;  // an H100 has 80 GB
  EXPECT_LT(believed.weights_bytes, memory_max);
  EXPECT_LT(believed.kv_token_bytes, memory_max);
  EXPECT_LT(believed.kv_capacity_tokens, memory_max);
  EXPECT_LT(believed.kv_used_tokens, memory_max);
  EXPECT_LT(believed.tenants.at(0).kv_tokens, memory_max);
  for (const std::uint32_t requests :
       {believed.batch_max, believed.queued, believed.running, believed.tenants.at(0).requests}) {
    EXPECT_LE(requests, 1'000'000u);
  }
  EXPECT_EQ(cuts_told(stage), 1u);
}

TEST(PlausibleUsage, AnImplausibleSampleIsIgnoredAndReported) {
  RouterHarness stage;
  stage.add_host(1, "h1");
  const double before_w = stage.router->summary(stage.now).power_w;
  ASSERT_EQ(before_w, 800);
  std::vector<Sample> rows = RouterHarness::idle_samples(8);
  rows[3][Metric::power] = 200'000;
  rows[4][Metric::temperature] = 3'000;
  rows[5][Metric::power] = 150;
  stage.receive_samples("h1", 100, rows);
  EXPECT_EQ(stage.router->summary(stage.now).power_w, 850) << "what else they said counts";
  stage.receive_samples("h1", 101, rows);
  ASSERT_EQ(cuts_told(stage), 1u) << "one a minute";
  EXPECT_EQ(cuts(stage)[0],
            "h1 reported implausible figures for the power of device 3 (200000 W, treated as "
            "not reported), 1 message so far");
}

TEST(PlausibleUsage, ARegisterWithImplausibleAirOrPowerLimitsIsRefused) {
  struct Case {
    double ambient_c, power_cap_w;
    std::string why;  // empty: it is taken
  };
  for (const Case& row : std::vector<Case>{
           {-40, 0, ""},
           {80, 100'000, ""},
           {81, 0, "Register of h1: ambient_c: found 81 C, expected -40 to 80 C"},
           {-1e300, 0, "Register of h1: ambient_c: found -1e+300 C, expected -40 to 80 C"},
           {std::nan(""), 0, "Register of h1: ambient_c: found nan C, expected -40 to 80 C"},
           {22, -1, "Register of h1: group g0: power_cap_w: found -1 W, expected 0 to 100000 W"},
           {22, 1e6,
            "Register of h1: group g0: power_cap_w: found 1000000 W, expected 0 to 100000 W"},
       }) {
    RouterHarness stage;
    stage.receive(1, Join{Role::agent, "h1", "drover test"});
    Register registration = stage.registration("h1");
    registration.ambient_c = row.ambient_c;
    registration.groups[0].power_cap_w = row.power_cap_w;
    stage.receive(1, registration);
    const auto refused = stage.told<JoinRejected>(1);
    EXPECT_EQ(refused.empty() ? "" : refused[0].why, row.why);
    EXPECT_EQ(stage.published<HostChanged>().empty(), !row.why.empty());
  }
}

TEST(PlausibleUsage, NoDeviceCostsMoreThanTheMaximumWhateverPolicyAndHostSay) {
  constexpr double most_usd_per_h = 100'000;  // docs/ledger.md
  for (const double factor : {0.5, 1.0, 1000.0}) {
    GangHarness fixture(
        policy_of("[pool.dear]\nmatch = {}\nprice_per_hour = 100000\n[[rule]]\n"
                  "name = \"r\"\npools = [\"dear\"]\n"));
    fixture.receive(1, Join{Role::agent, "h1", "drover test"});
    Register registration = fixture.registration("h1");
    registration.price_factor = factor;
    fixture.receive(1, registration);
    fixture.receive_samples("h1", 100, RouterHarness::idle_samples(8));
    fixture.submit(1, 8);
    ASSERT_EQ(fixture.told<Assign>(1).size(), 1u);
    const double each = std::min(factor, 1.0) * most_usd_per_h;
    EXPECT_DOUBLE_EQ(fixture.router->summary(fixture.now).spend_usd_per_h, 8 * each) << factor;
    fixture.accept(1, 1, 1.0);
    fixture.wait(std::chrono::seconds(1));
    Finished finished;
    finished.job = job_id(1);
    finished.attempt = 1;
    finished.usage = {8, 100, 1};
    fixture.receive(1, finished);
    fixture.commit();
    const Usage charged = fixture.router->summary(fixture.now).charged;
    EXPECT_NEAR(charged.cost_usd, charged.device_s / 3600 * each, 1e-6) << factor;
    const auto decided = fixture.published<Decision>();
    ASSERT_FALSE(decided.empty());
    const Estimate& expected = decided.front().top.at(0).estimate;
    EXPECT_LE(expected.cost_usd, 8 * expected.finish_s / 3600 * each * 1.001) << factor;
  }
}

}  // namespace
}  // namespace drover::router
