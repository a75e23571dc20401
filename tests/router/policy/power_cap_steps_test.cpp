// The lever on device caps, by table.
#include "router/policy/power_cap_steps.h"

#include <gtest/gtest.h>

#include "router/lint/policy_file.h"
#include "tests/router/router_fixture.h"

namespace drover::router {
namespace {

using std::chrono::seconds;

/// Of a kind made for 700 W that can be capped to 200 W.
CappedDevice device(std::uint32_t number, double cap_w, double drawn_w, bool serves = false) {
  return {number, 700, 200, cap_w, drawn_w, serves};
}

struct CapStepCase {
  const char* name;
  double cap_w;
  bool work_waits;
  std::vector<CappedDevice> devices;
  std::vector<CapStep> steps;
};

class Lever : public ::testing::TestWithParam<CapStepCase> {};

TEST_P(Lever, MovesAsFarAsNeeded) {
  CappedGroup limit;
  limit.cap_w = GetParam().cap_w;
  limit.work_waits = GetParam().work_waits;
  limit.devices = GetParam().devices;
  for (const CappedDevice& each : limit.devices) limit.drawn_w += each.drawn_w;
  PowerLeverRules rules;  // near 95 %, back 85 %, floor 60 % (420 W), step 10 % (70 W)
  EXPECT_EQ(choose_cap_steps(rules, limit), GetParam().steps);
}

const std::vector<CappedDevice> busy{device(1, 700, 600), device(2, 700, 650),
                                     device(3, 700, 500, true)};

INSTANTIATE_TEST_SUITE_P(
    Table, Lever,
    ::testing::Values(
        CapStepCase{"between_near_and_back_nothing_moves", 1944, false, busy, {}},
        CapStepCase{"serving_devices_first", 1800, false, busy, {{3, 430}}},
        CapStepCase{"then_those_that_draw_most", 1730, false, busy, {{3, 430}, {2, 580}}},
        CapStepCase{"one_step_at_a_time", 1000, false, busy, {{3, 430}, {2, 580}, {1, 530}}},
        CapStepCase{
            "never_below_the_floor", 500, false, {device(1, 700, 420), device(2, 420, 420)}, {}},
        CapStepCase{"a_step_ends_at_the_floor",
                    500,
                    false,
                    {device(1, 700, 450), device(2, 420, 420)},
                    {{1, 420}}},
        CapStepCase{
            "never_below_what_the_kind_takes", 100, false, {{1, 200, 200, 200, 190, false}}, {}},
        CapStepCase{
            "what_draws_less_than_the_floor_frees_nothing", 100, false, {device(1, 700, 100)}, {}},
        CapStepCase{"work_that_waits_gets_a_step_of_the_cap",
                    2400,
                    true,
                    busy,
                    {{3, 430}, {2, 580}, {1, 530}}},
        CapStepCase{"but_not_where_the_cap_is_far", 4000, true, busy, {}},
        CapStepCase{"upwards_the_others_first",
                    900,
                    false,
                    {device(1, 490, 300), device(2, 490, 300, true)},
                    {{1, 560}, {2, 560}}},
        CapStepCase{"only_as_many_as_there_is_room_for",
                    800,
                    false,
                    {device(1, 490, 300), device(2, 490, 300, true)},
                    {{1, 560}}},
        CapStepCase{"not_beyond_what_it_is_made_for",
                    9000,
                    false,
                    {device(1, 680, 100), device(2, 700, 100)},
                    {{1, 700}}},
        CapStepCase{"without_a_limit_up", 0, false, {device(1, 420, 100)}, {{1, 490}}}),
    [](const auto& named) { return std::string(named.param.name); });

// ---- The router --------------------------------------------------------------------------------

Policy with_lever(double cap_w) {
  auto parsed = parse_policy(fmt::format(R"([pool.gpu]
match = {{ kind = "gpu" }}
[[rule]]
name = "all"
[limits]
power_cap_w = {{ "pool.gpu" = {} }}
power_lever = {{ near = "95%", back = "85%", floor = "60%", step = "10%", every_s = 10 }}
)",
                                         cap_w),
                             "test.toml");
  DROVER_REQUIRE(parsed.ok());
  return std::move(parsed).value();
}

TEST(PowerLever, RecordsStepsBeforeSendingThemToAgentsAndReversesThem) {
  RouterHarness stage({}, with_lever(4000));
  stage.add_host(1, "h1");
  stage.commit();
  stage.forget();
  std::vector<Sample> rows = RouterHarness::idle_samples(8);
  for (Sample& row : rows) row[Metric::power] = 490;  // 3,920 W
  std::uint64_t sequence = 100;
  const auto live = [&](int count) {
    for (int second = 0; second < count; ++second) {
      stage.receive(1, Heartbeat{});
      stage.receive_samples("h1", ++sequence, rows);
      stage.wait(seconds(1));
    }
  };
  live(3);
  EXPECT_TRUE(stage.told<CapDevices>(1).empty()) << "nothing is on disk";
  stage.commit();
  const auto told = stage.told<CapDevices>(1);
  ASSERT_EQ(told.size(), 1u);
  EXPECT_EQ(told[0].devices, (std::vector<std::uint16_t>{0, 1}));
  EXPECT_EQ(told[0].watts, 420);
  const Audit audit = stage.published<Audit>().back();
  EXPECT_EQ(audit.who, "router");
  EXPECT_EQ(audit.action, "lower power caps");
  EXPECT_EQ(audit.target, "pool:gpu");
  EXPECT_EQ(audit.detail, "h1/0-1 to 420 W");
  for (Sample& row : rows) row[Metric::power] = 100;
  for (const std::uint16_t number : {0, 1}) rows[number][Metric::power_cap] = 420;
  stage.forget();
  live(12);
  stage.commit();
  ASSERT_FALSE(stage.told<CapDevices>(1).empty());
  EXPECT_EQ(stage.told<CapDevices>(1)[0].watts, 490);
  EXPECT_EQ(stage.published<Audit>().back().action, "raise power caps");
}

TEST(PowerLever, ThrottlesNoDeviceForWorkThatWouldNeverFit) {
  for (const auto& [devices, pulled] : {std::pair{2, true}, std::pair{7, false}}) {
    RouterHarness stage({}, with_lever(2170));
    stage.add_host(1, "h1");
    stage.commit();
    std::vector<Sample> rows = RouterHarness::idle_samples(8);
    // 1,800 W: not near the cap. A step down would take some from two of them.
    for (Sample& row : rows) row[Metric::power] = row.device < 2 ? 690 : 70;
    stage.receive_samples("h1", 100, rows);
    stage.receive(9, Submit{{train_job(1, static_cast<std::uint16_t>(devices))}});
    std::uint64_t sequence = 100;
    for (int second = 0; second < 25; ++second) {
      stage.receive(1, Heartbeat{});
      stage.receive_samples("h1", ++sequence, rows);
      stage.wait(seconds(1));
      stage.commit();
    }
    const JobChanged job = stage.published<JobChanged>().back();
    EXPECT_EQ(job.reason, Reason::power_cap) << devices;
    EXPECT_EQ(!stage.told<CapDevices>(1).empty(), pulled) << devices;
  }
}

}  // namespace
}  // namespace drover::router
