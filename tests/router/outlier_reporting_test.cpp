// Places whose work fails: left alone, and back again.
#include <map>

#include <gtest/gtest.h>

#include "router/fleet_state/fleet_state.h"
#include "router/lint/policy_file.h"
#include "tests/router/router_fixture.h"

namespace drover::router {
namespace {

using std::chrono::seconds;

/// A job that fails once has failed: each is one word about one place.
Policy plain_policy() {
  Policy policy = builtin_policy();
  policy.retry.attempts_max = 1;
  policy.replicas.manage = false;
  return policy;
}

/// Hosts h1, h2, .. that live on while time passes, each with one replica, and a client.
struct OutlierFleet : RouterHarness {
  explicit OutlierFleet(int hosts, Policy under = plain_policy(), RouterSettings with = {})
      : RouterHarness(std::move(with), std::move(under)) {
    for (int host = 1; host <= hosts; ++host) {
      add_host(static_cast<std::uint64_t>(host), fmt::format("h{}", host));
      living.emplace_back(host, fmt::format("h{}", host));
    }
  }
  void pass(int span_s) { live(span_s, living); }
  /// New jobs, as far as they are assigned at once.
  std::vector<std::pair<std::uint64_t, Assign>> submit(int count, bool gangs = false) {
    forget();
    for (int n = 0; n < count; ++n) {
      receive(9, Submit{{gangs ? train_job(++jobs, 1) : serve_job(++jobs)}});
    }
    tick();
    commit();
    std::vector<std::pair<std::uint64_t, Assign>> assigned;
    for (const auto& [peer, host] : living) {
      for (const Assign& assign : told<Assign>(peer)) {
        assigned.emplace_back(peer, assign);
      }
    }
    return assigned;
  }
  void fail(const std::pair<std::uint64_t, Assign>& at, Reason reason = Reason::unhealthy) {
    Failed failed;
    failed.job = at.second.job.id;
    failed.attempt = at.second.attempt;
    failed.reason = reason;
    receive(at.first, failed);
  }
  /// So many jobs, one after the other, fail.
  void fail_jobs(int count, Reason reason = Reason::unhealthy, bool gangs = false) {
    for (int n = 0; n < count; ++n) {
      const auto assigned = submit(1, gangs);
      DROVER_REQUIRE(assigned.size() == 1);
      fail(assigned.front(), reason);
    }
    tick();
  }
  std::vector<std::string> events(const std::string& subject) const {
    std::vector<std::string> texts;
    for (const Event& event : published<Event>()) {
      if (event.subject == subject) texts.push_back(event.text);
    }
    return texts;
  }
  std::vector<std::pair<std::uint64_t, std::string>> living;
  std::uint64_t jobs = 0;
};

TEST(Outliers, AReplicaWhoseWorkFailsIsEjectedForAWhile) {
  OutlierFleet fleet(1);
  fleet.fail_jobs(5);
  EXPECT_EQ(
      fleet.events("h1/r0"),
      std::vector<std::string>{"ejected, no new work for 30s: failures in a row (first time)"});
  EXPECT_TRUE(fleet.submit(1).empty());
  const auto decisions = fleet.published<Decision>();
  ASSERT_FALSE(decisions.empty());
  EXPECT_EQ(decisions.back().fallback_reason, Reason::cooldown);
  fleet.pass(29);
  EXPECT_TRUE(fleet.told<Assign>(1).empty());
  fleet.pass(2);
  EXPECT_FALSE(fleet.told<Assign>(1).empty());
  EXPECT_EQ(fleet.events("h1/r0"),
            std::vector<std::string>{"no longer ejected: gets new work gradually"});
}

TEST(Outliers, TheOtherReplicasKeepWorking) {
  OutlierFleet fleet(2);
  int failed = 0;
  while (failed < 5) {
    const auto assigned = fleet.submit(1);
    ASSERT_EQ(assigned.size(), 1U);
    if (assigned[0].first == 1) {
      fleet.fail(assigned[0]);
      ++failed;
    } else {
      fleet.receive(2, finished_of(assigned[0].second));
    }
  }
  fleet.tick();
  for (const auto& [peer, assign] : fleet.submit(5)) EXPECT_EQ(peer, 2U);
  EXPECT_EQ(fleet.told<Assign>(2).size(), 5U);
}

struct OutlierReason {
  Reason reason;
  bool counts;
};

TEST(Outliers, OnlyFailuresCausedByThePlacementTargetCount) {
  for (const OutlierReason& fault : std::vector<OutlierReason>{
           {Reason::unhealthy, true},
           {Reason::memory, true},
           {Reason::capacity, false},
           {Reason::drain, false},
           {Reason::thermal, false},
           {Reason::power_cap, false},
           {Reason::precision, false},
           {Reason::op_unsupported, false},
           {Reason::invalid, false},
           {Reason::preempted, false},
       }) {
    OutlierFleet fleet(1);
    fleet.fail_jobs(5, fault.reason);
    EXPECT_EQ(!fleet.events("h1/r0").empty(), fault.counts) << to_text(fault.reason);
  }
}

TEST(Outliers, ARefusalCountsAsAFailure) {
  OutlierFleet fleet(1);
  for (int n = 0; n < 5; ++n) {
    const auto assigned = fleet.submit(1);
    ASSERT_EQ(assigned.size(), 1U);
    fleet.receive(1, Refused{assigned[0].second.job.id, 1, Reason::unhealthy, "its lease expired"});
  }
  fleet.tick();
  EXPECT_EQ(fleet.events("h1/r0").size(), 1U);
}

TEST(Outliers, ASuccessfulJobResetsConsecutiveFailures) {
  OutlierFleet fleet(1);
  fleet.fail_jobs(4);
  const auto assigned = fleet.submit(1);
  ASSERT_EQ(assigned.size(), 1U);
  fleet.receive(1, finished_of(assigned[0].second));
  fleet.fail_jobs(4);
  EXPECT_TRUE(fleet.events("h1/r0").empty());
}

TEST(Outliers, AGroupWithFailingGangsIsEjectedButNotItsReplicas) {
  OutlierFleet fleet(1);
  fleet.fail_jobs(5, Reason::unhealthy, true);
  EXPECT_EQ(fleet.events("h1/g0").size(), 1U);
  EXPECT_TRUE(fleet.submit(1, true).empty());
  EXPECT_EQ(fleet.submit(1).size(), 1U);
}

TEST(Outliers, ALostHostIsOneFailureWhateverRanThere) {
  OutlierFleet fleet(1);
  EXPECT_EQ(fleet.submit(8).size(), 8U);
  fleet.wait(seconds(13));
  fleet.commit();
  EXPECT_TRUE(fleet.events("h1/r0").empty());
  fleet.add_host(1, "h1", 2);
  EXPECT_FALSE(fleet.submit(1).empty()) << "it is back, and not ejected";
}

TEST(Outliers, ARepeatedlyLostHostIsEventuallyEjected) {
  OutlierFleet fleet(1);
  for (std::uint64_t life = 2; life <= 6; ++life) {
    EXPECT_FALSE(fleet.submit(1).empty()) << "life " << life - 1;
    fleet.wait(seconds(13));
    fleet.commit();
    fleet.add_host(1, "h1", life);
  }
  EXPECT_TRUE(fleet.submit(1).empty());
}

TEST(Outliers, AHostThatLeavesGracefullyHasNotFailed) {
  OutlierFleet fleet(1);
  for (std::uint64_t life = 2; life <= 8; ++life) {
    ASSERT_FALSE(fleet.submit(1).empty()) << "life " << life - 1;
    fleet.receive(1, Leave{});
    fleet.add_host(1, "h1", life);
  }
}

TEST(Outliers, AGoneReplicaLosesItsRecord) {
  OutlierFleet fleet(1);
  fleet.fail_jobs(5);
  Replica replica = RouterHarness::replica("h1", 0);
  replica.state = ReplicaState::gone;
  fleet.receive(1, ReplicaReport{replica});
  fleet.receive(1, ReplicaReport{RouterHarness::replica("h1", 0)});
  EXPECT_EQ(fleet.submit(1).size(), 1U);
}

TEST(Outliers, ALateEjectionDoesNotAffectTheNextReplicaOfThatName) {
  OutlierFleet fleet(1);
  const auto assigned = fleet.submit(5);
  ASSERT_EQ(assigned.size(), 5U);
  for (const auto& each : assigned) fleet.fail(each);
  Replica replica = RouterHarness::replica("h1", 0);
  replica.state = ReplicaState::gone;
  fleet.receive(1, ReplicaReport{replica});
  fleet.receive(1, ReplicaReport{RouterHarness::replica("h1", 0)});
  EXPECT_EQ(fleet.submit(1).size(), 1U);
}

TEST(Outliers, AReplicaReportedAgainStaysEjected) {
  OutlierFleet fleet(1);
  fleet.fail_jobs(5);
  fleet.receive(1, fleet.registration("h1"));  // forgets its replicas
  fleet.receive(1, ReplicaReport{RouterHarness::replica("h1", 0)});
  EXPECT_TRUE(fleet.submit(1).empty());
}

TEST(Outliers, NoMoreGoneReplicasAreRememberedThanAHostMayHave) {
  OutlierFleet fleet(1);
  fleet.fail_jobs(5);
  fleet.receive(1, fleet.registration("h1"));
  const auto come_and_go = [&](std::uint32_t number) {
    Replica replica = RouterHarness::replica("h1", number);
    fleet.receive(1, ReplicaReport{replica});
    replica.state = ReplicaState::gone;
    fleet.receive(1, ReplicaReport{replica});
    fleet.forget();
  };
  for (std::uint32_t number = 1; number < replicas_known_per_host; ++number) come_and_go(number);
  fleet.receive(1, ReplicaReport{RouterHarness::replica("h1", 0)});
  EXPECT_TRUE(fleet.submit(1).empty()) << "still ejected";
  fleet.receive(1, fleet.registration("h1"));
  come_and_go(replicas_known_per_host);
  fleet.receive(1, ReplicaReport{RouterHarness::replica("h1", 0)});
  EXPECT_FALSE(fleet.submit(1).empty()) << "forgotten, for there was one more";
}

TEST(Outliers, OnlyGroupsThatTheHostHasAreRemembered) {
  OutlierFleet fleet(1);
  fleet.fail_jobs(5, Reason::unhealthy, true);
  Register registration = fleet.registration("h1");
  fleet.receive(1, registration);
  EXPECT_TRUE(fleet.submit(1, true).empty()) << "the same group stays ejected";
  registration.groups[0].number = 1;
  fleet.receive(1, registration);
  registration.groups[0].number = 0;
  fleet.receive(1, registration);
  EXPECT_FALSE(fleet.submit(1, true).empty());
}

TEST(Outliers, ShadowModeReportsAndEjectsNothing) {
  Policy policy = plain_policy();
  policy.eject.shadow = true;
  OutlierFleet fleet(1, policy);
  fleet.fail_jobs(5);
  EXPECT_EQ(fleet.events("h1/r0"),
            std::vector<std::string>{"would get no new work for 30s: failures in a row"});
  EXPECT_EQ(fleet.submit(1).size(), 1U);
}

TEST(Outliers, AnAlertLastsAsLongAsTheEjection) {
  OutlierFleet fleet(1);
  fleet.fail_jobs(5);
  std::vector<std::pair<int, bool>> alerts;
  for (int second = 0; second < 40; ++second) {
    fleet.forget();
    fleet.pass(1);
    for (const Alert& alert : fleet.published<Alert>()) {
      if (alert.rule != "outlier_ejected") continue;
      EXPECT_EQ(alert.subject, "h1/r0");
      alerts.emplace_back(second, alert.raised);
    }
  }
  EXPECT_EQ(alerts, (std::vector<std::pair<int, bool>>{{0, true}, {29, false}}));
}

TEST(Outliers, DurationsAreInWallTime) {
  RouterSettings settings;
  settings.speed = 60;
  OutlierFleet fleet(1, plain_policy(), settings);
  fleet.fail_jobs(5);
  EXPECT_EQ(
      fleet.events("h1/r0"),
      std::vector<std::string>{"ejected, no new work for 30m: failures in a row (first time)"});
}

// ---- Slow start and panic, with hosts that really fall silent ----------------------------------

/// By how much slow start weighs in where the next job could go, by target.
std::map<std::string, double> slow_parts(OutlierFleet& fleet) {
  fleet.submit(1);
  std::map<std::string, double> slow;
  const Decision decision = fleet.published<Decision>().back();
  for (const Candidate& candidate : decision.top) {
    slow[candidate.target] = 0;
    for (const ScorePart& part : candidate.parts) {
      if (part.scorer == "slow_start") slow[candidate.target] = part.weight;
    }
  }
  return slow;
}

TEST(Outliers, AHostThatIsBackStartsSlowly) {
  OutlierFleet fleet(2);
  EXPECT_EQ(slow_parts(fleet), (std::map<std::string, double>{{"h1/r0", 0}, {"h2/r0", 0}}))
      << "nobody does at the router's own start";
  fleet.live(4, {{2, "h2"}});
  fleet.beat(1, "h1");
  const auto slow = slow_parts(fleet);
  EXPECT_GT(slow.at("h1/r0"), 0);
  EXPECT_EQ(slow.at("h2/r0"), 0);
  fleet.pass(61);
  EXPECT_EQ(slow_parts(fleet).at("h1/r0"), 0);
}

TEST(Outliers, AHostThatWasLostStartsSlowlyButNotOneThatLeft) {
  for (const bool lost : {true, false}) {
    OutlierFleet fleet(2);
    if (lost) fleet.live(13, {{2, "h2"}});
    if (!lost) fleet.receive(1, Leave{});
    fleet.add_host(1, "h1", 2);
    EXPECT_EQ(slow_parts(fleet).at("h1/r0") > 0, lost);
  }
}

TEST(Outliers, AReplicaStartsSlowlyAfterItsEjection) {
  OutlierFleet fleet(2);
  fleet.forget();
  while (fleet.events("h1/r0").empty()) {
    const auto assigned = fleet.submit(1);
    ASSERT_EQ(assigned.size(), 1U);
    if (assigned[0].first == 1) fleet.fail(assigned[0]);
    if (assigned[0].first == 2) fleet.receive(2, finished_of(assigned[0].second));
    fleet.tick();
  }
  fleet.pass(31);
  const auto slow = slow_parts(fleet);
  EXPECT_GT(slow.at("h1/r0"), 0);
  EXPECT_EQ(slow.at("h2/r0"), 0);
}

TEST(Outliers, ARestartedRouterRemembersNoFailures) {
  OutlierFleet fleet(2);
  fleet.live(4, {{2, "h2"}});
  fleet.beat(1, "h1");
  ASSERT_TRUE(fleet.restart().ok());
  fleet.add_host(1, "h1");
  fleet.add_host(2, "h2");
  EXPECT_EQ(slow_parts(fleet), (std::map<std::string, double>{{"h1/r0", 0}, {"h2/r0", 0}}));
}

TEST(Outliers, PanicUsesUnhealthyHostsWhenAllAreSilent) {
  OutlierFleet fleet(2);
  fleet.wait(seconds(4));
  fleet.commit();
  EXPECT_EQ(fleet.submit(1).size(), 1U);
  EXPECT_EQ(fleet.published<Decision>().back().change, "panic: unhealthy hosts used");
}

TEST(Outliers, PanicWithActionFailFailsTheJob) {
  Policy policy = plain_policy();
  policy.panic.action = PanicAction::fail;
  OutlierFleet fleet(2, policy);
  fleet.commit();
  fleet.wait(seconds(4));
  fleet.commit();
  EXPECT_TRUE(fleet.submit(1).empty());
  EXPECT_EQ(fleet.router->summary(fleet.now).failures.at(Reason::unhealthy), 1U);
}

}  // namespace
}  // namespace drover::router
