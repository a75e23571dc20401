// Multi-host gangs: where they go, how they begin together, and how they end together.
#include <gtest/gtest.h>

#include "router/lint/policy_file.h"
#include "tests/router/gang_fixture.h"

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

TEST(MultiHostGangs, UseTheFewestHostsOfOneRack) {
  GangHarness fixture;
  fixture.add(1, "rack-1");
  fixture.add(2, "rack-2");
  fixture.add(3, "rack-2");
  fixture.submit(1, 16);
  EXPECT_EQ(fixture.last(1).target, "h2/0-7 h3/0-7");
  fixture.submit(2, 8);
  EXPECT_EQ(fixture.last(2).target, "h1/0-7");
}

TEST(MultiHostGangs, WaitForTheirPeersUntilAllHaveReportedStepTimes) {
  GangHarness fixture;
  fixture.add(1);
  fixture.add(2);
  fixture.submit(1, 16);
  fixture.accept(1, 1, 1.0);
  EXPECT_EQ(fixture.last(1).pause, Pause::peer);
  fixture.accept(2, 1, 1.5);
  fixture.run_with_heartbeats(2);
  EXPECT_EQ(fixture.last(1).pause, Pause::none);
}

TEST(MultiHostGangs, UseSeveralRacksWhenNoRackHasRoom) {
  GangHarness fixture;
  fixture.add(1, "rack-1");
  fixture.add(2, "rack-2");
  fixture.submit(1, 12);
  EXPECT_EQ(fixture.last(1).target, "h1/0-7 h2/0-3");
}

TEST(MultiHostGangs, PlaceTheRemainderWhereItFitsBest) {
  GangHarness fixture;
  for (const std::uint64_t peer : {1, 2, 3}) fixture.add(peer);
  fixture.submit(1, 4);
  const std::string begun = fixture.last(1).target.substr(0, 2);
  fixture.submit(2, 12);
  const std::string whole = begun == "h1" ? "h2" : "h1";
  EXPECT_EQ(fixture.last(2).target, whole + "/0-7 " + begun + "/4-7");
}

TEST(MultiHostGangs, WaitForCapacityUntilThereIsRoom) {
  GangHarness fixture;
  fixture.begin_over_two();
  fixture.submit(2, 16);
  EXPECT_EQ(fixture.last(2).state, JobState::queued);
  EXPECT_EQ(fixture.last(2).reason, Reason::capacity);
  fixture.receive(1, fixture.finished(1));
  fixture.receive(2, fixture.finished(1));
  fixture.tick();
  fixture.commit();
  EXPECT_EQ(fixture.last(2).target, "h1/0-7 h2/0-7");
}

TEST(MultiHostGangs, AreNotPlacedIfTheirHostNamesDoNotFitInTheLedger) {
  for (const std::size_t name_bytes : {20, 64}) {
    GangHarness fixture;
    for (std::uint64_t peer = 1; peer <= 40; ++peer) {
      fixture.add_named(peer, fmt::format("{:0>{}}", peer, name_bytes));
    }
    fixture.submit(1, 320);
    EXPECT_EQ(fixture.last(1).target.empty(), name_bytes == 64) << name_bytes;
  }
}

TEST(MultiHostGangs, LargerThanTheFleetWaitWithReasonTopology) {
  GangHarness fixture;
  fixture.add(1);
  fixture.add(2);
  fixture.submit(1, 24);
  EXPECT_EQ(fixture.last(1).state, JobState::queued);
  EXPECT_EQ(fixture.last(1).reason, Reason::topology);
}

TEST(MultiHostGangs, AreAllowedOnlyAsTheRuleSays) {
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
    GangHarness fixture(with_over_hosts(row.word));
    for (const std::uint64_t peer : {1, 2, 3}) {
      fixture.add(peer);
      fixture.submit(peer, 4);
    }
    fixture.submit(9, row.devices);
    EXPECT_EQ(fixture.last(9).target, row.target);
  }
}

// ---- Beginning ---------------------------------------------------------------------------------

TEST(MultiHostGangs, SendEachHostItsPartOfTheGang) {
  GangHarness fixture;
  fixture.add(1);
  fixture.add(2);
  fixture.submit(1, 12);
  const auto first = fixture.told<Assign>(1), second = fixture.told<Assign>(2);
  ASSERT_EQ(first.size(), 1U);
  ASSERT_EQ(second.size(), 1U);
  EXPECT_EQ(first[0].devices.size(), 8U);
  EXPECT_EQ(second[0].devices, (std::vector<std::uint16_t>{0, 1, 2, 3}));
  ASSERT_TRUE(second[0].gang);
  EXPECT_EQ(second[0].gang->devices, 12);
  EXPECT_EQ(second[0].gang->per_host, 8);
  EXPECT_GT(second[0].gang->reservation_timeout, Duration{0});
}

TEST(MultiHostGangs, StartWhenAllAcceptAtTheSlowestStepTimePlusExchange) {
  GangHarness fixture;
  fixture.add(1);
  fixture.add(2);
  fixture.submit(1, 16);
  fixture.accept(1, 1, 1.0);
  EXPECT_TRUE(fixture.steps_told(1).empty());
  EXPECT_EQ(fixture.last(1).state, JobState::leased);
  fixture.accept(2, 1, 1.5);
  EXPECT_EQ(fixture.steps_told(1), std::vector<double>{1.6});
  EXPECT_EQ(fixture.steps_told(2), std::vector<double>{1.6});
  EXPECT_EQ(fixture.last(1).state, JobState::running);
}

TEST(MultiHostGangs, ReceiveEachChangeOfTheSlowestStepTime) {
  GangHarness fixture;
  fixture.begin_over_two();
  fixture.forget();
  fixture.receive(1, MemberStepTime{job_id(1), 1, 1.2, 0.1});
  EXPECT_EQ(fixture.steps_told(1), std::vector<double>{1.6}) << "one that tells anew is answered";
  EXPECT_TRUE(fixture.steps_told(2).empty()) << "the slowest is as slow as before";
  fixture.receive(2, MemberStepTime{job_id(1), 1, 0.9, 0.3});
  EXPECT_EQ(fixture.steps_told(1), (std::vector<double>{1.6, 1.5}));
  EXPECT_EQ(fixture.steps_told(2), std::vector<double>{1.5});
  fixture.receive(2, MemberStepTime{job_id(1), 1, 0, 0});
  EXPECT_EQ(fixture.steps_told(1).back(), 0) << "one stands still, so all do";
}

TEST(MultiHostGangs, ARefusalRollsBackTheOthers) {
  GangHarness fixture;
  fixture.add(1);
  fixture.add(2);
  fixture.submit(1, 16);
  fixture.accept(1, 1, 1.0);
  fixture.receive(2, Refused{job_id(1), 1, Reason::capacity, "taken"});
  fixture.commit();
  ASSERT_EQ(fixture.told<Cancel>(1).size(), 1U);
  EXPECT_EQ(fixture.last(1).state, JobState::leased) << "until the other has let go";
  fixture.receive(1, fixture.failed(1, Reason::cancelled));
  fixture.commit();
  EXPECT_EQ(fixture.last(1).state, JobState::queued);
  EXPECT_EQ(fixture.last(1).reason, Reason::capacity);
  EXPECT_EQ(fixture.told<ResultStored>(1).size(), 1U);
}

TEST(MultiHostGangs, AHostThatDoesNotAnswerInTimeRollsBackTheOthers) {
  GangHarness fixture;
  fixture.add(1);
  fixture.add(2);
  fixture.submit(1, 16);
  fixture.accept(1, 1, 1.0);
  fixture.run_with_heartbeats(20);
  EXPECT_FALSE(fixture.told<Cancel>(1).empty());
  EXPECT_FALSE(fixture.told<Cancel>(2).empty());
}

// ---- Ending ------------------------------------------------------------------------------------

TEST(MultiHostGangs, FinishWhenAllMembersHaveAndAreChargedOnce) {
  GangHarness fixture;
  fixture.begin_over_two();
  fixture.receive(2, fixture.finished(1, 3));
  fixture.commit();
  EXPECT_EQ(fixture.last(1).state, JobState::running);
  EXPECT_TRUE(fixture.told<ResultStored>(2).empty());
  fixture.receive(2, fixture.finished(1, 3));  // said again
  fixture.receive(1, fixture.finished(1, 4));
  fixture.commit();
  EXPECT_EQ(fixture.last(1).state, JobState::finished);
  EXPECT_DOUBLE_EQ(fixture.last(1).usage.device_s, 7);
  EXPECT_EQ(fixture.told<ResultStored>(1).size(), 1U);
  EXPECT_EQ(fixture.told<ResultStored>(2).size(), 1U);
  EXPECT_DOUBLE_EQ(fixture.router->summary(fixture.now).charged.device_s, 7);
}

TEST(MultiHostGangs, LosingOneMemberLosesTheAttempt) {
  GangHarness fixture;
  fixture.begin_over_two();
  fixture.receive(2, fixture.failed(1, Reason::unhealthy, 3));
  fixture.commit();
  ASSERT_EQ(fixture.told<Cancel>(1).size(), 1U);
  EXPECT_EQ(fixture.last(1).state, JobState::running) << "the other still uses its devices";
  fixture.receive(1, fixture.failed(1, Reason::cancelled, 4));
  fixture.commit();
  EXPECT_EQ(fixture.last(1).state, JobState::queued);
  EXPECT_EQ(fixture.last(1).reason, Reason::unhealthy)
      << "why it was lost, not why it was called off";
  EXPECT_DOUBLE_EQ(fixture.last(1).usage.device_s, 7) << "all of it is charged, once";
  EXPECT_DOUBLE_EQ(fixture.router->summary(fixture.now).wasted.device_s, 7);
}

TEST(MultiHostGangs, AFinishedMemberIsChargedWhenAnotherLosesTheAttempt) {
  GangHarness fixture;
  fixture.begin_over_two();
  fixture.receive(1, fixture.finished(1, 4));
  fixture.receive(2, fixture.failed(1, Reason::unhealthy, 3));
  fixture.commit();
  EXPECT_EQ(fixture.last(1).state, JobState::queued);
  EXPECT_DOUBLE_EQ(fixture.last(1).usage.device_s, 7);
}

TEST(MultiHostGangs, RepeatTheCancelUntilTheMemberHasEnded) {
  GangHarness fixture;
  fixture.begin_over_two();
  fixture.receive(2, fixture.failed(1, Reason::unhealthy));
  fixture.forget();
  fixture.run_with_heartbeats(4);
  EXPECT_GE(fixture.told<Cancel>(1).size(), 2U);
  EXPECT_TRUE(fixture.told<Cancel>(2).empty());
}

TEST(MultiHostGangs, CancelledByAUserEndInOneState) {
  GangHarness fixture;
  fixture.begin_over_two();
  fixture.receive(9, CancelJobs{{to_text(job_id(1))}});
  fixture.commit();
  EXPECT_EQ(fixture.told<Cancel>(1).size(), 1U);
  EXPECT_EQ(fixture.told<Cancel>(2).size(), 1U);
  fixture.receive(1, fixture.finished(1));
  fixture.receive(2, fixture.failed(1, Reason::cancelled));
  fixture.commit();
  EXPECT_EQ(fixture.last(1).state, JobState::cancelled);
  EXPECT_EQ(fixture.last(1).reason, Reason::cancelled);
}

// ---- Lives -------------------------------------------------------------------------------------

TEST(MultiHostGangs, AreTakenOverByARestartedRouter) {
  GangHarness fixture;
  fixture.begin_over_two();
  ASSERT_TRUE(fixture.restart());
  fixture.add(1, "rack-1", 1, {{job_id(1), 1}});
  fixture.receive(1, MemberStepTime{job_id(1), 1, 1.0, 0.1});
  EXPECT_TRUE(fixture.steps_told(1).empty()) << "the other has not come back yet";
  fixture.add(2, "rack-1", 1, {{job_id(1), 1}});
  fixture.receive(2, MemberStepTime{job_id(1), 1, 1.5, 0.1});
  EXPECT_EQ(fixture.steps_told(2), std::vector<double>{1.6});
  fixture.receive(1, fixture.finished(1));
  fixture.receive(2, fixture.finished(1));
  fixture.commit();
  EXPECT_EQ(fixture.last(1).state, JobState::finished);
  EXPECT_EQ(fixture.last(1).attempt, 1U);
}

TEST(MultiHostGangs, AreLostWhenAHostReturnsWithoutItsPart) {
  GangHarness fixture;
  fixture.begin_over_two();
  fixture.forget();
  fixture.add(2, "rack-1", 2);
  fixture.commit();
  ASSERT_EQ(fixture.told<Cancel>(1).size(), 1U);
  fixture.receive(1, fixture.failed(1, Reason::cancelled));
  fixture.commit();
  EXPECT_EQ(fixture.last(1).state, JobState::queued);
  EXPECT_EQ(fixture.last(1).reason, Reason::unhealthy);
}

}  // namespace
}  // namespace drover::router
