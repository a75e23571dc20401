// A host that is lost, and its next life.
#include <gtest/gtest.h>

#include <set>

#include "tests/agents/agent_harness.h"

namespace drover::agents {
namespace {

TEST(LostHost, SendsAndReceivesNothingUntilItsNextIncarnation) {
  AgentDialogue talk(settings_of("h100-sxm:2", "llama-3.1-8b:0"));
  talk.welcome(seconds(1), seconds(4));
  talk.from_router(to_replica(serve_job(1, chat_model, 1000, 60'000), 0));
  talk.pass(seconds(2), seconds(1));
  const Incarnation before = talk.all<Register>().back().incarnation;
  talk.forget();
  const Instant lost = talk.now;
  talk.from_router(fault("lose", seconds(30), {}));
  EXPECT_TRUE(talk.last_asked<HostDown>());
  talk.pass(seconds(10), seconds(1));
  talk.from_router(to_replica(serve_job(2, chat_model, 10, 10), 0));
  talk.from_router(Reregister{});
  talk.from_router(Cancel{job_id(1), 1, Reason::cancelled});
  talk.from_router(fault("ecc", seconds(100), {0}));
  talk.welcome(seconds(2), seconds(8));
  EXPECT_TRUE(talk.said.empty());
  talk.pass(lost + seconds(30) - Duration(1) - talk.now);
  EXPECT_TRUE(talk.said.empty());
  talk.pass(Duration(1));
  EXPECT_TRUE(talk.last_asked<HostUp>());
  ASSERT_EQ(talk.all<Register>().size(), 1u);
  const Register registration = talk.all<Register>().front();
  EXPECT_EQ(talk.said.front().envelope.at, lost + seconds(30));
  EXPECT_NE(registration.incarnation, before);
  EXPECT_TRUE(registration.held.empty());
  ASSERT_EQ(registration.replicas.size(), 1u);
  EXPECT_EQ(registration.replicas[0].state, ReplicaState::loading) << "from cold";
  EXPECT_EQ(talk.said.size(), 1u) << "of what it had, nothing is left to say";
  talk.forget();
  talk.pass(seconds(20), seconds(2));
  ASSERT_FALSE(talk.all<Heartbeat>().empty());
  EXPECT_EQ(talk.all<Heartbeat>().front().incarnation, registration.incarnation);
  EXPECT_LE(talk.all<Heartbeat>().front().samples_sent, 3u) << "the counters of its new life";
  talk.from_router(to_replica(serve_job(3, chat_model, 10, 10), 0));
  EXPECT_EQ(talk.all<Accepted>().size(), 1u);
}

TEST(LostHost, EachRestartHasItsOwnIncarnationFromTheSeed) {
  std::vector<std::vector<Incarnation>> runs;
  for (int run = 0; run < 2; ++run) {
    AgentDialogue talk(settings_of("h100-sxm:1", ""));
    talk.welcome();
    for (int life = 0; life < 3; ++life) {
      talk.from_router(fault("lose", seconds(5), {}));
      talk.pass(seconds(6));
    }
    std::vector<Incarnation> lives;
    for (const Register& registration : talk.all<Register>())
      lives.push_back(registration.incarnation);
    runs.push_back(lives);
  }
  ASSERT_EQ(runs[0].size(), 4u);
  EXPECT_EQ(std::set<Incarnation>(runs[0].begin(), runs[0].end()).size(), 4u);
  EXPECT_EQ(runs[0], runs[1]);
}

TEST(LostHost, ThatIsStoppedWhileLostExitsWithoutAMessage) {
  AgentDialogue talk(settings_of("h100-sxm:1", "llama-3.1-8b:0"));
  talk.welcome();
  talk.from_router(to_replica(serve_job(1, chat_model, 1000, 60'000), 0));
  talk.from_router(fault("lose", seconds(5), {}));
  talk.forget();
  talk.leave("SIGTERM");
  talk.pass(seconds(60));
  EXPECT_TRUE(talk.said.empty());
}

}  // namespace
}  // namespace drover::agents
