// Where no new work may come because somebody said so.
#include <algorithm>

#include <gtest/gtest.h>

#include "router/actions/drain_table.h"
#include "router/lint/policy_file.h"
#include "tests/router/action_harness.h"

namespace drover::router {
namespace {

using Fleet = ActionHarness;
using std::chrono::hours;
using std::chrono::minutes;
using std::chrono::seconds;

SetDrain drain(const std::string& target, Duration deadline = {}) {
  return {target, true, deadline};
}
SetDrain resume(const std::string& target) { return {target, false, {}}; }

std::size_t drained_devices(const Fleet& stage) {
  std::map<std::pair<std::string, std::uint16_t>, bool> last;
  for (const DeviceChanged& changed : stage.published<DeviceChanged>()) {
    last[{changed.host, changed.device}] = changed.drained;
  }
  return static_cast<std::size_t>(
      std::count_if(last.begin(), last.end(), [](const auto& one) { return one.second; }));
}

/// The peer that was assigned the last job, and the assignment.
std::pair<std::uint64_t, Assign> assigned(const Fleet& stage) {
  std::vector<std::pair<std::uint64_t, Assign>> found;
  for (const std::uint64_t peer : {1, 2, 3}) {
    for (const Assign& assign : stage.told<Assign>(peer)) found.emplace_back(peer, assign);
  }
  DROVER_REQUIRE(found.size() == 1);
  return found.front();
}

std::pair<std::uint64_t, Assign> submit(Fleet& stage, const Job& job) {
  stage.forget();
  stage.receive(client, Submit{{job}});
  stage.live(1, all_hosts);
  return assigned(stage);
}

/// The peer that a short job goes to, and finishes on.
std::uint64_t taker(Fleet& stage, std::uint64_t job) {
  const auto [peer, assign] = submit(stage, serve_job(job));
  stage.receive(peer, finished_of(assign));
  stage.commit();
  return peer;
}

std::string host_of(std::uint64_t peer) { return all_hosts[peer - 1].second; }

// ---- The book ----------------------------------------------------------------------------------

TEST(DrainTable, TheLatestOrderForADeviceApplies) {
  struct Case {
    std::vector<SetDrain> words;
    bool first, second;  // h1/0 of pool a, h2/0 of pool b: drained?
  };
  const Case cases[] = {
      {{}, false, false},
      {{drain("host:h1")}, true, false},
      {{drain("site")}, true, true},
      {{drain("site"), resume("host:h1")}, false, true},
      {{drain("host:h1"), resume("site")}, false, false},
      {{drain("host:h1"), resume("pool:a")}, false, false},
      {{drain("host:h1"), resume("pool:b")}, true, false},
      {{resume("host:h1"), drain("rack:r1")}, true, true},
      {{drain("site"), resume("h1/0"), drain("host:h1")}, true, true},
      {{drain("h1/1")}, false, false},
      {{drain("host:h1"), resume("h1/0"), drain("h2/0"), resume("host:h2")}, false, false},
  };
  for (const Case& each : cases) {
    DrainTable book;
    std::string said;
    for (const SetDrain& word : each.words) {
      book.apply(Instant{}, word);
      said += action_text(word) + " " + word.target + "; ";
    }
    EXPECT_EQ(book.order_for({"h1", "r1", 0, {"a"}}) != nullptr, each.first) << said;
    EXPECT_EQ(book.order_for({"h2", "r1", 0, {"b"}}) != nullptr, each.second) << said;
  }
}

TEST(DrainTable, ADeadlineExpiresOnceAndIsThatOfTheLatestOrder) {
  DrainTable book;
  const Instant start = Instant{} + hours(1);
  book.apply(start, drain("host:h1", minutes(5)));
  book.apply(start, drain("host:h2"));
  EXPECT_EQ(book.next_deadline(), start + minutes(5));
  EXPECT_TRUE(book.take_expired(start + minutes(4)).empty());
  EXPECT_EQ(book.take_expired(start + minutes(5)).size(), 1U);
  EXPECT_TRUE(book.take_expired(start + minutes(6)).empty());
  EXPECT_EQ(book.next_deadline(), never);
  book.apply(start + minutes(6), drain("host:h1"));
  EXPECT_EQ(book.order_for({"h1", "", 0, {}})->deadline, never);
}

// ---- The router --------------------------------------------------------------------------------

TEST(Draining, BlocksNewWorkAndLetsRunningWorkFinish) {
  Fleet stage;
  const auto [peer, running] = submit(stage, serve_job(1));
  stage.receive(peer, Accepted{job_id(1), 1});
  const ActionReply reply = stage.ask(drain("host:" + host_of(peer)));
  EXPECT_TRUE(reply.applied) << reply.problem;
  EXPECT_EQ(reply.targets.size(), 8U);
  EXPECT_EQ(drained_devices(stage), 8U);
  EXPECT_TRUE(stage.told<Cancel>(peer).empty());
  for (std::uint64_t job = 2; job < 8; ++job) {
    EXPECT_NE(submit(stage, serve_job(job)).first, peer) << job;
  }
  stage.receive(peer, finished_of(running));
  EXPECT_EQ(stage.router->summary(stage.now).finished, 1U);
}

TEST(Draining, TheReplySaysWhatHappensToRunningWork) {
  for (const double speed : {1.0, 10.0}) {
    RouterSettings settings;
    settings.speed = speed;
    Fleet stage(settings);
    const auto [peer, running] = submit(stage, serve_job(1));
    stage.receive(peer, Accepted{job_id(1), 1});
    const std::string host = host_of(peer);
    EXPECT_EQ(stage.ask(drain("host:" + host)).summary,
              host + ": draining 8 devices; 1 job still runs and will finish");
    const std::string until = to_clock_text(stage.now + minutes(10));
    EXPECT_EQ(stage.ask(drain("host:" + host, minutes(10))).summary,
              host + ": draining 8 devices, 1 job has until " + until + " fleet time " +
                  (speed == 1 ? "(10m)" : "(10m of fleet time, 60s here)") +
                  ", then it is requeued");
    EXPECT_EQ(stage.ask(drain("pool:v5e")).summary,
              "pool v5e: drained 8 devices, nothing runs there");
  }
}

TEST(Draining, WhenEverythingIsDrainedWorkWaitsForThatReasonUntilResumed) {
  Fleet stage;
  stage.ask(drain("all"));
  EXPECT_EQ(drained_devices(stage), 24U);
  stage.receive(client, Submit{{serve_job(1), train_job(2, 8)}});
  stage.live(3, all_hosts);
  EXPECT_EQ(stage.told<Assign>(1).size() + stage.told<Assign>(2).size(), 0U);
  const std::map<Reason, std::uint64_t> waiting{{Reason::drain, 2}};
  EXPECT_EQ(stage.router->summary(stage.now).queued_for, waiting);
  EXPECT_EQ(stage.ask(resume("all")).targets.size(), 24U);
  EXPECT_EQ(drained_devices(stage), 0U);
  stage.live(1, all_hosts);
  EXPECT_EQ(stage.router->summary(stage.now).queued, 0U);
}

TEST(Draining, GangsAvoidADrainedDeviceAndItsReplicaTakesNoRequests) {
  Fleet stage;
  EXPECT_EQ(stage.ask(drain("h100-1/0")).targets, std::vector<std::string>{"h100-1/0"});
  EXPECT_EQ(submit(stage, serve_job(1)).first, 2U) << "the replica of h100-1 is on device 0";
  stage.ask(drain("h100-1/2"));
  stage.ask(drain("host:h100-2"));
  stage.ask(drain("host:v5e-1"));
  const auto [peer, gang] = submit(stage, train_job(2, 4));
  EXPECT_EQ(peer, 1U);
  EXPECT_EQ(gang.devices, (std::vector<std::uint16_t>{4, 5, 6, 7}));
}

TEST(Draining, AnUnusableDeviceCanBeDrainedAndStaysDrainedOnceHealthy) {
  Fleet stage;
  stage.receive(1, DeviceReport{0, false, 64, "row remapping failed"});
  EXPECT_TRUE(stage.ask(drain("h100-1/0")).applied);
  stage.receive(1, DeviceReport{0, true, 0, ""});
  const DeviceChanged last = stage.published<DeviceChanged>().back();
  EXPECT_TRUE(last.usable);
  EXPECT_TRUE(last.drained);
  EXPECT_EQ(submit(stage, serve_job(1)).first, 2U);
}

TEST(Draining, SurvivesRestartsOfTheHostAndTheRouter) {
  Fleet stage;
  stage.ask(drain("host:h100-1"));
  Register again = stage.registration("h100-1", 2);
  again.replicas = {RouterHarness::replica("h100-1", 0)};
  stage.receive(1, again);
  EXPECT_EQ(taker(stage, 1), 2U);
  stage.live(13, {{2, "h100-2"}, {3, "v5e-1"}});
  stage.add_host(1, "h100-1", 3);
  EXPECT_EQ(taker(stage, 2), 2U);

  ASSERT_TRUE(stage.restart());
  stage.join_all();
  EXPECT_EQ(taker(stage, 3), 2U);
  stage.forget();
  stage.receive(8, Join{Role::viewer, "late", "drover test"});
  stage.receive(8, SnapshotRequest{});
  std::size_t shown = 0;
  for (const SnapshotPart& part : stage.told<SnapshotPart>(8)) {
    for (const std::string& bytes : part.messages) {
      const auto envelope = decode(bytes);
      const auto* device = std::get_if<DeviceChanged>(&envelope->body);
      shown += device != nullptr && device->drained ? 1 : 0;
    }
  }
  EXPECT_EQ(shown, 8U) << "a dashboard that joins late knows";
  EXPECT_TRUE(stage.ask(resume("host:h100-1")).applied);
}

TEST(Draining, ATargetUnknownToARestartedRouterCanBeResumed) {
  Fleet stage;
  stage.ask(drain("host:h100-1"));
  ASSERT_TRUE(stage.restart());
  EXPECT_EQ(stage.ask(drain("host:h100-2")).problem, "no host \"h100-2\": there are none")
      << "not heard of, and not drained";
  EXPECT_EQ(stage.ask(resume("host:h100-1")).targets, std::vector<std::string>{"host:h100-1"});
}

TEST(Draining, AfterItsDeadlineRunningWorkMovesWithoutUsingAnAttempt) {
  Policy once = builtin_policy();
  once.retry.attempts_max = 1;
  Fleet stage({}, once);
  const auto [peer, running] = submit(stage, serve_job(1));
  stage.receive(peer, Accepted{job_id(1), 1});
  stage.ask(drain("host:" + host_of(peer), seconds(10)));
  stage.live(9, all_hosts);
  EXPECT_TRUE(stage.told<Cancel>(peer).empty());
  stage.live(2, all_hosts);
  ASSERT_FALSE(stage.told<Cancel>(peer).empty());
  EXPECT_EQ(stage.told<Cancel>(peer).front().reason, Reason::drain);
  const std::size_t said = stage.told<Cancel>(peer).size();
  stage.live(2, all_hosts);
  EXPECT_GT(stage.told<Cancel>(peer).size(), said) << "it may have got lost: it is said again";
  stage.forget();
  stage.receive(peer, Failed{job_id(1), 1, {}, Reason::drain, "", {2, 3, 4}});
  stage.live(1, all_hosts);
  const auto [other, again] = assigned(stage);
  EXPECT_NE(other, peer);
  EXPECT_EQ(again.attempt, 2U);
  EXPECT_EQ(stage.router->summary(stage.now).wasted, (Usage{2, 3, 4}));
  stage.forget();
  stage.live(2, all_hosts);
  EXPECT_TRUE(stage.told<Cancel>(other).empty());
}

TEST(Draining, TheDeadlineSurvivesARouterRestart) {
  Fleet stage;
  const auto [peer, running] = submit(stage, serve_job(1));
  stage.receive(peer, Accepted{job_id(1), 1});
  stage.ask(drain("host:" + host_of(peer), seconds(10)));
  stage.now += seconds(20);
  ASSERT_TRUE(stage.restart());
  Register registration = stage.registration(host_of(peer));
  registration.replicas = {RouterHarness::replica(host_of(peer), 0)};
  registration.held = {{job_id(1), 1}};
  stage.receive(peer, registration);
  stage.tick();
  stage.commit();
  ASSERT_EQ(stage.told<Cancel>(peer).size(), 1U);
  EXPECT_EQ(stage.told<Cancel>(peer)[0].reason, Reason::drain);
}

TEST(Draining, AResultAlreadyInFlightCounts) {
  Fleet stage;
  const auto [peer, running] = submit(stage, serve_job(1));
  stage.receive(peer, Accepted{job_id(1), 1});
  stage.ask(drain("host:" + host_of(peer), seconds(1)));
  stage.live(2, all_hosts);
  EXPECT_FALSE(stage.told<Cancel>(peer).empty());
  stage.receive(peer, finished_of(running));
  EXPECT_EQ(stage.router->summary(stage.now).finished, 1U);
}

TEST(Draining, InvalidRequestsAreRefusedAndAudited) {
  struct Case {
    SetDrain said;
    std::string problem;
  };
  const Case cases[] = {
      {drain("host:h100-3"), "no host \"h100-3\"; did you mean h100-1 or h100-2?"},
      {drain("pool:h10"), "no pool \"h10\"; did you mean h100?"},
      {drain("rack:moon"), "no rack \"moon\"; known: rack-1, rack-2"},
      {drain("h100-1/8"), "no device device:h100-1/8: h100-1 has devices 0 to 7"},
      {drain("moon"),
       "target \"moon\": expected device:HOST/N, host:HOST, rack:RACK, pool:POOL or site"},
      {drain("job:12"),
       "target \"job:12\": expected device:HOST/N, host:HOST, rack:RACK, pool:POOL or site"},
      {drain("site", hours(169)), "found a deadline of 608400 s, expected 0 (none) to a week"},
      {drain("site", seconds(-1)), "found a deadline of -1 s, expected 0 (none) to a week"},
      {{"site", false, seconds(5)}, "resume takes no deadline"},
      {resume("host:h100-1"), "no device of host:h100-1 is drained"},
  };
  for (const Case& each : cases) {
    Fleet stage;
    const ActionReply reply = stage.ask(each.said);
    EXPECT_FALSE(reply.applied);
    EXPECT_EQ(reply.problem, each.problem);
    EXPECT_EQ(drained_devices(stage), 0U);
    ASSERT_EQ(stage.published<Audit>().size(), 1U);
    EXPECT_EQ(stage.published<Audit>()[0],
              (Audit{"ann", action_text(each.said), each.said.target, false, each.problem}));
    EXPECT_EQ(stage.disk.back().transition, Transition::audit);
  }
}

TEST(Draining, IsAuditedAsRequested) {
  Fleet stage;
  stage.ask(drain("host:h100-1", minutes(10)));
  EXPECT_EQ(stage.published<Audit>().at(0).action, "drain, 10m for running work");
  stage.ask(drain("host:h100-1"));
  EXPECT_EQ(stage.published<Audit>().at(0).action, "drain");
  EXPECT_TRUE(stage.published<DeviceChanged>().empty()) << "said again: nothing changes";
  const ActionReply reply = stage.ask(resume("h100-1/0"));
  EXPECT_EQ(reply.summary, "h100-1/0: resumed 1 device, no job waits");
  EXPECT_EQ(stage.published<Audit>().at(0),
            (Audit{"ann", "resume", "h100-1/0", true, reply.summary}));
  ASSERT_EQ(stage.published<DeviceChanged>().size(), 1U);
  EXPECT_FALSE(stage.published<DeviceChanged>()[0].drained);
}

}  // namespace
}  // namespace drover::router
