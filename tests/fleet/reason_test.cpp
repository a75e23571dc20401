#include "fleet/reason.h"

#include <set>

#include <gtest/gtest.h>

#include "fleet/decision.h"
#include "fleet/job.h"
#include "fleet/messages.h"
#include "fleet/workload.h"

namespace drover {
namespace {

TEST(Reasons, EveryNameRoundTrips) {
  std::set<std::string_view> names;
  for (int index = 0; index < reason_count; ++index) {
    const auto reason = static_cast<Reason>(index);
    EXPECT_EQ(facts(reason).reason, reason);
    EXPECT_EQ(parse_reason(to_text(reason)), reason);
    names.insert(to_text(reason));
  }
  EXPECT_EQ(names.size(), static_cast<std::size_t>(reason_count));
  EXPECT_EQ(parse_reason("bored"), std::nullopt);
  EXPECT_EQ(parse_reason(""), std::nullopt);
}

TEST(Reasons, ArePermanentOnlyWhenARetryCannotHelp) {
  const std::set<std::string_view> permanent{"memory",   "precision", "op_unsupported", "framework",
                                             "topology", "context",   "policy",         "invalid",
                                             "ended",    "cancelled", "retries",        "data"};
  for (int index = 0; index < reason_count; ++index) {
    const auto reason = static_cast<Reason>(index);
    EXPECT_EQ(is_permanent(reason), permanent.contains(to_text(reason))) << to_text(reason);
  }
}

TEST(Reasons, MeaningIsOneSentence) {
  for (int index = 0; index < reason_count; ++index) {
    const std::string_view meaning = facts(static_cast<Reason>(index)).meaning;
    EXPECT_TRUE(meaning.ends_with('.')) << meaning;
    EXPECT_EQ(meaning.find('.'), meaning.size() - 1) << meaning;
    EXPECT_LE(meaning.size(), 76U) << meaning;
  }
}

TEST(Words, KindsAndPrecisionsRoundTrip) {
  for (int index = 0; index < work_kind_count; ++index) {
    const auto kind = static_cast<WorkKind>(index);
    EXPECT_EQ(parse_work_kind(to_text(kind)), kind);
  }
  for (int index = 0; index < precision_count; ++index) {
    const auto precision = static_cast<Precision>(index);
    EXPECT_EQ(parse_precision(to_text(precision)), precision);
  }
  EXPECT_EQ(parse_work_kind("Serve"), std::nullopt);
  EXPECT_EQ(parse_precision("bf17"), std::nullopt);
}

TEST(Words, PrecisionsHaveTheirByteSizes) {
  EXPECT_EQ(bytes_each(Precision::fp32), 4);
  EXPECT_EQ(bytes_each(Precision::tf32), 4);
  EXPECT_EQ(bytes_each(Precision::bf16), 2);
  EXPECT_EQ(bytes_each(Precision::fp8), 1);
  EXPECT_EQ(bytes_each(Precision::int4), 0.5);
}

TEST(Words, EveryEnumeratorHasItsName) {
  EXPECT_EQ(to_text(Action::retire_replica), "retire_replica");
  EXPECT_EQ(to_text(JobState::failed), "failed");
  for (int i = 0; i < job_state_count; ++i) {
    const auto state = static_cast<JobState>(i);
    EXPECT_EQ(parse_job_state(to_text(state)), state);
    EXPECT_EQ(is_terminal(state), i >= static_cast<int>(JobState::finished));
  }
  EXPECT_EQ(parse_job_state("gone"), std::nullopt);
  EXPECT_EQ(to_text(DeviceClass::tpu), "tpu");
  EXPECT_EQ(to_text(ReplicaState::gone), "gone");
  EXPECT_EQ(to_text(SubmitStatus::refused), "refused");
  EXPECT_EQ(to_text(Health::left), "left");
  EXPECT_EQ(to_text(Pause::peer), "peer");
  EXPECT_EQ(to_text(Severity::critical), "critical");
}

TEST(WordsDeathTest, EnumeratorOutOfRangeStopsTheProgram) {
  EXPECT_DEATH((void)to_text(static_cast<Health>(4)), "broken invariant");
}

TEST(Words, UsageAddsUp) {
  Usage usage{1, 2, 3};
  usage += Usage{10, 20, 30};
  EXPECT_EQ(usage, (Usage{11, 22, 33}));
}

}  // namespace
}  // namespace drover
