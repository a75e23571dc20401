// Which devices for this work: who may win, by what, and from which batch.
#include "devices/estimate/comparison.h"

#include <gtest/gtest.h>

#include "tests/devices/embedded.h"

namespace drover::devices {
namespace {

ComparisonWorkload work_of(CaseKind kind, std::string_view model) {
  ComparisonWorkload work;
  work.kind = kind;
  work.model = &model_named(model);
  work.input = 512;
  work.output = 256;
  work.sequence = 2048;
  return work;
}

Candidate candidate(std::string_view device, int count) { return {&device_named(device), count}; }

TEST(Comparison, SaysWhyADeviceCannotTakeTheWork) {
  const ComparisonResult small =
      compare_one(work_of(CaseKind::serve, "llama-3.1-70b"), candidate("tpu-v5e", 1), 8);
  EXPECT_FALSE(small.eligible);
  EXPECT_FALSE(small.why.empty());
  ComparisonWorkload strict = work_of(CaseKind::serve, "llama-3.1-8b");
  strict.objectives.tpot_s = 1e-6;
  const ComparisonResult late = compare_one(strict, candidate("h100-sxm", 1), 8);
  EXPECT_FALSE(late.eligible);
  EXPECT_NE(late.why.find("time per token"), std::string::npos) << late.why;
  EXPECT_FALSE(winner({small, late}, RankingMetric::time));
}

TEST(Comparison, TheLowestEligibleCandidateWinsAndTiesGoToTheFirst) {
  const ComparisonWorkload work = work_of(CaseKind::serve, "llama-3.1-8b");
  const ComparisonResult one = compare_one(work, candidate("h100-sxm", 1), 8);
  ComparisonResult dear = one;
  dear.unit_usd *= 2;
  ComparisonResult unfit = one;
  unfit.unit_usd /= 2;
  unfit.eligible = false;
  ComparisonResult unpriced = one;
  unpriced.unit_usd = -1;
  EXPECT_EQ(winner({dear, one, one, unfit, unpriced}, RankingMetric::cost), 1U);
}

TEST(Comparison, WinningRangesCoverEveryBatchOnceAndAdjacentOnesDiffer) {
  const std::vector<Candidate> candidates{candidate("l4", 1), candidate("h100-sxm", 1),
                                          candidate("tpu-v5e", 4)};
  for (const CaseKind kind : {CaseKind::serve, CaseKind::train}) {
    const ComparisonWorkload work = work_of(kind, "llama-3.1-8b");
    for (const RankingMetric measure :
         {RankingMetric::time, RankingMetric::cost, RankingMetric::energy}) {
      const auto ranges = winning_ranges(work, candidates, 1, 300, measure);
      double next = 1;
      for (std::size_t i = 0; i < ranges.size(); ++i) {
        EXPECT_EQ(ranges[i].low, next);
        EXPECT_LE(ranges[i].low, ranges[i].high);
        if (i > 0) {
          EXPECT_NE(ranges[i].candidate, ranges[i - 1].candidate);
        }
        for (const double batch : {ranges[i].low, ranges[i].high}) {
          std::vector<ComparisonResult> compared;
          for (const Candidate& it : candidates) compared.push_back(compare_one(work, it, batch));
          EXPECT_EQ(winner(compared, measure), ranges[i].candidate) << "batch " << batch;
        }
        next = ranges[i].high + 1;
      }
      EXPECT_EQ(next, 301);
    }
  }
}

TEST(Comparison, TwoSetsOfTheSameDevicesCostTheSamePerHour) {
  const ComparisonWorkload work = work_of(CaseKind::infer, "resnet-50");
  const ComparisonResult one = compare_one(work, candidate("l4", 1), 64);
  ASSERT_TRUE(one.estimate);
  const double hours = one.unit_s / 3600;
  EXPECT_NEAR(one.unit_usd, hours * device_named("l4").price.usd_per_h, 1e-9 * one.unit_usd);
  EXPECT_NEAR(one.unit_j, one.estimate->power_w * one.unit_s, 1e-9 * one.unit_j);
}

}  // namespace
}  // namespace drover::devices
