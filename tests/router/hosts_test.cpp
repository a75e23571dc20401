// Hosts that live, fall silent and come back; the end of a run; questions.
#include <gtest/gtest.h>

#include "tests/router/stage.h"

namespace drover::router {
namespace {

using std::chrono::seconds;

// ---- Hosts -------------------------------------------------------------------------------------

TEST(Hosts, AHeartbeatIsAnsweredByALease) {
  Stage stage;
  stage.add_host(1, "h1");
  Heartbeat beat;
  beat.incarnation = {1, 1};
  stage.receive(1, beat);
  ASSERT_EQ(stage.told<Heartbeat>(1).size(), 1u);
  EXPECT_EQ(stage.told<Heartbeat>(1)[0].incarnation, (Incarnation{1, 1}));
}

TEST(Hosts, ASuspectGetsNoNewWork) {
  Stage stage;
  stage.add_host(1, "h1");
  stage.wait(seconds(4));
  stage.receive(9, Submit{{serve_job(1)}});
  stage.wait(seconds(1));
  stage.commit();
  EXPECT_TRUE(stage.told<Assign>(1).empty());
  stage.live(1, {{1, "h1"}});
  EXPECT_EQ(stage.told<Assign>(1).size(), 1u);
}

TEST(Hosts, ALostHostMustSayHelloAgain) {
  Stage stage;
  stage.add_host(1, "h1");
  stage.wait(seconds(13));
  stage.receive(1, Heartbeat{});
  EXPECT_TRUE(stage.told<Heartbeat>(1).empty());
  EXPECT_EQ(stage.told<HelloWanted>(1).size(), 1u);
}

TEST(Hosts, WorkOfAnEarlierLifeComesBackWhenItsHostDoesNot) {
  Assigned stage;
  ASSERT_TRUE(stage.restart());
  stage.add_host(7, "h2");
  stage.live(11, {{7, "h2"}});
  EXPECT_TRUE(stage.told<Assign>(7).empty());
  stage.live(3, {{7, "h2"}});
  const auto moved = stage.told<Assign>(7);
  ASSERT_EQ(moved.size(), 1u);
  EXPECT_EQ(moved[0].attempt, 2u);
}

TEST(Hosts, AnAssignmentThatGotLostIsGivenAgain) {
  Assigned stage;
  stage.live(11, {{1, "h1"}});
  EXPECT_EQ(stage.told<Assign>(1).size(), 1u);
  stage.live(3, {{1, "h1"}});
  EXPECT_EQ(stage.told<Assign>(1).size(), 2u);
  EXPECT_EQ(stage.told<Cancel>(1).size(), 1u);
}

TEST(Hosts, EnergyCountersMayBeginAnew) {
  Stage stage;
  stage.add_host(1, "h1");
  for (const auto& [sequence, counter] : {std::pair{2, 100.0}, {3, 150.0}, {4, 20.0}, {5, 30.0}}) {
    stage.receive_samples("h1", static_cast<std::uint64_t>(sequence),
                          Stage::idle_samples(8, counter));
  }
  EXPECT_NEAR(stage.router->summary(stage.now).fleet_energy_j, 8 * (150 + 30), 1e-6);
}

TEST(Hosts, CostIsDeviceHoursTimesPrice) {
  Stage stage;
  stage.add_host(1, "h1");
  const double price =
      devices::Catalogue::embedded().device("h100-sxm").value()->spec.price_usd_per_h;
  stage.live(36, {{1, "h1"}});
  EXPECT_NEAR(stage.router->summary(stage.now).fleet_cost_usd, price * 8 * 0.01, 1e-9);
}

// ---- The end, and questions --------------------------------------------------------------------

TEST(Ending, FailsWhatIsOpenAndAnswersOnceAllIsOnDisk) {
  Assigned stage;
  stage.receive(9, Submit{{serve_job(2), train_job(3, 8)}});
  stage.receive(9, EndRequest{});
  EXPECT_TRUE(stage.told<Summary>(9).empty());
  stage.commit();
  const auto summaries = stage.told<Summary>(9);
  ASSERT_EQ(summaries.size(), 1u);
  EXPECT_EQ(summaries[0].failures.at(Reason::ended), 3u);
  EXPECT_EQ(summaries[0].queued + summaries[0].running, 0u);
  ASSERT_EQ(stage.told<Cancel>(1).size(), 1u);
  stage.forget();
  stage.receive(9, Submit{{serve_job(4)}});
  stage.commit();
  EXPECT_EQ(stage.told<SubmitReply>(9)[0].results[0].reason, Reason::ended);
}

TEST(Asking, WhyTakesTheFirstDigitsOfAnId) {
  Assigned stage;
  stage.receive(8, WhyRequest{to_text(job_id(1))});
  stage.receive(8, WhyRequest{"zz"});
  stage.receive(8, WhyRequest{"00"});
  const auto replies = stage.told<WhyReply>(8);
  ASSERT_EQ(replies.size(), 3u);
  ASSERT_EQ(replies[0].decisions.size(), 1u);
  EXPECT_EQ(replies[0].decisions[0].target, "h1/r0");
  EXPECT_NE(replies[1].problem, "");
  EXPECT_TRUE(replies[2].job.has_value());
}

TEST(Asking, JobsAreBounded) {
  Stage stage;
  for (std::uint64_t number = 1; number <= 1500; ++number) {
    stage.receive(9, Submit{{serve_job(number)}});
  }
  stage.receive(8, JobsRequest{});
  const auto replies = stage.told<JobsReply>(8);
  ASSERT_EQ(replies.size(), 1u);
  EXPECT_LE(replies[0].jobs.size(), 1000u);
  EXPECT_EQ(replies[0].jobs.size() + replies[0].left_out, 1500u);
  EXPECT_LE(encode({"router", 1, {}, replies[0]}).size(), message_bytes_max);
}

TEST(Asking, TheQueueDoesNotDecideAgainWhatItKnows) {
  Stage stage;
  stage.add_host(1, "h1");
  for (std::uint64_t number = 1; number <= 500; ++number) {
    stage.receive(9, Submit{{serve_job(number, "llama-3.1-70b")}});
  }
  stage.tick();
  EXPECT_LE(stage.router->summary(stage.now).decisions, 2u);
  EXPECT_EQ(stage.published<Decision>().size(), 1u);
  EXPECT_EQ(stage.router->summary(stage.now).queued_for.at(Reason::capacity), 500u);
}

}  // namespace
}  // namespace drover::router
