// What agents expect and hold: no more of it is believed than can be true. Of what they used, see
// the figures in ledger_test.cpp.
#include "router/figure_bounds.h"

#include <gtest/gtest.h>

#include "tests/router/hall.h"

namespace drover::router {
namespace {

constexpr double year_s = 365.0 * 86'400;

std::size_t cuts_told(const Stage& stage) {
  std::size_t told = 0;
  for (const Event& event : stage.published<Event>()) {
    told += event.text.find("figures that cannot be true for") != std::string::npos ? 1U : 0U;
  }
  return told;
}

TEST(FigureBounds, AnEstimateIsFromNothingToAYear) {
  const struct {
    double said, believed;
    bool cut;
  } cases[] = {
      {0, 0, false},           {3.5, 3.5, false},   {year_s, year_s, false},   {-1, 0, true},
      {1.7e308, year_s, true}, {-1.7e308, 0, true}, {year_s * 2, year_s, true}};
  for (const auto& row : cases) {
    double seconds = row.said;
    EXPECT_EQ(cut_estimate(seconds), row.cut) << row.said;
    EXPECT_EQ(seconds, row.believed) << row.said;
  }
}

TEST(FigureBounds, ThePaceOfAMemberThatCannotBeTrueIsCutAndTold) {
  Hall hall;
  hall.begin_over_two();
  ASSERT_EQ(hall.steps_told(1).back(), 1.5 + 0.1);
  hall.receive(2, MemberPace{job_id(1), 1, 1.7e308, 1.7e308});
  EXPECT_EQ(hall.steps_told(1).back(), 2 * year_s);
  EXPECT_EQ(cuts_told(hall), 1u);
  hall.receive(2, MemberPace{job_id(1), 1, 1.0, -5});
  EXPECT_EQ(hall.steps_told(1).back(), 1.0 + 0.1) << "never less than nothing";
}

TEST(FigureBounds, TheTimeThatAJobStillTakesIsAYearAtMost) {
  Hall hall;
  hall.begin_over_two();
  hall.receive(1, Progress{job_id(1), 1, 0.5, 60, 0});
  EXPECT_EQ(hall.last(1).remaining_s, 60);
  EXPECT_EQ(cuts_told(hall), 0u);
  hall.receive(1, Progress{job_id(1), 1, 0.5, 1.7e308, 0});
  EXPECT_EQ(hall.last(1).remaining_s, year_s);
  hall.receive(1, Progress{job_id(1), 1, 0.5, -1.7e308, 0});
  EXPECT_EQ(hall.last(1).remaining_s, 0);
  EXPECT_EQ(cuts_told(hall), 1u) << "one a minute";
}

TEST(FigureBounds, AReplicaHoldsNoMoreThanItsDevicesCan) {
  Stage stage;
  stage.add_host(1, "h1");
  Replica absurd = Stage::replica("h1", 0);
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

}  // namespace
}  // namespace drover::router
