// Gangs over hosts that need others to make room, and the power of the racks that they stand in.
#include <gtest/gtest.h>

#include "tests/router/hall.h"

namespace drover::router {
namespace {

/// Agents take whatever they are told to run.
struct Gangs : Hall {
  explicit Gangs(const std::string& text) : Hall(policy_of(text)) {}

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
        if (assign.gang) receive(peer, MemberPace{assign.job.id, assign.attempt, 1, 0.1});
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

TEST(WideGangs, OneRackMakesRoomWhereTheFewestMustGo) {
  TwoRacks hall;
  for (const std::uint64_t number : {1, 2, 3}) hall.run(number, 8);  // h1, h2, h3
  hall.run(4, 4);
  hall.run(5, 4);  // both on h4
  ASSERT_EQ(hall.last(5).state, JobState::running);
  hall.run(9, 16, 5);
  EXPECT_EQ(hall.last(9).state, JobState::queued);
  const std::string change = hall.told_of(9).change;
  const auto rack_of = [&](std::uint64_t number) {
    return hall.last(number).target < "h3" ? "rack-1" : "rack-2";
  };
  ASSERT_EQ(rack_of(4), rack_of(5));
  // In the other rack two gangs go; here it would be three.
  const bool first = std::string_view(rack_of(4)) == "rack-2";
  EXPECT_NE(change.find(first ? "on h1/0-7 h2/0-7 within" : "on h3/0-7 h4/0-7 within"),
            std::string::npos)
      << change;
}

TEST(WideGangs, TheDevicesAreKeptForItOnEveryHostAndItBeginsThere) {
  TwoRacks hall;
  for (const std::uint64_t number : {1, 2, 3, 4}) hall.run(number, 8);
  hall.run(9, 12, 5);
  const std::string change = hall.told_of(9).change;
  ASSERT_TRUE(change.starts_with("preempts ")) << change;
  std::vector<std::uint64_t> leaving;
  for (const std::uint64_t number : {1, 2, 3, 4}) {
    const std::string host = " " + hall.last(number).target.substr(0, 3);
    if (change.find(host) != std::string::npos) leaving.push_back(number);
  }
  ASSERT_EQ(leaving.size(), 2U) << change;
  hall.live_on(22);
  for (const std::uint64_t number : leaving) {
    const std::string host = hall.last(number).target;
    const std::uint64_t peer = host[1] - '0';
    ASSERT_FALSE(hall.told<Cancel>(peer).empty()) << "the grace is over";
    hall.receive(peer, hall.failed(number, Reason::preempted));
    hall.run(number + 20, 8);  // would fit there at once
    EXPECT_EQ(hall.last(number + 20).state, JobState::queued) << "kept for the other";
  }
  hall.live_on(2);
  hall.take_all();
  EXPECT_EQ(hall.last(9).state, JobState::running) << hall.told_of(9).change;
}

TEST(WideGangs, AllRacksMakeRoomWhereNoneIsLargeEnough) {
  TwoRacks hall;
  for (const std::uint64_t number : {1, 2, 3, 4}) hall.run(number, 8);
  hall.run(9, 24, 5);
  const std::string change = hall.told_of(9).change;
  EXPECT_EQ(std::count(change.begin(), change.end(), '/'), 3) << change;
}

TEST(WideGangs, NobodyGoesForAGangThatWouldStillNotFit) {
  TwoRacks hall;
  for (const std::uint64_t number : {1, 2, 3}) hall.run(number, 8);
  hall.run(4, 8, 9);  // stays whatever comes
  hall.run(9, 32, 5);
  EXPECT_EQ(hall.told_of(9).change, "");
}

TEST(WideGangs, EachRackIsJudgedByThePartThatStandsInIt) {
  const auto limited = [](double watts) {
    return fmt::format(
        "[limits]\nrack_power_kw = {}\n[pool.gpu]\nmatch = {{}}\n[[rule]]\nname = \"all\"\n",
        watts / 1000);
  };
  const auto place = [&](double rack_w) {
    Hall hall(policy_of(limited(rack_w)));
    hall.add(1, "rack-1");
    hall.add(2, "rack-2");
    hall.submit(1, 16);
    const JobChanged job = hall.last(1);
    EXPECT_TRUE(!job.target.empty() || job.reason == Reason::power_cap) << rack_w;
    return hall.published<Decision>().back();
  };
  const Decision open = place(1e9);
  ASSERT_EQ(open.action, Action::assign);
  const Estimate& found = open.top.at(0).estimate;
  const double gang_w = found.energy_j / (found.finish_s - found.start_s);
  constexpr double idle_w = 8 * 100;  // of each rack, as samples say
  EXPECT_EQ(place(idle_w + 0.55 * gang_w).action, Action::assign) << "each bears one half";
  EXPECT_EQ(place(idle_w + 0.45 * gang_w).action, Action::queue);
}

TEST(WideGangs, AGangIsSpreadThoughItCouldNotEndInTimeWhereItIsTooLarge) {
  Hall hall;
  hall.add(1);
  hall.add(2);
  Job job = train_job(1, 16);
  job.work.batch = 64;
  job.deadline = std::chrono::minutes(30);
  hall.receive(Hall::client, Submit{{job}});
  hall.tick();
  hall.commit();
  EXPECT_EQ(hall.last(1).target, "h1/0-7 h2/0-7");
}

TEST(WideGangs, NobodyGoesForAGangOfSlicesWhoseShapeOthersBlock) {
  TwoRacks hall(std::string(urgent_rules) + "[capability.gpu]\nslices = [4, 8, 16]\n");
  for (const std::uint64_t number : {1, 2, 3, 4}) {
    hall.run(number, 4);
    hall.run(number + 10, 4, 9);  // stays whatever comes
  }
  hall.run(9, 16, 5);
  EXPECT_EQ(hall.last(9).state, JobState::queued);
  EXPECT_EQ(hall.told_of(9).change, "");
}

TEST(WideGangs, GpusMakeRoomThoughTpusOfThePoolStandBeforeThem) {
  Gangs hall(R"(
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
    hall.receive(peer, Join{Role::agent, host, "drover test"});
    hall.receive(peer, hall.hello(host, 1, "tpu-v5e"));
    hall.receive_samples(host, 1, Stage::idle_samples(8));
    hall.hosts.emplace_back(peer, host);
  }
  for (const std::uint64_t number : {21, 22}) {
    hall.run(number, 8, 9);
    ASSERT_TRUE(hall.last(number).target.starts_with("chips-"));
  }
  for (const std::uint64_t peer : {1, 2}) hall.add(peer);
  for (const std::uint64_t number : {1, 2}) hall.run(number, 8);
  hall.run(9, 16, 5);
  EXPECT_TRUE(hall.told_of(9).change.ends_with(" within 20 s")) << hall.told_of(9).change;
}

}  // namespace
}  // namespace drover::router
