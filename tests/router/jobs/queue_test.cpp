#include "router/jobs/queue.h"

#include <gtest/gtest.h>

#include <memory>
#include <set>

#include "tests/router/router_fixture.h"

namespace drover::router {
namespace {

class Queue : public testing::Test {
 protected:
  JobRecord& put(std::uint64_t number, int priority, const std::string& model = "llama-3.1-8b",
                 std::uint32_t input_tokens = 512, Duration deadline = Duration{0}) {
    records.push_back(std::make_unique<JobRecord>());
    JobRecord& record = *records.back();
    record.number = number;
    record.job = serve_job(number, model);
    record.job.priority = static_cast<std::int8_t>(priority);
    record.job.work.input_tokens = input_tokens;
    record.job.deadline = deadline;
    record.submitted = record.since = Instant{} + std::chrono::seconds(number);
    queue.push(record);
    return record;
  }
  static Block wait_for(Reason reason, Duration max_wait = Duration{0}) {
    return {reason, max_wait, "", demands_behind({{"", "", reason, 1}}, false)};
  }
  std::vector<std::uint64_t> drain() {
    std::vector<std::uint64_t> order;
    while (JobRecord* record = queue.next()) {
      order.push_back(record->number);
      queue.erase(*record);
    }
    return order;
  }

  std::vector<std::unique_ptr<JobRecord>> records;
  JobQueue queue;
};

using Order = std::vector<std::uint64_t>;

TEST_F(Queue, HigherPriorityGoesFirstThenOrderOfAcceptance) {
  put(1, 0);
  put(2, 10);
  put(3, 0, "llama-3.1-70b");
  put(4, 10, "llama-3.1-70b");
  put(5, -5);
  EXPECT_EQ(drain(), (Order{2, 4, 1, 3, 5}));
  EXPECT_EQ(queue.size(), 0u);
}

TEST_F(Queue, AJobEvaluatedByItselfHasItsOwnReasonUntilItsClassIsEvaluatedAgain) {
  JobRecord& oldest = put(1, 0);
  JobRecord& other = put(2, 0);
  using Jobs = std::vector<JobRecord*>;
  oldest.reason = Reason::capacity;
  queue.block(oldest, wait_for(Reason::capacity));
  EXPECT_EQ(queue.take_unpublished(10), (Jobs{&oldest, &other}));
  queue.block(other, wait_for(Reason::power_cap));
  other.reason = Reason::power_cap;
  EXPECT_EQ(queue.take_unpublished(10), Jobs{}) << "it was told as it was asked";
  queue.wake_all();
  queue.apply_wakes();
  queue.block(oldest, wait_for(Reason::capacity));
  EXPECT_EQ(queue.take_unpublished(10), (Jobs{&other})) << "it waits for what its class waits for";
  EXPECT_EQ(queue.take_unpublished(10), Jobs{});
  queue.block(other, wait_for(Reason::power_cap));
  EXPECT_EQ(queue.take_unpublished(10), (Jobs{&other}))
      << "it has said so before, but not since then";
}

TEST_F(Queue, ARequeuedJobCountsItsWaitFromTheRequeue) {
  JobRecord& back = put(1, 0);
  JobRecord& waits = put(2, 0);
  EXPECT_EQ(queue.longest_waiting(), &back);
  queue.erase(back);
  back.since = Instant{} + std::chrono::seconds(60);
  queue.push(back);
  EXPECT_EQ(queue.next(), &back) << "its turn is as before";
  EXPECT_EQ(queue.longest_waiting(), &waits);
  queue.erase(waits);
  queue.erase(back);
  EXPECT_EQ(queue.longest_waiting(), nullptr);
}

TEST_F(Queue, ARequeuedJobKeepsItsTurn) {
  put(2, 0);
  put(1, 0);
  EXPECT_EQ(drain(), (Order{1, 2}));
}

TEST_F(Queue, ABlockedClassIsSkippedAsAWhole) {
  JobRecord& first = put(1, 10);
  put(2, 10);
  put(3, 0, "llama-3.1-70b");
  queue.block(first, wait_for(Reason::capacity));
  ASSERT_NE(queue.next(), nullptr);
  EXPECT_EQ(queue.next()->number, 3u);
  EXPECT_EQ(queue.waiting_by_reason(), (std::map<Reason, std::uint64_t>{{Reason::capacity, 2}}));
}

TEST_F(Queue, ANewJobOfABlockedClassStaysBlocked) {
  queue.block(put(1, 0), wait_for(Reason::capacity));
  put(2, 0);
  EXPECT_EQ(queue.next(), nullptr);
}

TEST_F(Queue, WakesOnlyTheModelThatHasRoom) {
  queue.block(put(1, 0), wait_for(Reason::capacity));
  queue.block(put(2, 0, "llama-3.1-70b"), wait_for(Reason::capacity));
  queue.wake_model("llama-3.1-70b");
  EXPECT_EQ(queue.next(), nullptr) << "wakes are taken in one go";
  queue.apply_wakes();
  ASSERT_NE(queue.next(), nullptr);
  EXPECT_EQ(queue.next()->number, 2u);
  queue.wake_all();
  queue.apply_wakes();
  EXPECT_EQ(queue.next()->number, 1u);
}

TEST_F(Queue, JobsThatARuleCouldTellApartAreDifferentClasses) {
  JobRecord& plain = put(1, 0);
  EXPECT_NE(class_signature(plain), class_signature(put(2, 1)));
  EXPECT_NE(class_signature(plain), class_signature(put(3, 0, "llama-3.1-70b")));
  EXPECT_NE(class_signature(plain), class_signature(put(4, 0, "llama-3.1-8b", 4096)));
  EXPECT_NE(class_signature(plain),
            class_signature(put(5, 0, "llama-3.1-8b", 512, std::chrono::seconds(60))));
  JobRecord other_rule;
  other_rule.job = plain.job;
  other_rule.rule = "another";
  EXPECT_NE(class_signature(plain), class_signature(other_rule));
  EXPECT_EQ(class_signature(plain), class_signature(put(6, 0, "llama-3.1-8b", 600)))
      << "they only want more or less";
}

TEST_F(Queue, EvaluatesASmallerJobWhenTheOldestCannotBePlaced) {
  JobRecord& oldest = put(1, 0, "llama-3.1-8b", 900);
  put(2, 0, "llama-3.1-8b", 1000);
  JobRecord& smallest = put(3, 0, "llama-3.1-8b", 600);
  JobRecord& small = put(4, 0, "llama-3.1-8b", 700);
  queue.block(oldest, wait_for(Reason::capacity));
  ASSERT_EQ(queue.next(), &smallest);
  queue.erase(smallest);  // it found one
  ASSERT_EQ(queue.next(), &small) << "so may the next";
  queue.block(small, wait_for(Reason::capacity));
  EXPECT_EQ(queue.next(), nullptr) << "who wants more finds none either";
  JobRecord& tiny = put(5, 0, "llama-3.1-8b", 513);
  EXPECT_EQ(queue.next(), &tiny) << "a new one that wants still less";
  queue.block(tiny, wait_for(Reason::capacity));
  put(6, 0, "llama-3.1-8b", 550);
  EXPECT_EQ(queue.next(), nullptr);
  queue.wake_all();
  queue.apply_wakes();
  EXPECT_EQ(queue.next(), &oldest) << "its turn comes again";
}

TEST_F(Queue, EvaluatesNoOtherJobOfAClassWhenDemandDoesNotMatter) {
  JobRecord& oldest = put(1, 0, "llama-3.1-8b", 900);
  put(2, 0, "llama-3.1-8b", 600);
  queue.block(oldest, wait_for(Reason::drain));
  EXPECT_EQ(queue.next(), nullptr);
}

TEST_F(Queue, TheNewestJobOfEqualDeadlinesHasTheMostTimeLeft) {
  const Duration minute = std::chrono::seconds(60);
  JobRecord& oldest = put(1, 0, "llama-3.1-8b", 512, minute);
  put(2, 0, "llama-3.1-8b", 512, minute);
  JobRecord& youngest = put(3, 0, "llama-3.1-8b", 512, minute);
  queue.block(oldest, wait_for(Reason::deadline));
  EXPECT_EQ(queue.next(), &youngest);
}

TEST_F(Queue, EvaluatesOtherJobsInTurnAcrossWakesWhenSeveralDemandsMatter) {
  const Duration minute = std::chrono::seconds(60);
  for (std::uint64_t number = 1; number <= 30; ++number) {
    put(number, 0, "llama-3.1-8b", 1000 - static_cast<std::uint32_t>(number), minute);
  }
  std::set<std::uint64_t> asked;
  int wakes = 0;
  for (; wakes < 10 && asked.size() < 30; ++wakes) {
    std::size_t at_once = 0;
    while (JobRecord* record = queue.next()) {
      asked.insert(record->number);
      queue.block(*record, wait_for(Reason::deadline));
      ++at_once;
    }
    EXPECT_LE(at_once, 8U) << "asking is as dear as deciding";
    queue.wake_all();
    queue.apply_wakes();
  }
  EXPECT_EQ(asked.size(), 30U) << "after " << wakes << " wakes";
}

TEST_F(Queue, TrainingJobsWithDifferentMeasuredThroughputsAreEvaluatedSeparately) {
  JobRecord one;
  one.job = train_job(1, 1);
  one.job.work.throughputs = {{"h100-sxm", 1, 0}};
  JobRecord other = one;
  other.job.work.throughputs.front().steps_per_s = 5;
  EXPECT_NE(class_signature(one), class_signature(other));
  JobRecord saving = one;
  saving.job.work.checkpoint_steps = 10;
  EXPECT_NE(class_signature(one), class_signature(saving));
}

TEST_F(Queue, ReportsJobsThatWaitedLongerThanTheirRuleAllows) {
  JobRecord& first = put(1, 0);
  put(2, 0);
  queue.block(first, wait_for(Reason::capacity, std::chrono::seconds(20)));
  const Instant due = first.submitted + std::chrono::seconds(20);
  EXPECT_EQ(queue.next_overdue(), due);
  EXPECT_EQ(queue.overdue(due - Duration{1}), nullptr);
  EXPECT_EQ(queue.overdue(due), &first);
  queue.erase(first);
  EXPECT_EQ(queue.next_overdue(), due + std::chrono::seconds(1)) << "the next of the class";
  JobRecord& returned = put(3, 0);
  EXPECT_EQ(queue.next_overdue(), due + std::chrono::seconds(1));
  queue.erase(returned);
  returned.waited = std::chrono::seconds(10);  // before an attempt that is over
  queue.push(returned);
  EXPECT_EQ(queue.next_overdue(), returned.since + std::chrono::seconds(10))
      << "only waiting counts";
  EXPECT_EQ(queue.overdue(returned.since + std::chrono::seconds(10)), &returned);
}

TEST_F(Queue, HundredThousandOfOneClassAreOneClass) {
  for (std::uint64_t number = 1; number <= 100'000; ++number) put(number, 0);
  EXPECT_EQ(queue.classes().size(), 1u);
  queue.block(*queue.next(), wait_for(Reason::capacity));
  EXPECT_EQ(queue.next(), nullptr);
}

}  // namespace
}  // namespace drover::router
