// Where the policies of examples/policies send work when what they want is full, ill or gone.
#include <algorithm>
#include <array>

#include <gtest/gtest.h>

#include "tests/router/shipped_fleet.h"

namespace drover::router {
namespace {

void fill(DecisionFixture& fleet, ReplicaIndex replica) {
  for (int request = 0; request < 8; ++request) {
    fleet.fleet_state.reserve_request(fleet.now, replica, 1, fleet.now);
  }
}

/// A replica in bf16 that is full, and one in int8 on a spare device, where one more request shares
/// it with as many: what it then takes is what guards compare.
struct Degraded : DecisionFixture {
  Degraded(const std::string& name, const std::string& device)
      : DecisionFixture(shipped_text(name)) {
    fill(*this, add_replica(add_host("full", "h100-sxm", 1), 0, "llama-3.1-8b", {0}));
    const HostIndex spare = add_host("spare", device, 1);
    const ReplicaIndex on_spare = add_replica(spare, 0, "llama-3.1-8b", {0}, Precision::int8);
    for (int request = 0; request < 7; ++request)
      fleet_state.reserve_request(now, on_spare, 1, now);
  }
};

TEST(ShippedPolicies, AFullReplicaIsLeftForInt8OnlyAsDeclaredAndGuarded) {
  struct Case {
    const char* policy;
    bool (*fair)(const Estimate& taken, const Estimate& primary);
  };
  const std::array<Case, 3> cases = {{
      {"cost", [](const Estimate& taken,
                  const Estimate& primary) { return taken.cost_usd <= 1.5 * primary.cost_usd; }},
      {"energy", [](const Estimate& taken,
                    const Estimate& primary) { return taken.energy_j <= 1.5 * primary.energy_j; }},
      {"latency", [](const Estimate& taken,
                     const Estimate& primary) { return taken.finish_s <= 1.5 * primary.finish_s; }},
  }};
  for (const Case& each : cases) {
    // Smaller and larger ones, so that each guard passes and fails.
    int taken = 0;
    for (const char* device :
         {"l4", "a100-sxm-80gb", "h100-sxm", "tpu-v5e", "tpu-v6e", "v100-sxm2-16gb"}) {
      Degraded fleet(each.policy, device);
      const Decision decision = fleet.decide(fleet.request()).decision;
      SCOPED_TRACE(std::string(each.policy) + ", " + device);
      ASSERT_TRUE(decision.primary);
      if (decision.action != Action::assign) continue;
      ++taken;
      EXPECT_EQ(decision.target, "spare/r0");
      EXPECT_EQ(decision.change.rfind("degraded ", 0), 0U) << decision.change;
      EXPECT_TRUE(each.fair(decision.top[0].estimate, *decision.primary));
    }
    EXPECT_GT(taken, 0) << each.policy;
    EXPECT_LT(taken, 6) << each.policy;
  }
}

TEST(ShippedPolicies, AModelThatIsOnlyLoadedInInt8IsServedInInt8) {
  for (const char* name : {"cost", "energy", "latency"}) {
    DecisionFixture fleet(shipped_text(name));
    const HostIndex slice = fleet.add_host("slice", "tpu-v5e", 8, "2x4");
    fleet.add_replica(slice, 0, "llama-3.1-70b", {0, 1, 2, 3, 4, 5, 6, 7}, Precision::int8);
    const Decision decision = fleet.decide(fleet.request("llama-3.1-70b")).decision;
    EXPECT_EQ(decision.action, Action::assign) << name;
    EXPECT_EQ(decision.fallback_reason, Reason::precision) << name;
    EXPECT_NE(decision.change.find("-> int8"), std::string::npos) << decision.change;
  }
}

/// One kind of pool is wanted, and its only place is in trouble.
struct Trouble {
  const char* name;
  void (*begin)(DecisionFixture& fleet, HostIndex host, ReplicaIndex replica);
  Reason reason;
};
const std::array<Trouble, 4> troubles = {{
    {"full", [](DecisionFixture& fleet, HostIndex, ReplicaIndex replica) { fill(fleet, replica); },
     Reason::capacity},
    {"silent",
     [](DecisionFixture& fleet, HostIndex host, ReplicaIndex) {
       fleet.fleet_state.host(host).health = Health::suspect;
     },
     Reason::unhealthy},
    {"resting",
     [](DecisionFixture& fleet, HostIndex, ReplicaIndex replica) {
       fleet.fleet_state.replica(replica).outlier.ejected = true;
     },
     Reason::cooldown},
    {"drained",
     [](DecisionFixture& fleet, HostIndex host, ReplicaIndex) {
       fleet.fleet_state.host(host).draining = true;
     },
     Reason::drain},
}};

TEST(ShippedPolicies, ProblemsWithOneKindFallBackToTheOtherForThatReason) {
  struct Case {
    const char* policy;
    bool gpu_wanted;
  };
  for (const Case& each : {Case{"gpu-first", true}, Case{"tpu-first", false}}) {
    for (const Trouble& trouble : troubles) {
      DecisionFixture fleet(shipped_text(each.policy));
      const HostIndex gpu = fleet.add_host("gpu", "h100-sxm", 1);
      const HostIndex tpu = fleet.add_host("tpu", "tpu-v6e", 1);
      const ReplicaIndex on_gpu = fleet.add_replica(gpu, 0, "llama-3.1-8b", {0});
      const ReplicaIndex on_tpu = fleet.add_replica(tpu, 0, "llama-3.1-8b", {0});
      if (each.gpu_wanted) trouble.begin(fleet, gpu, on_gpu);
      if (!each.gpu_wanted) trouble.begin(fleet, tpu, on_tpu);
      const Decision decision = fleet.decide(fleet.request()).decision;
      SCOPED_TRACE(std::string(each.policy) + ", " + trouble.name);
      EXPECT_EQ(decision.fallback_reason, trouble.reason);
      EXPECT_EQ(decision.preferred_pool, each.gpu_wanted ? "gpu" : "tpu");
      const bool guarded = trouble.reason == Reason::capacity;
      if (decision.action != Action::assign) {
        EXPECT_TRUE(guarded);
        continue;
      }
      EXPECT_EQ(decision.target, each.gpu_wanted ? "tpu/r0" : "gpu/r0");
      if (!guarded) continue;
      EXPECT_LE(decision.top[0].estimate.finish_s, 1.5 * decision.primary->finish_s);
    }
  }
}

// ---- Spot --------------------------------------------------------------------------------------

/// One host of each price, and a replica on each.
struct Rented : DecisionFixture {
  Rented() : DecisionFixture(shipped_text("spot-with-floor")) {
    spot = add_priced_host(*this, "spot", "l4", 8, "spot");
    floor = add_priced_host(*this, "floor", "l4", 8, "on_demand");
    on_spot = add_replica(spot, 0, "llama-3.1-8b", {0});
    on_floor = add_replica(floor, 0, "llama-3.1-8b", {0});
  }
  HostIndex spot = 0, floor = 0;
  ReplicaIndex on_spot = 0, on_floor = 0;
};

TEST(SpotWithFloor, TrainingTakesSpotAndChatTheFloor) {
  Rented fleet;
  const Decision training = fleet.decide(trains(fleet, 1)).decision;
  EXPECT_EQ(training.pool, "spot");
  EXPECT_FALSE(training.fallback_reason);
  const Decision chat = fleet.decide(fleet.request()).decision;
  EXPECT_EQ(chat.target, "floor/r0");
  EXPECT_FALSE(chat.fallback_reason && chat.pool != "floor");
}

TEST(SpotWithFloor, TrainingFallsBackToTheFloorAndChatOverflowsToSpot) {
  Rented fleet;
  fleet.fleet_state.host(fleet.spot).health = Health::suspect;
  const Decision training = fleet.decide(trains(fleet, 1)).decision;
  EXPECT_EQ(training.pool, "floor");
  EXPECT_EQ(training.fallback_reason, Reason::unhealthy);
  fleet.fleet_state.host(fleet.spot).health = Health::ok;
  fill(fleet, fleet.on_floor);
  const Decision chat = fleet.decide(fleet.request()).decision;
  EXPECT_EQ(chat.target, "spot/r0");
  EXPECT_EQ(chat.fallback_reason, Reason::capacity);
}

TEST(SpotWithFloor, ProductionStaysOnTheFloorWhileTheFloorCanRunIt) {
  Rented fleet;
  Job job = trains(fleet, 8);  // one device of the floor serves: it has to wait for it
  job.stage = "production";
  const Decision decision = fleet.decide(job).decision;
  EXPECT_EQ(decision.action, Action::queue);
  EXPECT_EQ(decision.fallback_reason, Reason::capacity);
  job.work.devices = 4;
  EXPECT_EQ(fleet.decide(job).decision.pool, "floor");
}

TEST(SpotWithFloor, SpotNeverHoldsMoreThanItsShareOfTheWork) {
  Rented fleet;
  int on_spot = 0;
  for (int running = 0; running < 10; ++running) {
    const Job job = trains(fleet, 1);
    PlacementRequest ask = fleet.ask(job);
    ask.running_jobs = running;
    const PlacementResult result = fleet.decide(ask);
    ASSERT_TRUE(result.place) << running;
    const bool spot = result.decision.pool == "spot";
    on_spot += spot ? 1 : 0;
    EXPECT_EQ(result.decision.fallback_reason, spot ? std::nullopt : std::optional(Reason::budget));
    EXPECT_LE(on_spot, std::max(1.0, 0.6 * (running + 1)));
    fleet.fleet_state.reserve_gang(fleet.now, job.id, result.place->host, result.place->devices,
                                   fleet.now + std::chrono::hours(1), 0);
  }
  EXPECT_EQ(on_spot, 6);
}

TEST(SpotWithFloor, HostsWithoutTheLabelAreFloor) {
  DecisionFixture fleet(shipped_text("spot-with-floor"));
  fleet.add_host("bare", "v100-sxm2-16gb", 8);
  const Decision decision = fleet.decide(trains(fleet, 1)).decision;
  EXPECT_EQ(decision.pool, "unlabelled");
  EXPECT_EQ(decision.action, Action::assign);
}

}  // namespace
}  // namespace drover::router
