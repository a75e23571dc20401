#include "router/jobs/replica_controller.h"

#include <gtest/gtest.h>

#include "router/lint/policy_file.h"
#include "tests/router/router_fixture.h"

namespace drover::router {
namespace {

using std::chrono::seconds;

constexpr Instant controller_start = Instant{} + std::chrono::hours(1);

Replica in_state(ReplicaState state) {
  Replica replica = RouterHarness::replica("h1", 0);
  replica.state = state;
  return replica;
}

TEST(ReplicaController, StartsOneAtATimePerModelAndFewOverTheFleet) {
  ReplicaController replica_controller;
  const Replicas limits;
  EXPECT_TRUE(replica_controller.may_start(controller_start, limits, "a"));
  replica_controller.started(controller_start, {"h1", 0}, "a");
  EXPECT_FALSE(replica_controller.may_start(controller_start + seconds(60), limits, "a"));
  EXPECT_TRUE(replica_controller.may_start(controller_start, limits, "b"));
  replica_controller.started(controller_start, {"h1", 1}, "b");
  EXPECT_FALSE(replica_controller.may_start(controller_start, limits, "c")) << "two are starting";
  replica_controller.reported(controller_start + seconds(30), in_state(ReplicaState::compiling));
  EXPECT_FALSE(replica_controller.may_start(controller_start + seconds(30), limits, "c"));
  replica_controller.reported(controller_start + seconds(30), in_state(ReplicaState::ready));
  EXPECT_TRUE(replica_controller.may_start(controller_start + seconds(30), limits, "c"));
  EXPECT_FALSE(replica_controller.may_start(controller_start + seconds(31), limits, "a"))
      << "let the new one show first";
  EXPECT_TRUE(replica_controller.may_start(controller_start + seconds(35), limits, "a"));
}

TEST(ReplicaController, WaitsAfterAStartThatFailed) {
  ReplicaController replica_controller;
  const Replicas limits;
  replica_controller.started(controller_start, {"h1", 0}, "a");
  replica_controller.reported(controller_start + seconds(20), in_state(ReplicaState::gone));
  EXPECT_FALSE(replica_controller.owns({"h1", 0}));
  EXPECT_FALSE(replica_controller.may_start(controller_start + seconds(24), limits, "a"));
  EXPECT_TRUE(replica_controller.may_start(controller_start + seconds(25), limits, "a"));
}

TEST(ReplicaController, DoesNothingWhenThePolicySaysSo) {
  Replicas limits;
  limits.manage = false;
  EXPECT_FALSE(ReplicaController().may_start(controller_start, limits, "a"));
}

TEST(Replicas, StartForAModelThatHasWaitingWork) {
  RouterHarness stage;
  stage.add_host(1, "h1");
  stage.receive(9, Submit{{serve_job(1, "llama-2-7b")}});
  stage.live(4, {{1, "h1"}});
  EXPECT_TRUE(stage.told<StartReplica>(1).empty()) << "it has not waited long enough";
  stage.live(3, {{1, "h1"}});
  const auto starts = stage.told<StartReplica>(1);
  ASSERT_EQ(starts.size(), 1u);
  EXPECT_EQ(starts[0].model, "llama-2-7b");
  EXPECT_EQ(starts[0].number, 1u);
  EXPECT_FALSE(starts[0].devices.empty());
  EXPECT_NE(starts[0].model_spec, "");
  stage.live(10, {{1, "h1"}});
  EXPECT_EQ(stage.told<StartReplica>(1).size(), 1u) << "one at a time";

  Replica ready = RouterHarness::replica("h1", 1, "llama-2-7b", starts[0].devices.front());
  ready.devices = starts[0].devices;
  ready.precision = starts[0].precision;
  stage.receive(1, ReplicaReport{ready});
  stage.live(1, {{1, "h1"}});
  const auto assigned = stage.told<Assign>(1);
  ASSERT_EQ(assigned.size(), 1u);
  EXPECT_EQ(assigned[0].replica, 1u);
  EXPECT_EQ(assigned[0].model_spec, "") << "the connection has carried it";
}

TEST(Replicas, StartedBeforeARouterRestartAreAlsoRetired) {
  Policy policy = builtin_policy();
  policy.replicas.retire_after = seconds(30);
  RouterHarness stage({}, policy);
  ASSERT_TRUE(stage.restart());
  stage.receive(1, Join{Role::agent, "h1", "drover test"});
  Register said = stage.registration("h1");
  said.replicas = {RouterHarness::replica("h1", 0, "llama-3.1-8b", 0),
                   RouterHarness::replica("h1", 1, "llama-2-7b", 1)};
  said.replicas[1].started_by_router = true;
  stage.receive(1, said);
  stage.live(40, {{1, "h1"}});
  const auto retired = stage.told<RetireReplica>(1);
  ASSERT_EQ(retired.size(), 1u);
  EXPECT_EQ(retired[0].number, 1u);
}

TEST(Replicas, StartedByTheRouterAreRetiredWhenUnused) {
  Policy policy = builtin_policy();
  policy.replicas.retire_after = seconds(30);
  RouterHarness stage({}, policy);
  stage.add_host(1, "h1");
  stage.receive(9, Submit{{serve_job(1, "llama-2-7b")}});
  stage.live(7, {{1, "h1"}});
  ASSERT_EQ(stage.told<StartReplica>(1).size(), 1u);
  Replica ready = RouterHarness::replica("h1", 1, "llama-2-7b");
  ready.devices = stage.told<StartReplica>(1)[0].devices;
  stage.receive(1, ReplicaReport{ready});
  stage.live(1, {{1, "h1"}});
  Finished finished;
  finished.job = job_id(1);
  finished.attempt = 1;
  stage.receive(1, finished);
  stage.live(25, {{1, "h1"}});
  EXPECT_TRUE(stage.told<RetireReplica>(1).empty());
  stage.live(10, {{1, "h1"}});
  const auto retired = stage.told<RetireReplica>(1);
  ASSERT_EQ(retired.size(), 1u);
  EXPECT_EQ(retired[0].number, 1u) << "number 0 is the agent's own";
  bool explained = false;
  for (const Decision& decision : stage.published<Decision>()) {
    explained = explained || decision.action == Action::retire_replica;
  }
  EXPECT_TRUE(explained);
}

}  // namespace
}  // namespace drover::router
