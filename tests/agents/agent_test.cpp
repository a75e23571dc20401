// What an agent promises its router.
#include "agents/agent.h"

#include <gtest/gtest.h>

#include "tests/agents/agent_harness.h"

namespace drover::agents {
namespace {

TEST(Agent, SendsNothingBeforeItsJoinIsAccepted) {
  AgentDialogue talk(settings_of("h100-sxm:2", "llama-3.1-8b:0"));
  talk.pass(seconds(5));
  talk.from_router(Reregister{});
  talk.from_router(Heartbeat{});
  EXPECT_TRUE(talk.said.empty());
}

TEST(Agent, RegistersACompleteDescriptionOfItself) {
  AgentSettings settings = settings_of("h100-sxm:2,h100-sxm:2,tpu-v5e:8", "llama-3.1-8b:0,2");
  settings.labels["team"] = "a";
  AgentDialogue talk(settings);
  talk.welcome();
  const Register registration = talk.all<Register>().at(0);
  EXPECT_EQ(registration.host, "node1");
  EXPECT_EQ(registration.incarnation, settings.incarnation);
  EXPECT_EQ(registration.labels, settings.labels);
  ASSERT_EQ(registration.specs.size(), 2u) << "each distinct spec once";
  EXPECT_EQ(registration.specs[0].text, (*catalogue().device("h100-sxm"))->text);
  ASSERT_EQ(registration.groups.size(), 3u);
  EXPECT_EQ(registration.groups[2].first, 4);
  EXPECT_EQ(registration.groups[2].topology, "2x4");
  EXPECT_EQ(registration.groups[0].power_cap_w, device_spec("h100-sxm").power.tdp_w);
  ASSERT_EQ(registration.replicas.size(), 2u);
  EXPECT_EQ(registration.replicas[1].id.number, 1u);
  EXPECT_EQ(registration.replicas[1].group, 1);
  EXPECT_EQ(registration.replicas[0].state, ReplicaState::ready);
  EXPECT_EQ(registration.replicas[0].precision, Precision::bf16);
  EXPECT_GT(registration.replicas[0].kv_capacity_tokens, 100'000u);
  EXPECT_TRUE(registration.held.empty());
}

TEST(Agent, ServesARequestFromAssignToResult) {
  AgentDialogue talk(settings_of("h100-sxm:1", "llama-3.1-8b:0"));
  talk.welcome();
  talk.from_router(to_replica(serve_job(1, chat_model, 1000, 50), 0));
  EXPECT_EQ(talk.all<Accepted>().size(), 1u);
  talk.pass(seconds(5));
  const auto finished = talk.all<Finished>();
  ASSERT_EQ(finished.size(), 1u);
  EXPECT_EQ(finished[0].job, job_id(1));
  EXPECT_EQ(finished[0].outcome.input_tokens, 1000u);
  EXPECT_EQ(finished[0].outcome.output_tokens, 50u);
  EXPECT_GT(finished[0].outcome.first_token_s, 0);
  EXPECT_LT(finished[0].outcome.first_token_s, finished[0].outcome.run_s);
  EXPECT_NEAR(finished[0].usage.device_s, finished[0].outcome.run_s, 1e-9);
  EXPECT_NEAR(finished[0].usage.cost_usd,
              finished[0].usage.device_s / 3600 * device_spec("h100-sxm").price.usd_per_h, 1e-12);
}

TEST(Agent, RunsABatchJobItemByItemAndReportsItsProgress) {
  AgentDialogue talk(settings_of("l4", "llama-3.1-8b:0"));
  talk.welcome(milliseconds(200));
  Job job = serve_job(1, chat_model, 500, 100);
  job.work.kind = WorkKind::batch;
  job.work.items = 2000;
  talk.from_router(to_replica(job, 0));
  talk.pass(seconds(3000), seconds(5));
  const auto finished = talk.all<Finished>();
  ASSERT_EQ(finished.size(), 1u);
  EXPECT_EQ(finished[0].outcome.output_tokens, 200'000u);
  const auto progress = talk.all<Progress>();
  ASSERT_GT(progress.size(), 3u);
  for (std::size_t at = 1; at < progress.size(); ++at) {
    EXPECT_GE(progress[at].share, progress[at - 1].share);
  }
}

TEST(Agent, ADuplicateAssignRunsOnce) {
  AgentDialogue talk(settings_of("h100-sxm:1", "llama-3.1-8b:0"));
  talk.welcome();
  const Assign assign = to_replica(serve_job(1, chat_model, 1000, 50), 0);
  talk.from_router(assign);
  talk.from_router(assign);
  EXPECT_EQ(talk.all<Accepted>().size(), 2u);
  talk.pass(seconds(5));
  ASSERT_EQ(talk.all<Finished>().size(), 1u);
  talk.from_router(assign);  // ended, not yet stored: the result is the answer
  talk.pass(seconds(5));
  const auto finished = talk.all<Finished>();
  ASSERT_EQ(finished.size(), 2u);
  EXPECT_EQ(finished[0], finished[1]);
}

TEST(Agent, ANewerAttemptReplacesTheRunningOne) {
  AgentDialogue talk(settings_of("h100-sxm:2", "llama-3.1-8b:0,1"));
  talk.welcome();
  talk.from_router(to_replica(serve_job(1, chat_model, 1000, 5000), 0, 1));
  talk.pass(seconds(1));
  talk.from_router(to_replica(serve_job(1, chat_model, 1000, 50), 1, 2));
  talk.from_router(to_replica(serve_job(1, chat_model, 1000, 50), 0, 1));
  const auto refused = talk.all<Refused>();
  ASSERT_EQ(refused.size(), 1u) << "the older attempt must not come back";
  EXPECT_EQ(refused[0].attempt, 1u);
  talk.pass(seconds(100), seconds(1));
  const auto finished = talk.all<Finished>();
  ASSERT_EQ(finished.size(), 1u);
  EXPECT_EQ(finished[0].attempt, 2u);
  EXPECT_TRUE(talk.all<Failed>().empty());
}

TEST(Agent, KeepsResultsUntilTheyAreStored) {
  AgentDialogue talk(settings_of("h100-sxm:1", "llama-3.1-8b:0"));
  talk.welcome();
  talk.from_router(to_replica(serve_job(1, chat_model, 1000, 50), 0));
  talk.pass(seconds(5));
  for (int life = 0; life < 3; ++life) {
    talk.forget();
    talk.welcome();
    ASSERT_EQ(talk.all<Register>().at(0).held.size(), 1u);
    EXPECT_EQ(talk.all<Finished>().size(), 1u);
  }
  talk.from_router(ResultStored{job_id(1), 1});
  talk.from_router(ResultStored{job_id(1), 1});  // late and again: harmless
  talk.forget();
  talk.from_router(Reregister{});
  EXPECT_TRUE(talk.all<Register>().at(0).held.empty());
  EXPECT_TRUE(talk.all<Finished>().empty());
}

TEST(Agent, CancelEndsTheAttemptWithItsReason) {
  AgentDialogue talk(settings_of("h100-sxm:9", "llama-3.1-8b:0"));
  talk.welcome();
  talk.from_router(to_replica(serve_job(1, chat_model, 1000, 50'000), 0));
  talk.from_router(
      to_devices(train_job(2, "bert-large", 10'000, 64, 128, 8), {1, 2, 3, 4, 5, 6, 7, 8}));
  talk.pass(seconds(1));
  talk.from_router(Cancel{job_id(1), 1, Reason::preempted});
  talk.from_router(Cancel{job_id(2), 1, Reason::ended});
  talk.from_router(Cancel{job_id(3), 1, Reason::cancelled});
  talk.pass(seconds(1));
  const auto failed = talk.all<Failed>();
  ASSERT_EQ(failed.size(), 3u);
  EXPECT_EQ(failed[0].job, job_id(2)) << "a gang stops at once";
  EXPECT_EQ(failed[0].reason, Reason::ended);
  EXPECT_GT(failed[0].usage.energy_j, 0);
  EXPECT_EQ(failed[1].job, job_id(3));
  EXPECT_EQ(failed[1].detail, "this agent does not hold the attempt");
  EXPECT_EQ(failed[2].job, job_id(1)) << "a request leaves at its next step";
  EXPECT_EQ(failed[2].reason, Reason::preempted);
}

TEST(Agent, StopsItsWorkWhenItsLeaseEnds) {
  AgentDialogue talk(settings_of("h100-sxm:3", "llama-3.1-8b:0"));
  talk.welcome(seconds(1), seconds(10));
  talk.from_router(to_replica(serve_job(1, chat_model, 1000, 100'000), 0));
  talk.from_router(to_devices(train_job(2, "bert-large", 100'000, 64, 128, 2), {1, 2}));
  talk.pass(seconds(9));
  talk.from_router(Heartbeat{});
  talk.pass(milliseconds(9999));
  EXPECT_TRUE(talk.all<Failed>().empty()) << "the heartbeat renewed the lease";
  talk.pass(seconds(5));
  EXPECT_TRUE(talk.all<Failed>().empty()) << "nobody listens: the failures are kept";
  talk.from_router(to_replica(serve_job(3, chat_model, 10, 10), 0));
  ASSERT_EQ(talk.all<Refused>().size(), 1u);
  EXPECT_EQ(talk.all<Refused>()[0].reason, Reason::unhealthy);
  talk.forget();
  talk.from_router(Heartbeat{});  // the router was only slow
  const auto failed = talk.all<Failed>();
  ASSERT_EQ(failed.size(), 2u);
  for (const Failed& one : failed) {
    EXPECT_EQ(one.reason, Reason::unhealthy);
    EXPECT_EQ(one.detail, "lease expired");
  }
  // The gang of two devices was stopped at the lease's end, 19 s after its start.
  EXPECT_NEAR(failed[1].usage.device_s, 2 * 19.0, 1e-6);
  talk.from_router(to_replica(serve_job(3, chat_model, 10, 10), 0, 2));
  EXPECT_EQ(talk.all<Accepted>().size(), 1u) << "the loaded model outlives the lease";
}

TEST(Agent, ReportsAReplicaFromLoadingToGone) {
  AgentDialogue talk(settings_of("tpu-v5e:8", ""));
  talk.welcome();
  StartReplica start;
  start.number = 7;
  start.model = "llama-3.1-70b";
  start.model_spec = (*catalogue().model("llama-3.1-70b"))->text;
  start.precision = Precision::int8;
  start.devices = {0, 1, 2, 3, 4, 5, 6, 7};
  talk.from_router(start);
  talk.from_router(start);
  talk.pass(seconds(3600), seconds(1));
  talk.from_router(RetireReplica{7});
  talk.from_router(RetireReplica{7});
  std::vector<ReplicaState> states;
  for (const ReplicaReport& report : talk.all<ReplicaReport>()) {
    EXPECT_EQ(report.replica.id.number, 7u);
    states.push_back(report.replica.state);
  }
  const std::vector<ReplicaState> expected{ReplicaState::loading,   ReplicaState::loading,
                                           ReplicaState::compiling, ReplicaState::ready,
                                           ReplicaState::gone,      ReplicaState::gone};
  EXPECT_EQ(states, expected);
  EXPECT_EQ(talk.all<ReplicaReport>().back().replica.detail, "no such replica on this host");
}

TEST(Agent, ReportsAtOnceThatAReplicaIsCompilingWhileRequestsWait) {
  AgentDialogue talk(settings_of("tpu-v5e:8", ""));
  talk.welcome();
  StartReplica start;
  start.number = 7;
  start.model = "llama-3.1-70b";
  start.model_spec = (*catalogue().model("llama-3.1-70b"))->text;
  start.precision = Precision::int8;
  start.devices = {0, 1, 2, 3, 4, 5, 6, 7};
  talk.from_router(start);
  talk.pass(seconds(3600), seconds(1));
  talk.forget();
  // Cold replicas have the usual shapes only: a batch of so many is none of them.
  for (std::uint64_t number = 1; number <= 95; ++number) {
    talk.from_router(to_replica(serve_job(number, "llama-3.1-70b", 40, 400), 7));
  }
  std::vector<Replica> told;
  for (int second = 0; second < 300; ++second) {
    talk.pass(seconds(1), milliseconds(100));
    for (const ReplicaReport& report : talk.all<ReplicaReport>()) told.push_back(report.replica);
    talk.forget();
  }
  const auto compiles = [](const Replica& replica) { return replica.pause == Pause::compiling; };
  EXPECT_TRUE(std::any_of(told.begin(), told.end(), [&](const Replica& replica) {
    return compiles(replica) && replica.state == ReplicaState::ready && replica.running > 0;
  }));
  ASSERT_FALSE(told.empty());
  EXPECT_FALSE(compiles(told.back())) << "it is over, and was told";
}

TEST(Agent, ReportsWhichReplicasTheRouterStarted) {
  AgentDialogue talk(settings_of("h100-sxm:2", "llama-3.1-8b:0"));
  talk.welcome();
  StartReplica start;
  start.number = 7;
  start.model = chat_model;
  start.devices = {1};
  talk.from_router(start);
  EXPECT_TRUE(talk.all<ReplicaReport>().back().replica.started_by_router);
  talk.from_router(Reregister{});
  std::map<std::uint32_t, bool> started_by_router;
  const Register said = talk.all<Register>().back();
  for (const Replica& replica : said.replicas)
    started_by_router[replica.id.number] = replica.started_by_router;
  EXPECT_EQ(started_by_router, (std::map<std::uint32_t, bool>{{0, false}, {7, true}}));
}

TEST(Agent, ADrainingReplicaFinishesWhatItAccepted) {
  AgentDialogue talk(settings_of("h100-sxm:1", "llama-3.1-8b:0"));
  talk.welcome();
  talk.from_router(to_replica(serve_job(1, chat_model, 1000, 200), 0));
  talk.from_router(RetireReplica{0});
  talk.from_router(to_replica(serve_job(2, chat_model, 1000, 200), 0));
  ASSERT_EQ(talk.all<Refused>().size(), 1u);
  EXPECT_EQ(talk.all<Refused>()[0].reason, Reason::drain);
  talk.pass(seconds(20), seconds(1));
  EXPECT_EQ(talk.all<Finished>().size(), 1u);
  EXPECT_EQ(talk.all<ReplicaReport>().back().replica.state, ReplicaState::gone);
  talk.from_router(Reregister{});
  EXPECT_TRUE(talk.all<Register>().back().replicas.empty());
}

TEST(Agent, AnImpossibleReplicaIsGoneAtOnceWithItsReason) {
  AgentDialogue talk(settings_of("h100-sxm:2,l4:1", "llama-3.1-8b:0"));
  talk.welcome();
  const std::vector<std::tuple<const char*, std::vector<std::uint16_t>, const char*>> cases{
      {"llama-3.1-8b", {0}, "capacity"},    {"llama-3.1-70b", {1}, "memory"},
      {"llama-3.1-8b", {1, 2}, "topology"}, {"llama-3.1-8b", {}, "invalid"},
      {"llama-3.1-8b", {9}, "invalid"},     {"llama-99", {1}, "invalid"},
  };
  for (std::size_t at = 0; at < cases.size(); ++at) {
    StartReplica start;
    start.number = static_cast<std::uint32_t>(10 + at);
    start.model = std::get<0>(cases[at]);
    start.devices = std::get<1>(cases[at]);
    talk.from_router(start);
    const Replica gone = talk.all<ReplicaReport>().back().replica;
    EXPECT_EQ(gone.id.number, start.number);
    EXPECT_EQ(gone.state, ReplicaState::gone);
    EXPECT_EQ(gone.detail.rfind(std::get<2>(cases[at]), 0), 0u) << gone.detail;
  }
}

TEST(Agent, UsesTheModelSpecThatTheRouterSends) {
  AgentDialogue talk(settings_of("h100-sxm:2", ""));
  talk.welcome();
  std::string text = (*catalogue().model("bert-large"))->text;
  const std::size_t at = text.find("bert-large");
  ASSERT_NE(at, std::string::npos);
  text.replace(at, 10, "bert-other");
  Assign assign = to_devices(train_job(1, "bert-other", 10, 64, 128, 1), {0});
  talk.from_router(assign);
  EXPECT_EQ(talk.all<Refused>().at(0).reason, Reason::invalid) << "nobody has sent its spec";
  assign.attempt = 2;
  assign.model_spec = text;
  talk.from_router(assign);
  EXPECT_EQ(talk.all<Accepted>().size(), 1u);
  assign = to_devices(train_job(2, "bert-other", 10, 64, 128, 1), {1});
  talk.from_router(assign);
  EXPECT_EQ(talk.all<Accepted>().size(), 2u) << "kept by name for this connection";
  talk.welcome();
  assign = to_devices(train_job(3, "bert-other", 10, 64, 128, 1), {1});
  talk.pass(seconds(60), seconds(1));
  talk.from_router(assign);
  EXPECT_EQ(talk.all<Refused>().size(), 2u) << "a new connection carries it anew";
}

TEST(Agent, SamplesOnAGridAndCountsRateLimitedSamples) {
  AgentSettings settings = settings_of("h100-sxm:3", "");
  settings.sample_every = milliseconds(100);
  settings.sample_every_min = milliseconds(250);
  AgentDialogue talk(settings);
  talk.now += milliseconds(30);
  talk.welcome(seconds(1));
  talk.pass(seconds(1));
  std::vector<std::int64_t> at_ms;
  std::uint64_t sequence = 0;
  for (const Send& send : talk.said) {
    if (!std::holds_alternative<SampleBatch>(send.envelope.body)) continue;
    EXPECT_EQ(send.to, samples_peer);
    EXPECT_EQ(send.envelope.sequence, ++sequence) << "counted on its own channel";
    at_ms.push_back((send.envelope.at - beginning()).count() / 1'000'000);
    EXPECT_TRUE(check(std::get<SampleBatch>(send.envelope.body)).ok());
  }
  EXPECT_EQ(at_ms, (std::vector<std::int64_t>{100, 400, 700, 1000}));
  talk.pass(seconds(1));
  const Heartbeat last = talk.all<Heartbeat>().back();
  EXPECT_EQ(last.samples_sent, 7u);
  EXPECT_EQ(last.samples_thinned, 12u) << "two before each but the first";
}

TEST(Agent, SplitsSamplesOfManyDevicesIntoBatchesOfAThousand) {
  AgentDialogue talk(settings_of("l4:1500", ""));
  talk.welcome();
  talk.pass(seconds(1));
  const auto batches = talk.all<SampleBatch>();
  ASSERT_EQ(batches.size(), 2u);
  EXPECT_EQ(batches[0].devices.size(), 1000u);
  EXPECT_EQ(batches[1].devices.size(), 500u);
  EXPECT_EQ(batches[1].devices.front(), 1000u);
}

TEST(Agent, SurvivesARouterWhoseTimeStepsBack) {
  AgentDialogue talk(settings_of("h100-sxm:1", "llama-3.1-8b:0"));
  talk.welcome();
  talk.pass(seconds(5), seconds(1));
  talk.now -= seconds(3);
  talk.welcome();
  talk.from_router(to_replica(serve_job(1, chat_model, 1000, 50), 0));
  talk.pass(seconds(8), seconds(1));
  EXPECT_EQ(talk.all<Finished>().size(), 1u);
  EXPECT_GE(talk.all<Finished>().at(0).outcome.run_s, 0);
}

TEST(Agent, CountsUndecodableMessages) {
  AgentDialogue talk(settings_of("l4", ""));
  talk.welcome();
  talk.agent.count_undecodable();
  talk.agent.count_undecodable();
  talk.pass(seconds(1));
  EXPECT_EQ(talk.all<Heartbeat>().back().undecodable, 2u);
}

TEST(Agent, StopsPermanentlyWhenANewerIncarnationOfItsHostRuns) {
  AgentDialogue talk(settings_of("h100-sxm:1", "llama-3.1-8b:0"));
  talk.welcome();
  talk.from_router(to_replica(serve_job(1, chat_model, 1000, 500), 0));
  talk.forget();
  EXPECT_TRUE(talk.asked.empty());
  talk.from_router(Superseded{});
  EXPECT_TRUE(talk.last_asked<Replaced>());
  EXPECT_EQ(talk.agent.next_deadline(), never);
  talk.pass(seconds(100));
  talk.welcome();
  EXPECT_TRUE(talk.said.empty());
}

TEST(Agent, ThatLeavesReturnsItsWorkWithTheUsageSoFar) {
  AgentDialogue talk(settings_of("h100-sxm:2", "llama-3.1-8b:0"));
  talk.welcome();
  talk.from_router(to_replica(serve_job(1, chat_model, 1000, 50'000), 0));
  talk.from_router(to_devices(train_job(2, "bert-large", 100'000, 32, 512, 1), {1}));
  talk.pass(seconds(3), seconds(1));
  talk.forget();
  talk.leave("SIGTERM");
  const auto failed = talk.all<Failed>();
  ASSERT_EQ(failed.size(), 2u);
  for (const Failed& one : failed) {
    EXPECT_EQ(one.reason, Reason::drain);
    EXPECT_NEAR(one.usage.device_s, 3, 1e-6);
    EXPECT_GT(one.usage.energy_j, 0);
    EXPECT_NE(one.detail.find("SIGTERM"), std::string::npos) << one.detail;
  }
  // The first word, so that no new work comes meanwhile, and the last.
  const auto leaves = talk.all<Leave>();
  ASSERT_EQ(leaves.size(), 2u);
  EXPECT_EQ(leaves[0].held, 2u);
  EXPECT_EQ(leaves[1].held, 0u);
  EXPECT_TRUE(std::holds_alternative<Leave>(talk.said.front().envelope.body));
  EXPECT_TRUE(std::holds_alternative<Leave>(talk.said.back().envelope.body));
  EXPECT_FALSE(talk.last_asked<Left>()) << "the router has stored nothing yet";
}

TEST(Agent, ThatHasLeftHandlesOnlyResultAcknowledgements) {
  AgentDialogue talk(settings_of("h100-sxm:1", "llama-3.1-8b:0"));
  talk.welcome();
  talk.from_router(to_replica(serve_job(1, chat_model, 1000, 50'000), 0));
  talk.leave("SIGTERM");
  talk.forget();
  EXPECT_EQ(talk.agent.next_deadline(), never);
  talk.leave("SIGTERM");
  talk.from_router(Reregister{});
  talk.from_router(to_replica(serve_job(2, chat_model, 1000, 50), 0));
  talk.welcome();
  talk.pass(seconds(100));
  EXPECT_TRUE(talk.said.empty());
  talk.from_router(ResultStored{job_id(1), 1});
  EXPECT_TRUE(talk.last_asked<Left>());
}

TEST(Agent, ThatLeavesAfterItsLeaseEndsSendsItsHeldResults) {
  AgentDialogue talk(settings_of("h100-sxm:1", "llama-3.1-8b:0"));
  talk.welcome();
  talk.from_router(to_replica(serve_job(1, chat_model, 1000, 100'000), 0));
  talk.pass(seconds(12));
  EXPECT_TRUE(talk.all<Failed>().empty());
  talk.leave("SIGTERM");
  EXPECT_EQ(talk.all<Failed>().size(), 1u);
}

TEST(Agent, SendsNoLeaveIfItHasNeverJoined) {
  AgentDialogue talk(settings_of("h100-sxm:1", ""));
  talk.leave("SIGTERM");
  EXPECT_TRUE(talk.said.empty());
}

}  // namespace
}  // namespace drover::agents
