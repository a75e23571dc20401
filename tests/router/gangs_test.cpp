// Gangs over hosts: where they go, how they begin together, and how they end together.
#include <gtest/gtest.h>

#include "tests/router/hall.h"

namespace drover::router {
namespace {

using std::chrono::seconds;

Policy with_over_hosts(const std::string& word) {
  std::string text = R"(
[policy]
version = 1
[pool.all]
match = { kind = "gpu" }
[[rule]]
name = "train"
pools = ["all"]
score = { finish_time = 1 }
require = { over_hosts = ")";
  text += word + "\" }\n";
  return parse_policy(text, "p.toml").value();
}

// ---- Where they go -----------------------------------------------------------------------------

TEST(GangsOverHosts, TakeTheFewestHostsOfOneRack) {
  Hall hall;
  hall.add(1, "rack-1");
  hall.add(2, "rack-2");
  hall.add(3, "rack-2");
  hall.submit(1, 16);
  EXPECT_EQ(hall.last(1).target, "h2/0-7 h3/0-7");
  hall.submit(2, 8);
  EXPECT_EQ(hall.last(2).target, "h1/0-7");
}

TEST(GangsOverHosts, WaitForTheirPeersUntilAllHaveToldTheirPace) {
  Hall hall;
  hall.add(1);
  hall.add(2);
  hall.submit(1, 16);
  hall.accept(1, 1, 1.0);
  EXPECT_EQ(hall.last(1).pause, Pause::peer);
  hall.accept(2, 1, 1.5);
  hall.live_on(2);
  EXPECT_EQ(hall.last(1).pause, Pause::none);
}

TEST(GangsOverHosts, TakeSeveralRacksWhenNoneHasRoom) {
  Hall hall;
  hall.add(1, "rack-1");
  hall.add(2, "rack-2");
  hall.submit(1, 12);
  EXPECT_EQ(hall.last(1).target, "h1/0-7 h2/0-3");
}

TEST(GangsOverHosts, WhatIsLeftGoesWhereItFitsBest) {
  Hall hall;
  for (const std::uint64_t peer : {1, 2, 3}) hall.add(peer);
  hall.submit(1, 4);
  const std::string begun = hall.last(1).target.substr(0, 2);
  hall.submit(2, 12);
  const std::string whole = begun == "h1" ? "h2" : "h1";
  EXPECT_EQ(hall.last(2).target, whole + "/0-7 " + begun + "/4-7");
}

TEST(GangsOverHosts, WaitForCapacityUntilThereIsRoom) {
  Hall hall;
  hall.begin_over_two();
  hall.submit(2, 16);
  EXPECT_EQ(hall.last(2).state, JobState::queued);
  EXPECT_EQ(hall.last(2).reason, Reason::capacity);
  hall.receive(1, hall.finished(1));
  hall.receive(2, hall.finished(1));
  hall.tick();
  hall.commit();
  EXPECT_EQ(hall.last(2).target, "h1/0-7 h2/0-7");
}

TEST(GangsOverHosts, NoneIsPlacedWhoseNamesWouldNotFitIntoTheLedger) {
  for (const std::size_t name_bytes : {20, 64}) {
    Hall hall;
    for (std::uint64_t peer = 1; peer <= 40; ++peer) {
      hall.add_named(peer, fmt::format("{:0>{}}", peer, name_bytes));
    }
    hall.submit(1, 320);
    EXPECT_EQ(hall.last(1).target.empty(), name_bytes == 64) << name_bytes;
  }
}

TEST(GangsOverHosts, LargerThanTheFleetIsATopologyThatIsNotThere) {
  Hall hall;
  hall.add(1);
  hall.add(2);
  hall.submit(1, 24);
  EXPECT_EQ(hall.last(1).state, JobState::queued);
  EXPECT_EQ(hall.last(1).reason, Reason::topology);
}

TEST(GangsOverHosts, TheRuleSaysWhether) {
  const struct {
    const char* word;
    std::uint16_t devices;
    const char* target;
  } cases[] = {
      // Four of each host are taken.
      {"never", 16, ""},
      {"never", 8, ""},
      {"if_larger", 8, ""},
      {"if_larger", 12, "h1/4-7 h2/4-7 h3/4-7"},
      {"if_full", 8, "h1/4-7 h2/4-7"},
  };
  for (const auto& row : cases) {
    SCOPED_TRACE(fmt::format("{} {}", row.word, row.devices));
    Hall hall(with_over_hosts(row.word));
    for (const std::uint64_t peer : {1, 2, 3}) {
      hall.add(peer);
      hall.submit(peer, 4);
    }
    hall.submit(9, row.devices);
    EXPECT_EQ(hall.last(9).target, row.target);
  }
}

// ---- Beginning ---------------------------------------------------------------------------------

TEST(GangsOverHosts, EachHostIsToldItsPartOfTheWhole) {
  Hall hall;
  hall.add(1);
  hall.add(2);
  hall.submit(1, 12);
  const auto first = hall.told<Assign>(1), second = hall.told<Assign>(2);
  ASSERT_EQ(first.size(), 1U);
  ASSERT_EQ(second.size(), 1U);
  EXPECT_EQ(first[0].devices.size(), 8U);
  EXPECT_EQ(second[0].devices, (std::vector<std::uint16_t>{0, 1, 2, 3}));
  ASSERT_TRUE(second[0].gang);
  EXPECT_EQ(second[0].gang->devices, 12);
  EXPECT_EQ(second[0].gang->per_host, 8);
  EXPECT_GT(second[0].gang->reserved_for, Duration{0});
}

TEST(GangsOverHosts, BeginWhenAllHaveTakenItAtTheSlowestPaceAndTheExchange) {
  Hall hall;
  hall.add(1);
  hall.add(2);
  hall.submit(1, 16);
  hall.accept(1, 1, 1.0);
  EXPECT_TRUE(hall.steps_told(1).empty());
  EXPECT_EQ(hall.last(1).state, JobState::leased);
  hall.accept(2, 1, 1.5);
  EXPECT_EQ(hall.steps_told(1), std::vector<double>{1.6});
  EXPECT_EQ(hall.steps_told(2), std::vector<double>{1.6});
  EXPECT_EQ(hall.last(1).state, JobState::running);
}

TEST(GangsOverHosts, AreToldEachChangeOfTheSlowestPace) {
  Hall hall;
  hall.begin_over_two();
  hall.forget();
  hall.receive(1, MemberPace{job_id(1), 1, 1.2, 0.1});
  EXPECT_EQ(hall.steps_told(1), std::vector<double>{1.6}) << "one that tells anew is answered";
  EXPECT_TRUE(hall.steps_told(2).empty()) << "the slowest is as slow as before";
  hall.receive(2, MemberPace{job_id(1), 1, 0.9, 0.3});
  EXPECT_EQ(hall.steps_told(1), (std::vector<double>{1.6, 1.5}));
  EXPECT_EQ(hall.steps_told(2), std::vector<double>{1.5});
  hall.receive(2, MemberPace{job_id(1), 1, 0, 0});
  EXPECT_EQ(hall.steps_told(1).back(), 0) << "one stands still, so all do";
}

TEST(GangsOverHosts, ARefusalRollsTheOthersBack) {
  Hall hall;
  hall.add(1);
  hall.add(2);
  hall.submit(1, 16);
  hall.accept(1, 1, 1.0);
  hall.receive(2, Refused{job_id(1), 1, Reason::capacity, "taken"});
  hall.commit();
  ASSERT_EQ(hall.told<Cancel>(1).size(), 1U);
  EXPECT_EQ(hall.last(1).state, JobState::leased) << "until the other has let go";
  hall.receive(1, hall.failed(1, Reason::cancelled));
  hall.commit();
  EXPECT_EQ(hall.last(1).state, JobState::queued);
  EXPECT_EQ(hall.last(1).reason, Reason::capacity);
  EXPECT_EQ(hall.told<ResultStored>(1).size(), 1U);
}

TEST(GangsOverHosts, AHostThatDoesNotAnswerInTimeRollsTheOthersBack) {
  Hall hall;
  hall.add(1);
  hall.add(2);
  hall.submit(1, 16);
  hall.accept(1, 1, 1.0);
  hall.live_on(20);
  EXPECT_FALSE(hall.told<Cancel>(1).empty());
  EXPECT_FALSE(hall.told<Cancel>(2).empty());
}

// ---- Ending ------------------------------------------------------------------------------------

TEST(GangsOverHosts, FinishWhenAllHaveAndAreChargedOnceForAll) {
  Hall hall;
  hall.begin_over_two();
  hall.receive(2, hall.finished(1, 3));
  hall.commit();
  EXPECT_EQ(hall.last(1).state, JobState::running);
  EXPECT_TRUE(hall.told<ResultStored>(2).empty());
  hall.receive(2, hall.finished(1, 3));  // said again
  hall.receive(1, hall.finished(1, 4));
  hall.commit();
  EXPECT_EQ(hall.last(1).state, JobState::finished);
  EXPECT_DOUBLE_EQ(hall.last(1).usage.device_s, 7);
  EXPECT_EQ(hall.told<ResultStored>(1).size(), 1U);
  EXPECT_EQ(hall.told<ResultStored>(2).size(), 1U);
  EXPECT_DOUBLE_EQ(hall.router->summary(hall.now).charged.device_s, 7);
}

TEST(GangsOverHosts, LosingOneMemberLosesTheAttempt) {
  Hall hall;
  hall.begin_over_two();
  hall.receive(2, hall.failed(1, Reason::unhealthy, 3));
  hall.commit();
  ASSERT_EQ(hall.told<Cancel>(1).size(), 1U);
  EXPECT_EQ(hall.last(1).state, JobState::running) << "the other still uses its devices";
  hall.receive(1, hall.failed(1, Reason::cancelled, 4));
  hall.commit();
  EXPECT_EQ(hall.last(1).state, JobState::queued);
  EXPECT_EQ(hall.last(1).reason, Reason::unhealthy) << "why it was lost, not why it was called off";
  EXPECT_DOUBLE_EQ(hall.last(1).usage.device_s, 7) << "all of it is charged, once";
  EXPECT_DOUBLE_EQ(hall.router->summary(hall.now).wasted.device_s, 7);
}

TEST(GangsOverHosts, AMemberThatFinishedIsChargedWithAnAttemptThatAnotherLost) {
  Hall hall;
  hall.begin_over_two();
  hall.receive(1, hall.finished(1, 4));
  hall.receive(2, hall.failed(1, Reason::unhealthy, 3));
  hall.commit();
  EXPECT_EQ(hall.last(1).state, JobState::queued);
  EXPECT_DOUBLE_EQ(hall.last(1).usage.device_s, 7);
}

TEST(GangsOverHosts, TheCancelIsSaidAgainUntilTheMemberHasEnded) {
  Hall hall;
  hall.begin_over_two();
  hall.receive(2, hall.failed(1, Reason::unhealthy));
  hall.forget();
  hall.live_on(4);
  EXPECT_GE(hall.told<Cancel>(1).size(), 2U);
  EXPECT_TRUE(hall.told<Cancel>(2).empty());
}

TEST(GangsOverHosts, CancelledByPeopleEndInOneState) {
  Hall hall;
  hall.begin_over_two();
  hall.receive(9, CancelJobs{{to_text(job_id(1))}});
  hall.commit();
  EXPECT_EQ(hall.told<Cancel>(1).size(), 1U);
  EXPECT_EQ(hall.told<Cancel>(2).size(), 1U);
  hall.receive(1, hall.finished(1));
  hall.receive(2, hall.failed(1, Reason::cancelled));
  hall.commit();
  EXPECT_EQ(hall.last(1).state, JobState::cancelled);
  EXPECT_EQ(hall.last(1).reason, Reason::cancelled);
}

// ---- Lives -------------------------------------------------------------------------------------

TEST(GangsOverHosts, AreTakenOverByTheNextLifeOfTheRouter) {
  Hall hall;
  hall.begin_over_two();
  ASSERT_TRUE(hall.restart());
  hall.add(1, "rack-1", 1, {{job_id(1), 1}});
  hall.receive(1, MemberPace{job_id(1), 1, 1.0, 0.1});
  EXPECT_TRUE(hall.steps_told(1).empty()) << "the other has not come back yet";
  hall.add(2, "rack-1", 1, {{job_id(1), 1}});
  hall.receive(2, MemberPace{job_id(1), 1, 1.5, 0.1});
  EXPECT_EQ(hall.steps_told(2), std::vector<double>{1.6});
  hall.receive(1, hall.finished(1));
  hall.receive(2, hall.finished(1));
  hall.commit();
  EXPECT_EQ(hall.last(1).state, JobState::finished);
  EXPECT_EQ(hall.last(1).attempt, 1U);
}

TEST(GangsOverHosts, AreLostWhenAHostComesBackWithoutItsPart) {
  Hall hall;
  hall.begin_over_two();
  hall.forget();
  hall.add(2, "rack-1", 2);
  hall.commit();
  ASSERT_EQ(hall.told<Cancel>(1).size(), 1U);
  hall.receive(1, hall.failed(1, Reason::cancelled));
  hall.commit();
  EXPECT_EQ(hall.last(1).state, JobState::queued);
  EXPECT_EQ(hall.last(1).reason, Reason::unhealthy);
}

}  // namespace
}  // namespace drover::router
