// A spot host that its cloud takes back after a notice.
#include <gtest/gtest.h>

#include "tests/agents/agent_harness.h"

namespace drover::agents {
namespace {

Assign training(std::uint64_t number, std::uint32_t steps, std::uint32_t interval) {
  Assign assign = to_devices(train_job(number, "bert-large", steps, 64, 512, 2), {0, 1});
  assign.job.work.checkpoint_steps = interval;
  assign.model_spec = (*catalogue().model("bert-large"))->text;
  return assign;
}

TEST(Reclaim, WarnsImmediatelyAndWorkContinuesDuringTheNotice) {
  AgentDialogue talk(settings_of("h100-sxm:2", ""));
  talk.welcome();
  talk.from_router(training(1, 1'000'000, 100));
  talk.forget();
  const Instant heard = talk.now;
  talk.from_router(fault("reclaim=30", seconds(60), {}));
  ASSERT_EQ(talk.all<Leave>().size(), 1u);
  EXPECT_EQ(talk.all<Leave>()[0], (Leave{"reclaimed by the cloud provider", 1, seconds(30)}));
  talk.pass(seconds(29), seconds(1));
  EXPECT_TRUE(talk.all<Failed>().empty());
  talk.from_router(Reregister{});
  EXPECT_EQ(talk.all<Leave>().back().after, seconds(1)) << "said again to a router that forgot";
  talk.forget();
  talk.pass(seconds(1));
  ASSERT_EQ(talk.all<Failed>().size(), 1u);
  const Failed back = talk.all<Failed>()[0];
  EXPECT_EQ(back.reason, Reason::drain);
  EXPECT_GT(back.steps_saved, 0u);
  EXPECT_EQ(back.steps_saved % 100, 0u);
  EXPECT_GE(back.steps_done, back.steps_saved);
  EXPECT_LT(back.steps_done - back.steps_saved, 100);
  EXPECT_EQ(talk.all<Leave>().back(), (Leave{"reclaimed by the cloud provider", 0, {}}));
  EXPECT_EQ(talk.said.back().envelope.at, heard + seconds(30));
  EXPECT_TRUE(talk.last_asked<HostDown>());
  talk.forget();
  talk.pass(seconds(59), seconds(1));
  EXPECT_TRUE(talk.said.empty());
  talk.pass(seconds(2), seconds(1));
  ASSERT_EQ(talk.all<Register>().size(), 1u) << "another life";
  EXPECT_TRUE(talk.all<Register>()[0].held.empty());
  EXPECT_TRUE(talk.last_asked<HostUp>());
  EXPECT_TRUE(talk.all<Leave>().empty());
}

TEST(Reclaim, WorkThatFinishesWithinTheNoticeCountsAsFinished) {
  AgentDialogue talk(settings_of("h100-sxm:2", ""));
  talk.welcome();
  talk.from_router(training(1, 10, 0));
  talk.from_router(fault("reclaim=30", seconds(60), {}));
  talk.pass(seconds(40), seconds(1));
  EXPECT_EQ(talk.all<Finished>().size(), 1u);
  EXPECT_TRUE(talk.all<Failed>().empty());
}

}  // namespace
}  // namespace drover::agents
