#include "router/lint/job_set.h"

#include <algorithm>

#include <gtest/gtest.h>

#include "fleet/base/random_stream.h"
#include "fleet/base/text.h"
#include "router/policy/work_class.h"

namespace drover::router {
namespace {

TEST(GlobCover, TellsWhichGlobsMatchAllThatAnotherMatches) {
  struct Case {
    const char* general;
    const char* special;
    bool covers;
  };
  const Case cases[] = {
      {"*", "llama*", true},
      {"llama*", "*", false},
      {"llama*", "LLAMA-3*", true},
      {"llama*", "llama", true},
      {"llama", "llama*", false},
      {"*70b*", "llama*70b*", true},
      {"llama*70b*", "llama-70b", true},
      {"a?", "ab", true},
      {"a?", "a*", false},
      {"a*", "a?", true},
      {"?*", "*?", true},
      {"a*?", "a?*", true},
      {"", "", true},
      {"", "*", false},
      {"*", "", true},
      {"*a*b*", "*b*a*", false},
      {"*a*", "*b*a*", true},
      {"a*a", "a", false},
  };
  for (const Case& each : cases) {
    EXPECT_EQ(covers_glob(each.general, each.special), each.covers)
        << each.general << " over " << each.special;
  }
}

std::string drawn(RandomStream& random, std::string_view letters, std::uint64_t length_max) {
  std::string text;
  for (std::uint64_t left = random.below(length_max + 1); left > 0; --left) {
    text += letters[random.below(letters.size())];
  }
  return text;
}

TEST(GlobCover, TextsOfACoveredGlobMatchTheCoveringOne) {
  RandomStream random(11);
  int covered = 0;
  for (int round = 0; round < 20'000; ++round) {
    const std::string general = drawn(random, "aB*?", 4);
    const std::string special = drawn(random, "aB*?", 4);
    if (!covers_glob(general, special)) continue;
    ++covered;
    EXPECT_TRUE(matches_glob(text_of_glob(special), general)) << general << " " << special;
    for (int text = 0; text < 20; ++text) {
      const std::string word = drawn(random, "abx", 5);
      if (!matches_glob(word, special)) continue;
      EXPECT_TRUE(matches_glob(word, general)) << word << " " << special << " " << general;
    }
  }
  EXPECT_GT(covered, 1000);
}

When drawn_when(RandomStream& random) {
  When when;
  if (random.chance(0.5)) when.kinds.push_back(static_cast<WorkKind>(random.below(3)));
  for (Range When::*range : {&When::input_tokens, &When::gang, &When::priority}) {
    if (random.chance(0.4)) continue;
    const double low = static_cast<double>(random.below(12)) / 2 - 2;
    when.*range = {low, low + static_cast<double>(random.below(12)) / 2};
  }
  constexpr std::array<const char*, 4> models = {"*", "a*", "ab*", "?b"};
  constexpr std::array<const char*, 3> tenants = {"*", "t*", "t1"};
  when.model = models[random.below(models.size())];
  when.tenant = tenants[random.below(tenants.size())];
  if (random.chance(0.2)) when.classes = {"c"};
  return when;
}

ExampleJob drawn_sample(RandomStream& random) {
  ExampleJob sample;
  Job& job = sample.job;
  job.work.kind = static_cast<WorkKind>(random.below(3));
  job.work.input_tokens = static_cast<std::uint32_t>(random.below(8));
  job.work.devices = static_cast<std::uint16_t>(random.below(8));
  job.priority = static_cast<std::int8_t>(static_cast<int>(random.below(12)) - 4);
  sample.model.id = drawn(random, "ab", 3);
  sample.model.family = drawn(random, "ab", 3);
  job.tenant = random.chance(0.5) ? "t1" : "t2";
  if (random.chance(0.5)) job.work_class = "c";
  return sample;
}

bool any_holds(const std::vector<When>& whens, const ExampleJob& sample) {
  return std::any_of(whens.begin(), whens.end(), [&](const When& when) {
    return holds(when, sample.job, sample.model, nullptr);
  });
}

TEST(JobSet, NothingRemainsOnlyIfOtherSetsCoverEachJob) {
  RandomStream random(5);
  int empty = 0;
  for (int round = 0; round < 3000; ++round) {
    const When when = drawn_when(random);
    std::vector<When> others;
    std::vector<JobSet> sets;
    for (std::uint64_t left = 1 + random.below(5); left > 0; --left) {
      others.push_back(drawn_when(random));
      sets.push_back(job_set(others.back()));
    }
    if (!without(job_set(when), sets).empty()) continue;
    ++empty;
    for (int job = 0; job < 200; ++job) {
      const ExampleJob sample = drawn_sample(random);
      if (!holds(when, sample.job, sample.model, nullptr)) continue;
      EXPECT_TRUE(any_holds(others, sample));
    }
  }
  EXPECT_GT(empty, 100);
}

TEST(JobSet, ASampleIsAJobOfItsSet) {
  RandomStream random(6);
  int samples = 0;
  for (int round = 0; round < 3000; ++round) {
    const When when = drawn_when(random);
    const JobSet set = job_set(when);
    if (set.empty()) continue;
    ++samples;
    const ExampleJob sample = example_job(set);
    EXPECT_TRUE(holds(when, sample.job, sample.model, nullptr));
  }
  EXPECT_GT(samples, 1000);
}

TEST(JobSet, SubtractingBothHalvesLeavesNothing) {
  When one;
  one.gang = {2, 1e300};
  When many;
  many.gang = {-1e300, 1.5};
  EXPECT_TRUE(without(job_set(When{}), {job_set(one), job_set(many)}).empty());
  many.gang = {-1e300, 0.5};
  const auto left = without(job_set(When{}), {job_set(one), job_set(many)});
  ASSERT_EQ(left.size(), 1U);
  EXPECT_EQ(left[0][Size::gang], (IntegerRange{1, 1}));
}

TEST(JobSet, ARuleWithoutPrioritiesMatchesNegativeOnes) {
  ExampleJob sample;
  sample.job.priority = -5;
  EXPECT_TRUE(holds(When{}, sample.job, sample.model, nullptr));
}

}  // namespace
}  // namespace drover::router
