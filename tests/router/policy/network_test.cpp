#include "router/policy/network.h"

#include <gtest/gtest.h>

#include "tests/router/decision_fixture.h"

namespace drover::router {
namespace {

Network two_sites() {
  Network network;
  network.otherwise = {0.100, 1e8, 0.09};
  network.links.push_back({"dc-*", "cloud-1", {0.012, 1.25e9, 0.02}});
  network.data_sets["images"] = {{"dc-1"}, 150e9};
  network.data_sets["everywhere"] = {{"dc-1", "cloud-1"}, 150e9};
  return network;
}

TEST(Network, AnySiteIsNearItself) {
  const Path path = path_between(two_sites(), "dc-1", "dc-1");
  EXPECT_EQ(path.rtt_s, 0);
  EXPECT_EQ(path.usd_per_gb, 0);
}

TEST(Network, LinksApplyInBothDirectionsAndTheFirstMatchCounts) {
  const Network network = two_sites();
  EXPECT_EQ(path_between(network, "dc-2", "cloud-1").rtt_s, 0.012);
  EXPECT_EQ(path_between(network, "cloud-1", "dc-2").rtt_s, 0.012);
  EXPECT_EQ(path_between(network, "edge", "cloud-1").rtt_s, 0.100) << "no link names it";
}

TEST(Network, DataComesFromTheFastestCopy) {
  const Network network = two_sites();
  const auto from = [&](const char* data_set, const char* site) {
    return transfer_of(network, network.data_sets.find(data_set)->second, site);
  };
  EXPECT_DOUBLE_EQ(from("images", "cloud-1")->seconds, 150e9 / 1.25e9);
  EXPECT_DOUBLE_EQ(from("images", "cloud-1")->usd, 150 * 0.02);
  EXPECT_DOUBLE_EQ(from("images", "edge")->seconds, 1500);
  EXPECT_EQ(from("everywhere", "cloud-1")->seconds, 0);
  EXPECT_FALSE(transfer_of(network, DataSet{}, "dc-1")) << "no site holds it";
}

constexpr const char* spread = R"([network]
clients = "dc-1"
otherwise = { rtt_ms = 100, gbps = 0.8, usd_per_gb = 0.09 }
[[network.link]]
between = ["dc-1", "cloud-1"]
rtt_ms = 12
gbps = 10
usd_per_gb = 0.02
[network.data_set.images]
at = "dc-1"
size = "150GB"
[pool.near]
match = { site = "dc-1" }
[pool.far]
match = { site = "cloud-1" }
[pool.edge]
match = { site = "edge" }
[class.vision]
when = { kind = "training", model = "resnet*" }
data = "images"
metric = "training_time"
target = "1h"
[[rule]]
name = "strict"
when = { kind = "training", tenant = "strict" }
require = { data_within = "1s" }
pools = ["far", "near", "edge"]
[[rule]]
name = "chat"
when = { kind = "inference" }
require = { rtt_ms = 50 }
pools = ["edge", "far", "near"]
[[rule]]
name = "train"
pools = ["far", "near"]
)";

struct ThreeSites : DecisionFixture {
  explicit ThreeSites(const char* policy_text = spread) : DecisionFixture(policy_text) {
    for (const char* site : {"dc-1", "cloud-1", "edge"}) {
      Register host = registration(site, "a100-sxm-80gb", 8);
      host.site = site;
      const auto index = fleet_state.register_host(now, host);
      DROVER_REQUIRE(index.ok());
      add_replica(*index, 0, "llama-3.1-8b", {0});
    }
    assign_pools(policy, fleet_state);
  }
};

TEST(Network, DistantDataCostsTimeAndEgress) {
  ThreeSites fleet;
  const Job job = fleet.training(1, "resnet-50");
  const Decision far = fleet.decide(job).decision;
  ASSERT_EQ(far.pool, "far");
  EXPECT_EQ(far.work_class, "vision");
  EXPECT_NEAR(far.top[0].estimate.start_s, 150e9 / 1.25e9, 1e-6);
  fleet.policy.network.data_sets.clear();
  fleet.policy.classes.clear();
  const Decision free = fleet.decide(job).decision;
  EXPECT_NEAR(far.top[0].estimate.cost_usd - free.top[0].estimate.cost_usd, 150 * 0.02, 1e-9);
}

TEST(Network, OnceRemovedLeavesNoDistanceInLaterDecisions) {
  ThreeSites fleet(R"([network]
otherwise = { rtt_ms = 100, gbps = 0.8, usd_per_gb = 0.09 }
[network.data_set.images]
at = "dc-1"
size = "150GB"
[pool.all]
match = {}
[[rule]]
name = "train"
pools = ["all"]
score = { distance = 1 }
)");
  Job job = fleet.training(1, "resnet-50");
  job.data_set = "images";
  const Decision near = fleet.decide(job).decision;
  ASSERT_EQ(near.top.size(), 3U);
  EXPECT_LT(near.top.back().score, 1) << "the data is elsewhere";
  fleet.policy.network = {};
  job.data_set.clear();
  for (const Candidate& candidate : fleet.decide(job).decision.top) {
    EXPECT_EQ(candidate.score, 1) << candidate.target;
  }
}

TEST(Network, DataThatCannotArriveInTimeIsAReason) {
  ThreeSites fleet;
  Job job = fleet.training(1, "resnet-50");
  job.tenant = "strict";
  const Decision decision = fleet.decide(job).decision;
  EXPECT_EQ(decision.pool, "near");
  EXPECT_EQ(decision.fallback_reason, Reason::data);
  EXPECT_EQ(rejected(decision, Reason::data), 1U);
}

TEST(Network, DataStoredNowhereNeverArrivesInTime) {
  ThreeSites fleet;
  Job job = fleet.training(1, "resnet-50");
  job.data_set = "unheard-of";
  const PlacementResult result = fleet.decide(job);
  EXPECT_EQ(result.decision.action, Action::queue);
  EXPECT_EQ(result.decision.fallback_reason, Reason::data);
}

TEST(Network, ClientsTooFarAwayCauseReasonTopology) {
  ThreeSites fleet;
  const Decision decision = fleet.decide(fleet.request()).decision;
  EXPECT_EQ(decision.preferred_pool, "edge");
  EXPECT_EQ(decision.pool, "far");
  EXPECT_EQ(decision.fallback_reason, Reason::topology);
}

}  // namespace
}  // namespace drover::router
