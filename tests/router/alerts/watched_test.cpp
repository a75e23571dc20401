// What is published is not made while nobody watches, and nothing else changes.
#include <gtest/gtest.h>

#include "tests/router/router_fixture.h"

namespace drover::router {
namespace {

/// A job that is done, one that waits, and one that is refused.
void play(RouterHarness& stage) {
  stage.add_host(1, "h1");
  stage.commit();
  stage.receive(2, Submit{{serve_job(1), serve_job(2, "llama-3.1-70b"), serve_job(3, "no-such")}});
  stage.wait(std::chrono::seconds(2));
  stage.commit();
  const auto replies = stage.told<SubmitReply>(2);
  ASSERT_EQ(replies.size(), 1U);
  ASSERT_EQ(replies[0].results.size(), 3U);
  EXPECT_EQ(replies[0].results[1].status, SubmitStatus::accepted);
  EXPECT_EQ(replies[0].results[2].status, SubmitStatus::refused);
  const auto assigned = stage.told<Assign>(1);
  ASSERT_EQ(assigned.size(), 1U);
  stage.receive(1, Accepted{assigned[0].job.id, 1});
  Finished finished;
  finished.job = assigned[0].job.id;
  finished.attempt = 1;
  stage.receive(1, finished);
  stage.wait(std::chrono::seconds(2));
  stage.commit();
}

std::vector<std::string> said_to_peers(const RouterHarness& stage) {
  std::vector<std::string> said;
  for (const Send& send : stage.delivered) {
    if (send.to.channel != Channel::publish) said.push_back(encode(send.envelope));
  }
  return said;
}

TEST(Watched, ARouterWithoutSubscribersDecidesWritesAndAnswersTheSame) {
  RouterHarness watched;
  RouterHarness alone;
  alone.router->set_has_subscribers(false);
  play(watched);
  play(alone);
  EXPECT_EQ(said_to_peers(alone), said_to_peers(watched));
  EXPECT_EQ(alone.disk, watched.disk);
  EXPECT_FALSE(watched.published<Decision>().empty());
  EXPECT_TRUE(alone.published<Decision>().empty());
  EXPECT_TRUE(alone.published<JobChanged>().empty());
}

TEST(Watched, ALateSubscriberGetsTheSameSequenceNumbers) {
  RouterHarness watched;
  RouterHarness alone;
  alone.router->set_has_subscribers(false);
  play(watched);
  play(alone);
  alone.router->set_has_subscribers(true);
  std::vector<std::uint64_t> next;
  for (RouterHarness* stage : {&watched, &alone}) {
    stage->delivered.clear();
    stage->receive(2, Submit{{serve_job(7)}});
    stage->wait(std::chrono::seconds(1));
    stage->commit();
    for (const Send& send : stage->delivered) {
      if (send.to.channel != Channel::publish) continue;
      next.push_back(send.envelope.sequence);
      break;
    }
  }
  ASSERT_EQ(next.size(), 2U);
  EXPECT_EQ(next[0], next[1]);
  EXPECT_GT(next[0], 1U);
}

TEST(Watched, AJobIsPublishedOnceInATurnOfTheRouter) {
  RouterHarness stage;
  stage.add_host(1, "h1");
  stage.commit();
  stage.forget();
  stage.router->receive(stage.now, {Channel::control, 2},
                        {"client", 1, stage.now, Submit{{serve_job(1)}}});
  stage.tick();
  stage.commit();
  const auto placed = stage.published<JobChanged>();
  ASSERT_EQ(placed.size(), 1U);
  EXPECT_EQ(placed[0].state, JobState::leased);
  const auto assigned = stage.told<Assign>(1);
  ASSERT_EQ(assigned.size(), 1U);
  stage.forget();
  Finished finished;
  finished.job = assigned[0].job.id;
  finished.attempt = 1;
  finished.incarnation = {1, 1};
  std::uint64_t sequence = 100;
  for (const Message& body : {Message(Accepted{finished.job, 1}), Message(finished)}) {
    stage.router->receive(stage.now, {Channel::control, 1}, {"h1", ++sequence, stage.now, body});
  }
  stage.tick();
  const auto ended = stage.published<JobChanged>();
  ASSERT_EQ(ended.size(), 1U);
  EXPECT_EQ(ended[0].state, JobState::finished);
}

TEST(Watched, AReturnedAttemptIsPublishedEvenIfTheNextOneBeginsInTheSameTurn) {
  RouterHarness stage;
  stage.add_host(1, "h1");
  stage.add_host(2, "h2");
  stage.commit();
  stage.receive(3, Submit{{serve_job(1)}});
  stage.tick();
  stage.commit();
  const std::uint64_t first = stage.told<Assign>(1).empty() ? 2 : 1;
  ASSERT_EQ(stage.told<Assign>(first).size(), 1U);
  stage.forget();
  stage.router->receive(
      stage.now, {Channel::control, first},
      {"h" + std::to_string(first), 100, stage.now, Refused{job_id(1), 1, Reason::capacity, ""}});
  stage.wait(std::chrono::seconds(2));
  const auto published = stage.published<JobChanged>();
  ASSERT_GE(published.size(), 2U);
  EXPECT_EQ(published[0].state, JobState::queued);
  EXPECT_NE(published[0].returned.find("attempt 1"), std::string::npos) << published[0].returned;
  EXPECT_EQ(published.back().state, JobState::leased);
  EXPECT_EQ(published.back().attempt, 2U);
}

}  // namespace
}  // namespace drover::router
