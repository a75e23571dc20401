// Multi-host gangs that need others to make room, and the power of the racks that they stand in.
#include <gtest/gtest.h>

#include "tests/router/gang_fixture.h"

namespace drover::router {
namespace {

/// Agents take whatever they are told to run.
struct Gangs : GangHarness {
  explicit Gangs(const std::string& text) : GangHarness(policy_of(text)) {}

  void run(std::uint64_t number, std::uint16_t devices, int priority = 0) {
    Job job = train_job(number, devices);
    job.work.batch = std::max<std::uint32_t>(64, devices);
    job.work.steps = 1000;
    job.priority = static_cast<std::int8_t>(priority);
    job.work_class = "research";
    receive(client, Submit{{job}});
    tick();
    commit();
    take_all();
  }
  void take_all() {
    for (const auto& [peer, host] : hosts) {
      for (const Assign& assign : told<Assign>(peer)) {
        if (!taken_.insert({peer, assign.job.id}).second) continue;
        receive(peer, Accepted{assign.job.id, assign.attempt});
        if (assign.gang) receive(peer, MemberStepTime{assign.job.id, assign.attempt, 1, 0.1});
        commit();
      }
    }
  }
  Decision told_of(std::uint64_t number) const {
    Decision last;
    for (const Decision& decision : published<Decision>()) {
      if (decision.job == job_id(number)) last = decision;
    }
    return last;
  }

 private:
  std::set<std::pair<std::uint64_t, JobId>> taken_;
};

/// Four hosts, two in each of two racks.
struct TwoRacks : Gangs {
  explicit TwoRacks(const std::string& text = urgent_rules) : Gangs(text) {
    for (const std::uint64_t peer : {1, 2, 3, 4}) add(peer, peer < 3 ? "rack-1" : "rack-2");
  }
};

TEST(WideGangs, TheRackWithTheFewestVictimsMakesRoom) {
  TwoRacks fixture;
  for (const std::uint64_t number : {1, 2, 3}) fixture.run(number, 8);  // h1, h2, h3
  fixture.run(4, 4);
  fixture.run(5, 4);  // both on h4
  ASSERT_EQ(fixture.last(5).state, JobState::running);
  fixture.run(9, 16, 5);
  EXPECT_EQ(fixture.last(9).state, JobState::queued);
  const std::string change = fixture.told_of(9).change;
  const auto rack_of = [&](std::uint64_t number) {
    return fixture.last(number).target < "h3" ? "rack-1" : "rack-2";
  };
  ASSERT_EQ(rack_of(4), rack_of(5));
  // In the other rack two gangs go; here it would be three.
  const bool first = std::string_view(rack_of(4)) == "rack-2";
  EXPECT_NE(change.find(first ? "on h1/0-7 h2/0-7 within" : "on h3/0-7 h4/0-7 within"),
            std::string::npos)
      << change;
}

TEST(WideGangs, DevicesAreReservedOnEveryHostAndTheGangStartsThere) {
  TwoRacks fixture;
  for (const std::uint64_t number : {1, 2, 3, 4}) fixture.run(number, 8);
  fixture.run(9, 12, 5);
  const std::string change = fixture.told_of(9).change;
  ASSERT_TRUE(change.starts_with("preempts ")) << change;
  std::vector<std::uint64_t> leaving;
  for (const std::uint64_t number : {1, 2, 3, 4}) {
    const std::string host = " " + fixture.last(number).target.substr(0, 3);
    if (change.find(host) != std::string::npos) leaving.push_back(number);
  }
  ASSERT_EQ(leaving.size(), 2U) << change;
  fixture.run_with_heartbeats(22);
  for (const std::uint64_t number : leaving) {
    const std::string host = fixture.last(number).target;
    const std::uint64_t peer = host[1] - '0';
    ASSERT_FALSE(fixture.told<Cancel>(peer).empty()) << "the grace is over";
    fixture.receive(peer, fixture.failed(number, Reason::preempted));
    fixture.run(number + 20, 8);  // would fit there at once
    EXPECT_EQ(fixture.last(number + 20).state, JobState::queued) << "kept for the other";
  }
  fixture.run_with_heartbeats(2);
  fixture.take_all();
  EXPECT_EQ(fixture.last(9).state, JobState::running) << fixture.told_of(9).change;
}

TEST(WideGangs, AllRacksMakeRoomWhereNoneIsLargeEnough) {
  TwoRacks fixture;
  for (const std::uint64_t number : {1, 2, 3, 4}) fixture.run(number, 8);
  fixture.run(9, 24, 5);
  const std::string change = fixture.told_of(9).change;
  EXPECT_EQ(std::count(change.begin(), change.end(), '/'), 3) << change;
}

TEST(WideGangs, NoJobIsPreemptedForAGangThatWouldStillNotFit) {
  TwoRacks fixture;
  for (const std::uint64_t number : {1, 2, 3}) fixture.run(number, 8);
  fixture.run(4, 8, 9);  // stays whatever comes
  fixture.run(9, 32, 5);
  EXPECT_EQ(fixture.told_of(9).change, "");
}

TEST(WideGangs, EachRackIsCheckedAgainstItsPartOfTheGang) {
  const auto limited = [](double watts) {
    return fmt::format(
        "[limits]\nrack_power_kw = {}\n[pool.gpu]\nmatch = {{}}\n[[rule]]\nname = \"all\"\n",
        watts / 1000);
  };
  const auto place = [&](double rack_w) {
    GangHarness fixture(policy_of(limited(rack_w)));
    fixture.add(1, "rack-1");
    fixture.add(2, "rack-2");
    fixture.submit(1, 16);
    const JobChanged job = fixture.last(1);
    EXPECT_TRUE(!job.target.empty() || job.reason == Reason::power_cap) << rack_w;
    return fixture.published<Decision>().back();
  };
  const Decision open = place(1e9);
  ASSERT_EQ(open.action, Action::assign);
  const Estimate& found = open.top.at(0).estimate;
  const double gang_w = found.energy_j / (found.finish_s - found.start_s);
  constexpr double idle_w = 8 * 100;  // of each rack, as samples say
  EXPECT_EQ(place(idle_w + 0.55 * gang_w).action, Action::assign) << "each bears one half";
  EXPECT_EQ(place(idle_w + 0.45 * gang_w).action, Action::queue);
}

TEST(WideGangs, AGangTooLargeForOneHostIsSpreadDespiteItsDeadline) {
  GangHarness fixture;
  fixture.add(1);
  fixture.add(2);
  Job job = train_job(1, 16);
  job.work.batch = 64;
  job.deadline = std::chrono::minutes(30);
  fixture.receive(GangHarness::client, Submit{{job}});
  fixture.tick();
  fixture.commit();
  EXPECT_EQ(fixture.last(1).target, "h1/0-7 h2/0-7");
}

TEST(WideGangs, NoJobIsPreemptedForAGangWhoseSliceShapeIsBlocked) {
  TwoRacks fixture(std::string(urgent_rules) + "[capability.gpu]\nslices = [4, 8, 16]\n");
  for (const std::uint64_t number : {1, 2, 3, 4}) {
    fixture.run(number, 4);
    fixture.run(number + 10, 4, 9);  // stays whatever comes
  }
  fixture.run(9, 16, 5);
  EXPECT_EQ(fixture.last(9).state, JobState::queued);
  EXPECT_EQ(fixture.told_of(9).change, "");
}

TEST(WideGangs, GpusMakeRoomEvenIfTpusPrecedeThemInThePool) {
  Gangs fixture(R"(
[pool.all]
match = {}
[class.research]
[[rule]]
name = "urgent"
when = { priority = ">0" }
preempt = { may = ["research"], grace_s = 20 }
[[rule]]
name = "rest"
)");
  for (const std::uint64_t peer : {11, 12}) {
    const std::string host = "chips-" + std::to_string(peer);
    fixture.receive(peer, Join{Role::agent, host, "drover test"});
    fixture.receive(peer, fixture.registration(host, 1, "tpu-v5e"));
    fixture.receive_samples(host, 1, RouterHarness::idle_samples(8));
    fixture.hosts.emplace_back(peer, host);
  }
  for (const std::uint64_t number : {21, 22}) {
    fixture.run(number, 8, 9);
    ASSERT_TRUE(fixture.last(number).target.starts_with("chips-"));
  }
  for (const std::uint64_t peer : {1, 2}) fixture.add(peer);
  for (const std::uint64_t number : {1, 2}) fixture.run(number, 8);
  fixture.run(9, 16, 5);
  EXPECT_TRUE(fixture.told_of(9).change.ends_with(" within 20 s")) << fixture.told_of(9).change;
}

}  // namespace
}  // namespace drover::router
