#include "commands/submit/synthetic_work.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <vector>

namespace drover::commands {
namespace {

std::vector<Arrival> first_arrivals(SyntheticWork& work, double seconds) {
  std::vector<Arrival> arrivals;
  for (;;) {
    auto arrival = work.next();
    if (!arrival || to_seconds(arrival->at) > seconds) return arrivals;
    arrivals.push_back(std::move(*arrival));
  }
}

double percentile(std::vector<double> values, double share) {
  std::sort(values.begin(), values.end());
  return values[static_cast<std::size_t>(share * static_cast<double>(values.size() - 1))];
}

struct Moments {
  double mean = 0;
  double variance_over_mean = 0;
};

Moments count_moments(double rate, double burstiness, double seconds) {
  BurstArrivals arrivals(rate, burstiness, RandomStream(5));
  std::vector<double> counts(static_cast<std::size_t>(seconds), 0.0);
  for (double at = arrivals.next_s(); at < seconds; at = arrivals.next_s()) {
    counts[static_cast<std::size_t>(at)] += 1;
  }
  double mean = 0, squares = 0;
  for (const double count : counts) mean += count / seconds;
  for (const double count : counts) squares += (count - mean) * (count - mean) / seconds;
  return {mean, squares / mean};
}

TEST(BurstArrivals, HaveTheRequestedRateAndBurstiness) {
  struct Case {
    double rate, burstiness;
  };
  for (const Case& asked : {Case{5.53, 1}, Case{2.57, 13.2}, Case{40, 4}}) {
    const Moments found = count_moments(asked.rate, asked.burstiness, 40'000);
    EXPECT_NEAR(found.mean, asked.rate, asked.rate * 0.05) << asked.burstiness;
    EXPECT_NEAR(found.variance_over_mean, asked.burstiness, asked.burstiness * 0.1) << asked.rate;
  }
}

TEST(BurstArrivals, NeverGoBackInTime) {
  BurstArrivals arrivals(2.57, 13.2, RandomStream(5));
  double last = 0;
  for (int i = 0; i < 20'000; ++i) {
    const double at = arrivals.next_s();
    ASSERT_GE(at, last);
    last = at;
  }
}

TEST(Gamma, HasItsShapeAsMeanAndVariance) {
  for (const double shape : {0.2, 0.9, 1.0, 3.5, 40.0}) {
    RandomStream random(11);
    const int count = 60'000;
    double sum = 0, squares = 0;
    for (int i = 0; i < count; ++i) {
      const double value = draw_gamma(random, shape);
      ASSERT_GE(value, 0);
      sum += value;
      squares += value * value;
    }
    const double mean = sum / count;
    EXPECT_NEAR(mean, shape, shape * 0.04);
    EXPECT_NEAR(squares / count - mean * mean, shape, shape * 0.08);
  }
}

TEST(SyntheticWork, HasThePublishedLengthsOfConversations) {
  SyntheticWork work(3, 1);
  std::vector<double> input, output;
  for (const Arrival& arrival : first_arrivals(work, 4000)) {
    if (arrival.job.tenant != "chat") continue;
    input.push_back(arrival.job.work.input_tokens);
    output.push_back(arrival.job.work.output_tokens);
  }
  ASSERT_GT(input.size(), 15'000U);
  EXPECT_NEAR(percentile(input, 0.5), 1020, 1020 * 0.04);
  EXPECT_NEAR(percentile(input, 0.99), 4142, 4142 * 0.07);
  EXPECT_NEAR(percentile(output, 0.5), 129, 129 * 0.04);
  EXPECT_NEAR(percentile(output, 0.99), 601, 601 * 0.07);
  EXPECT_NEAR(static_cast<double>(input.size()) / 4000, 5.53, 0.2);
}

TEST(SyntheticWork, HasThePublishedLengthsOfCode) {
  SyntheticWork work(3, 1);
  std::vector<double> input, output;
  for (const Arrival& arrival : first_arrivals(work, 8000)) {
    if (arrival.job.tenant != "code") continue;
    input.push_back(arrival.job.work.input_tokens);
    output.push_back(arrival.job.work.output_tokens);
  }
  ASSERT_GT(input.size(), 15'000U);
  EXPECT_NEAR(percentile(input, 0.5), 1469, 1469 * 0.05);
  EXPECT_LE(percentile(input, 1.0), 7437);
  EXPECT_NEAR(percentile(output, 0.5), 13, 1);
  EXPECT_NEAR(percentile(output, 0.99), 252, 252 * 0.12);
}

TEST(SyntheticWork, IsTheSameForTheSameSeed) {
  SyntheticWork one(42, 1.5), other(42, 1.5), different(43, 1.5);
  bool differs = false;
  for (int i = 0; i < 2000; ++i) {
    const auto left = one.next(), right = other.next(), third = different.next();
    ASSERT_EQ(left->at, right->at);
    ASSERT_EQ(left->job, right->job);
    differs = differs || !(left->job == third->job);
  }
  EXPECT_TRUE(differs);
}

TEST(SyntheticWork, ArrivesInOrderWithUniqueIds) {
  SyntheticWork work(1, 10);
  Duration last{};
  std::vector<JobId> ids;
  for (const Arrival& arrival : first_arrivals(work, 300)) {
    ASSERT_GE(arrival.at, last);
    last = arrival.at;
    ids.push_back(arrival.job.id);
  }
  std::sort(ids.begin(), ids.end());
  EXPECT_EQ(std::adjacent_find(ids.begin(), ids.end()), ids.end());
}

TEST(SyntheticWork, LoadMultipliesArrivals) {
  SyntheticWork once(1, 1), thrice(1, 3);
  const double plain = static_cast<double>(first_arrivals(once, 3000).size());
  const double loaded = static_cast<double>(first_arrivals(thrice, 3000).size());
  EXPECT_NEAR(loaded / plain, 3, 0.15);
}

TEST(SyntheticWork, TrainsEveryModelOfTheDemoFromTheStart) {
  SyntheticWork work(1, 1);
  std::vector<std::string> models;
  std::vector<int> gangs;
  for (const Arrival& arrival : first_arrivals(work, 0)) {
    EXPECT_EQ(arrival.job.work.kind, WorkKind::train);
    EXPECT_GT(arrival.job.work.steps, 0U);
    models.push_back(arrival.job.work.model);
    if (arrival.job.work.devices > 1) gangs.push_back(arrival.job.work.devices);
  }
  for (const char* model : {"llama-3.1-8b", "bert-large", "resnet-50"}) {
    EXPECT_NE(std::find(models.begin(), models.end(), model), models.end()) << model;
  }
  EXPECT_EQ(gangs, (std::vector<int>{8})) << "over two hosts of the demo";
}

}  // namespace
}  // namespace drover::commands
