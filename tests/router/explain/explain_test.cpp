#include "router/explain/explain.h"

#include <gtest/gtest.h>

#include "router/explain/decision_log.h"
#include "tests/router/decision_fixture.h"

namespace drover::router {
namespace {

constexpr const char* plain = R"([pool.h100]
match = { model = "h100*" }
[pool.l4]
match = { model = "l4" }
[[rule]]
name = "all"
require = { precision = ["bf16"] }
pools = ["h100"]
  [[rule.fallback]]
  on = "*"
  to = "l4"
)";

struct Plain : DecisionFixture {
  HostIndex h100 = add_host("fast", "h100-sxm", 8);
  HostIndex l4 = add_host("small", "l4", 4);
  Plain() : DecisionFixture(plain) {}

  std::vector<CandidateStatus> candidates() {
    return candidate_statuses(fleet_state, policy, estimator.scratch().record);
  }
  std::vector<NearestFit> nearest(const Job& job) { return nearest(ask(job)); }
  std::vector<NearestFit> nearest(const PlacementRequest& ask) {
    return nearest_fits(fleet_state, policy, estimator, ask, now);
  }
  const NearestFit* find(const std::vector<NearestFit>& fits, Reason reason) {
    for (const NearestFit& fit : fits) {
      if (fit.reason == reason) return &fit;
    }
    return nullptr;
  }
};

TEST(CandidateTable, EveryCandidateHasItsScoreOrAllOfItsReasons) {
  Plain fleet;
  fleet.add_replica(fleet.h100, 0, "llama-3.1-8b", {0});
  const ReplicaIndex full = fleet.add_replica(fleet.h100, 1, "llama-3.1-8b", {1});
  for (int request = 0; request < 8; ++request) {
    fleet.fleet_state.reserve_request(fleet.now, full, 1, fleet.now);
  }
  fleet.add_replica(fleet.h100, 2, "llama-3.1-8b", {2}, Precision::fp8);
  fleet.fleet_state.set_usable(fleet.h100, 2, false);
  const Decision decision = fleet.decide(fleet.request()).decision;
  const std::vector<CandidateStatus> candidates = fleet.candidates();
  ASSERT_EQ(candidates.size(), 3U);
  EXPECT_EQ(candidates[0].target, "fast/r0");
  EXPECT_NEAR(candidates[0].score.value(), decision.top[0].score, 1e-6);
  EXPECT_EQ(candidates[1].target, "fast/r1");
  EXPECT_EQ(candidates[1].reasons, std::vector<Reason>{Reason::capacity});
  EXPECT_EQ(candidates[2].target, "fast/r2");
  EXPECT_EQ(candidates[2].reasons, (std::vector<Reason>{Reason::precision, Reason::unhealthy}));
}

TEST(CandidateTable, ListsCandidatesOfEveryPoolThatWasTried) {
  Plain fleet;
  const Job job = fleet.training(4);
  fleet.fleet_state.host(fleet.h100).draining = true;
  EXPECT_EQ(fleet.decide(job).decision.pool, "l4");
  const std::vector<CandidateStatus> candidates = fleet.candidates();
  ASSERT_EQ(candidates.size(), 2U);
  EXPECT_EQ(candidates[0].target, "small/g0");
  EXPECT_EQ(candidates[0].device_class, "l4");
  EXPECT_EQ(candidates[1].target, "fast/g0");
  EXPECT_EQ(candidates[1].pool, "h100");
  EXPECT_EQ(candidates[1].reasons, std::vector<Reason>{Reason::drain});
}

TEST(CandidateTable, IsKeptForAsManyDecisionsAsFit) {
  DecisionLog log(10);
  std::vector<RecordRow> record(record_rows_max / 2);
  for (std::uint32_t number = 1; number <= 3; ++number) {
    record.front().place = number;
    log.add(Decision{}, record);
  }
  EXPECT_TRUE(log.record_of(1).empty()) << "its rows were written over";
  ASSERT_EQ(log.record_of(2).size(), record.size());
  EXPECT_EQ(log.record_of(2).front().place, 2U);
  EXPECT_EQ(log.record_of(3).front().place, 3U);
  EXPECT_TRUE(log.record_of(4).empty());
}

TEST(NearestFit, SaysHowLongUntilEnoughDevicesAreFree) {
  Plain fleet;
  fleet.fleet_state.reserve_gang(fleet.now, {9, 9}, fleet.h100, {0, 1, 2, 3},
                                 fleet.now + std::chrono::seconds(41), 0);
  const auto fits = fleet.nearest(fleet.training(8));
  const NearestFit* wait = fleet.find(fits, Reason::capacity);
  ASSERT_NE(wait, nullptr);
  EXPECT_EQ(wait->change, "41s");
  EXPECT_EQ(wait->amount, 41);
  EXPECT_EQ(wait->target, "fast/g0");
  const NearestFit* fewer = fleet.find(fits, Reason::topology);
  ASSERT_NE(fewer, nullptr);
  EXPECT_EQ(fewer->change, "4 devices instead of 8") << "on the L4 host";
}

TEST(NearestFit, NamesThePrecisionThatWouldWork) {
  Plain fleet;
  Job job = fleet.training(1);
  job.work.precisions = {Precision::fp4};
  const auto fits = fleet.nearest(job);
  const NearestFit* fit = fleet.find(fits, Reason::precision);
  ASSERT_NE(fit, nullptr);
  EXPECT_EQ(fit->change, "bf16 allowed");
}

TEST(NearestFit, SaysHowMuchMemoryIsMissing) {
  Plain fleet;
  Job job = fleet.training(1, "llama-3.1-8b");
  job.work.batch = 1;
  const auto fits = fleet.nearest(job);
  const NearestFit* fit = fleet.find(fits, Reason::memory);
  ASSERT_NE(fit, nullptr);
  EXPECT_EQ(fit->target.substr(0, 4), "fast") << "less is missing there";
  EXPECT_GT(fit->amount, 1e9);
}

TEST(NearestFit, AChangeOfTheSuggestedSizePlacesTheJob) {
  Plain fleet;
  fleet.policy.limits.site_power_cap_w = 700;
  const Job job = fleet.training(8);
  ASSERT_EQ(fleet.decide(job).decision.action, Action::queue);
  const auto fits = fleet.nearest(job);
  const NearestFit* fit = fleet.find(fits, Reason::power_cap);
  ASSERT_NE(fit, nullptr);
  fleet.policy.limits.site_power_cap_w = 700 + fit->amount - 11;  // it is told in tens of watts
  EXPECT_EQ(fleet.decide(job).decision.action, Action::queue);
  fleet.policy.limits.site_power_cap_w = 700 + fit->amount;
  EXPECT_EQ(fleet.decide(job).decision.action, Action::assign);
}

TEST(NearestFit, SuggestsALargerShareForAPoolAtItsShare) {
  Plain fleet;
  const ReplicaIndex replica = fleet.add_replica(fleet.h100, 0, "llama-3.1-8b", {0});
  fleet.fleet_state.reserve_request(fleet.now, replica, 1, fleet.now);
  fleet.policy.pools[0].max_share = 0.5;
  const Job job = fleet.request();
  PlacementRequest ask = fleet.ask(job);
  ask.running_jobs = 1;
  EXPECT_EQ(fleet.decide(ask).decision.fallback_reason, Reason::budget);
  const auto fits = fleet.nearest(ask);
  const NearestFit* fit = fleet.find(fits, Reason::budget);
  ASSERT_NE(fit, nullptr);
  EXPECT_EQ(fit->target, "fast/r0");
  EXPECT_EQ(fit->change, "max_share = 1.00 of pool h100");
}

constexpr const char* guarded_finish = R"([pool.h100]
match = { model = "h100*" }
[pool.v100]
match = { model = "v100*" }
[[rule]]
name = "all"
pools = ["h100"]
  [[rule.fallback]]
  on = "*"
  to = "v100"
  guard = { est_finish = "< primary * 1.5" }
)";

TEST(NearestFit, NamesNoPlacementThatAGuardRefusesOnceFree) {
  DecisionFixture fleet(guarded_finish);
  const HostIndex fast = fleet.add_host("fast", "h100-sxm", 1);
  const HostIndex slow = fleet.add_host("slow", "v100-sxm2-16gb", 1);
  fleet.fleet_state.reserve_gang(fleet.now, {9, 1}, fast, {0}, fleet.now + std::chrono::minutes(29),
                                 0);
  fleet.fleet_state.reserve_gang(fleet.now, {9, 2}, slow, {0}, fleet.now + std::chrono::minutes(5),
                                 0);
  Job job = fleet.training(1);
  job.work.steps = 200'000;
  ASSERT_FALSE(fleet.decide(job).place);
  const auto fits =
      nearest_fits(fleet.fleet_state, fleet.policy, fleet.estimator, fleet.ask(job), fleet.now);
  ASSERT_EQ(fits.size(), 1U);
  EXPECT_EQ(fits[0].change, "29m");
  EXPECT_EQ(fits[0].target, "fast/g0");
}

/// One host of 8 H100 and no other.
struct Alone : DecisionFixture {
  HostIndex fast = add_host("fast", "h100-sxm", 8);
  explicit Alone(const std::string& more = "") : DecisionFixture(with(more)) {}
  static std::string with(const std::string& more) {
    return "[pool.h100]\nmatch = { model = \"h100*\" }\n[[rule]]\nname = \"all\"\n"
           "pools = [\"h100\"]\n" +
           more;
  }
  std::vector<std::string> changes(const Job& job, const WaitState& wait = {}) {
    std::vector<std::string> words;
    for (const auto& fit : nearest_fits(fleet_state, policy, estimator, ask(job), now, wait)) {
      words.push_back(fit.change);
    }
    return words;
  }
};
using Changes = std::vector<std::string>;

TEST(NearestFit, SuggestsResumingTheDrainedBoardThatAGangNeeds) {
  Alone fleet;
  fleet.fleet_state.set_drained(fleet.fast, 3, true);
  EXPECT_EQ(fleet.changes(fleet.training(8)), (Changes{"resume fast/3"}));
}

TEST(NearestFit, AnUnusableBoardIsNamed) {
  Alone fleet;
  fleet.fleet_state.set_usable(fleet.fast, 5, false);
  EXPECT_EQ(fleet.changes(fleet.training(8)), (Changes{"fast/5 usable again"}));
}

TEST(NearestFit, TellsDevicesReservedForAnotherJobFromItsOwn) {
  Alone fleet;
  const Job job = fleet.training(8);
  Preemption kept;
  kept.job = {0xabcdef01'00000000, 1};
  kept.devices = fleet.fleet_state.hosts()[fleet.fast].devices;
  for (const DeviceIndex device : kept.devices) fleet.fleet_state.set_reserved(device, true);
  EXPECT_EQ(fleet.changes(job, {{kept}, never}),
            (Changes{"if job abcdef01 gives up the devices reserved for it there"}));
  // Its own: a gang there makes room for it.
  const JobId leaving{0x12345678'00000000, 2};
  fleet.fleet_state.reserve_gang(fleet.now, leaving, fleet.fast, {0, 1},
                                 fleet.now + std::chrono::hours(9), 0);
  kept.job = job.id;
  kept.leaving[leaving] = {};
  kept.grace_until = fleet.now + std::chrono::seconds(20);
  EXPECT_EQ(fleet.changes(job, {{kept}, never}),
            (Changes{"when 12345678 has been preempted for this job, within 20s"}));
  EXPECT_FALSE(fleet.decide(job).place) << "the devices are still kept";
}

TEST(NearestFit, NeverSuggestsResumingALeavingHost) {
  Alone fleet;
  fleet.fleet_state.host(fleet.fast).draining = true;
  EXPECT_EQ(fleet.changes(fleet.training(8)), Changes{});
}

TEST(NearestFit, SaysByHowMuchAReplicaIsFull) {
  Alone fleet("[replicas]\nmanage = false\n");
  const ReplicaIndex full = fleet.add_replica(fleet.fast, 0, "llama-3.1-8b", {0});
  fleet.fleet_state.reserve_request(fleet.now, full, 99'990, fleet.now);
  EXPECT_EQ(fleet.changes(fleet.request()).at(0), "630 fewer tokens in its KV cache");
  fleet.fleet_state.release_request(full, 99'990);
  fleet.policy.pools[0].concurrency = 1;
  fleet.fleet_state.reserve_request(fleet.now, full, 1, fleet.now);
  EXPECT_EQ(fleet.changes(fleet.request()).at(0), "1 fewer request");
  fleet.fleet_state.replica(full).retiring = true;
  for (const std::string& change : fleet.changes(fleet.request())) {
    EXPECT_EQ(change, "a replica of llama-3.1-8b ([replicas] manage is false)");
  }
}

TEST(NearestFit, NeverSaysThatAnUnmanagedReplicaLeavesByItself) {
  Alone fleet("[replicas]\nmanage = false\n");
  Replica replica =
      fleet.fleet_state.replicas()[fleet.add_replica(fleet.fast, 0, "llama-2-7b", {0})].replica;
  replica.started_by_router = true;
  fleet.fleet_state.apply(fleet.now, fleet.fast, replica);
  EXPECT_EQ(
      fleet.changes(fleet.training(8)),
      (Changes{"replica fast/r0 (llama-2-7b) unloaded if [replicas] manage is set to true and the "
               "replica is surplus"}));
  fleet.policy.replicas.manage = true;
  fleet.fleet_state.replica(0).retiring = true;
  EXPECT_EQ(fleet.changes(fleet.training(8)),
            (Changes{"replica fast/r0 (llama-2-7b) unloaded once its requests have ended"}));
}

TEST(NearestFit, SuggestsNoMemoryWhereTheOwnerMeasuredThatItDoesNotFit) {
  Alone fleet;
  Job job = fleet.training(8);
  job.work.throughputs.push_back({.device = "h100-sxm", .devices = 8});
  ASSERT_EQ(fleet.decide(job).decision.fallback_reason, Reason::memory);
  EXPECT_EQ(fleet.changes(job), Changes{});
}

TEST(NearestFit, SuggestsALaterFirstTokenIfTheRuleWaitsForAnEarlierOne) {
  Alone fleet("slo = { ttft_ms = 1 }\n[[rule.fallback]]\non = \"queue_slo\"\naction = \"queue\"\n");
  fleet.add_replica(fleet.fast, 0, "llama-3.1-8b", {0});
  const Job job = fleet.request();
  ASSERT_EQ(fleet.decide(job).decision.fallback_reason, Reason::queue_slo);
  const Changes changes = fleet.changes(job);
  ASSERT_EQ(changes.size(), 1U);
  EXPECT_TRUE(changes[0].ends_with("ms until the first token")) << changes[0];
}

TEST(NearestFit, NeverSuggestsWaitingBeyondTheMaximumWait) {
  Alone fleet;
  fleet.fleet_state.reserve_gang(fleet.now, {9, 1}, fleet.fast, {0, 1, 2, 3, 4, 5, 6, 7},
                                 fleet.now + std::chrono::seconds(41), 0);
  const Job job = fleet.training(8);
  EXPECT_EQ(fleet.changes(job, {{}, fleet.now + std::chrono::seconds(60)}), Changes{"41s"});
  EXPECT_EQ(fleet.changes(job, {{}, fleet.now + std::chrono::seconds(20)}), Changes{});
}

TEST(NearestFit, NamesWhatHoldsEachHostOfAMultiHostGang) {
  Alone fleet;
  const HostIndex twin = fleet.add_host("twin", "h100-sxm", 8);
  fleet.add_replica(twin, 0, "llama-2-7b", {4});
  fleet.fleet_state.set_usable(fleet.fast, 2, false);
  fleet.fleet_state.reserve_gang(fleet.now, {9, 1}, fleet.fast, {0},
                                 fleet.now + std::chrono::seconds(30), 0);
  EXPECT_EQ(
      fleet.changes(fleet.training(16)),
      (Changes{"30s, and replica twin/r0 (llama-2-7b) unloaded if its agent is restarted without "
               "this replica, and fast/2 usable again"}));
}

TEST(NearestFit, IsEmptyIfNoSingleChangePlacesTheJob) {
  Plain fleet;
  fleet.fleet_state.host(fleet.h100).draining = true;
  fleet.fleet_state.host(fleet.l4).draining = true;
  Job job = fleet.training(8);
  job.work.ops = {"no_such_operation"};
  fleet.policy.pools[0].missing_ops = fleet.policy.pools[1].missing_ops = job.work.ops;
  EXPECT_TRUE(fleet.nearest(job).empty());
}

}  // namespace
}  // namespace drover::router
