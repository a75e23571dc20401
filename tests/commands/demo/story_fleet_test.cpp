// The demo's story on the demo's fleet, simulated: what it tells is what happens.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>
#include <map>
#include <ostream>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "commands/connection/router_start.h"
#include "commands/demo/fleet.h"
#include "commands/demo/story.h"
#include "commands/submit/synthetic_work.h"
#include "devices/catalogue/catalogue.h"
#include "router/policy/alert_rules.h"
#include "simulator/simulation.h"
#include "tests/simulator/queue_invariants.h"

namespace drover::commands {
namespace {

using simulator::Simulation;

std::string option_of(const ChildCommand& order, const std::string& name) {
  for (std::size_t i = 0; i + 1 < order.arguments.size(); ++i) {
    if (order.arguments[i] == "--" + name) return order.arguments[i + 1];
  }
  return "";
}

/// The agents that the demo starts, as the simulator wants them.
std::vector<agents::AgentSettings> demo_hosts(const DemoOptions& options) {
  const auto& catalogue = devices::Catalogue::embedded();
  std::vector<agents::AgentSettings> hosts;
  for (const ChildCommand& order : demo_agents(options, "tcp://127.0.0.1:7700")) {
    agents::AgentSettings host;
    host.host = option_of(order, "name");
    host.rack = option_of(order, "rack");
    host.groups = *agents::parse_device_list(option_of(order, "devices"), catalogue);
    const std::string replicas = option_of(order, "replicas");
    if (!replicas.empty()) host.replicas = *agents::parse_replica_list(replicas, catalogue);
    host.ambient_c = std::strtod(option_of(order, "ambient").c_str(), nullptr);
    host.seed = options.work.seed;
    hosts.push_back(std::move(host));
  }
  return hosts;
}

constexpr double demo_speed = 10;

/// What a watcher sees of one second.
struct Second {
  std::uint64_t round = 0;
  std::uint32_t chapter = 0;
  double utilization = 0;       // mean of all devices that reported last
  double busy = 0;              // share of the devices with work, as the dashboard counts them
  std::uint64_t throttled = 0;  // TPUs, because of heat
  double hottest_tpu_c = 0;
  Summary summary;
  std::uint64_t standing = 0;  // alerts
  std::uint64_t placed = 0;    // jobs and requests, within this second
};

struct Watched {
  std::vector<Second> seconds;
  std::vector<double> caps_w;  // by round
  std::vector<Alert> alerts;
  std::vector<std::string> waiting;  // beside a place that would take it, or for another reason
  /// For which more work falls back, or waits, than did when the chapter began.
  std::set<Reason> reasons_in(std::uint64_t round, std::uint32_t chapter) const {
    std::set<Reason> reasons;
    const Summary* before = nullptr;
    for (const Second& one : seconds) {
      if (one.round != round || one.chapter != chapter) continue;
      if (before == nullptr) before = &one.summary;
      add_grown(before->fallbacks, one.summary.fallbacks, reasons);
      add_grown(before->queued_for, one.summary.queued_for, reasons);
    }
    return reasons;
  }

 private:
  using Counts = std::map<Reason, std::uint64_t>;
  static void add_grown(const Counts& before, const Counts& now, std::set<Reason>& reasons) {
    for (const auto& [reason, count] : now) {
      const auto known = before.find(reason);
      if (count > (known == before.end() ? 0 : known->second)) reasons.insert(reason);
    }
  }
};

/// One way to start the demo, and how long one looks.
struct Telling {
  std::uint64_t seed = 1;
  double load = 1;
  int rounds = 1;
};

std::ostream& operator<<(std::ostream& out, const Telling& telling) {
  return out << "seed " << telling.seed << ", load " << telling.load;
}

/// The story at the demo's own speed, and the work to its end.
class StoryFleet : public testing::TestWithParam<Telling> {
 protected:
  static simulator::Scenario demo(const DemoOptions& options, double lasts_s) {
    RouterStart start;
    start.speed = demo_speed;
    start.seed = options.work.seed;
    simulator::Scenario scenario;
    scenario.hosts = demo_hosts(options);
    scenario.policy = *read_policy(start);
    scenario.router = router_settings(start);
    SyntheticWork work(options.work.seed, options.work.load);
    // The demo's feeder begins when all agents have joined.
    constexpr Duration joined = std::chrono::seconds(1);
    for (auto next = work.next(); next && next->at < from_seconds(lasts_s); next = work.next()) {
      scenario.arrivals.push_back({next->at + joined, next->job});
    }
    return scenario;
  }

  static Watched watch(const Telling& telling) {
    DemoOptions options;
    options.work.seed = telling.seed;
    options.work.load = telling.load;
    const double lasts_s = telling.rounds * story_s;
    Simulation world(demo(options, lasts_s), devices::Catalogue::embedded());
    Watched seen;
    std::map<std::string, Sample> last;  // of each device
    std::uint64_t placed = 0;
    std::map<JobId, JobChanged> jobs;
    simulator::QueueInvariants waiting(world, from_seconds(4 * demo_speed));
    world.subscriber = [&](const Envelope& envelope) {
      if (const auto* alert = std::get_if<Alert>(&envelope.body)) seen.alerts.push_back(*alert);
      if (const auto* job = std::get_if<JobChanged>(&envelope.body)) jobs[job->job.id] = *job;
      const auto* decision = std::get_if<Decision>(&envelope.body);
      if (decision != nullptr && decision->action == Action::assign) ++placed;
      const auto* batch = std::get_if<SampleBatch>(&envelope.body);
      if (batch == nullptr) return;
      for (const Sample& sample : unpack(*batch)) {
        last[batch->host + "/" + std::to_string(sample.device)] = sample;
      }
    };
    Story story(options.work.seed, options.work.load, world.now());
    for (int second = 1; second < static_cast<int>(lasts_s); ++second) {
      world.run_for(std::chrono::seconds(second));
      // The story's client asks once a wall second.
      if (second % static_cast<int>(demo_speed) == 0) {
        story.receive(world.now(), world.summary());
        std::erase_if(jobs, [](const auto& job) { return is_terminal(job.second.state); });
        waiting.look(jobs, seen.waiting);
      }
      Story::StoryActions actions = story.due(world.now());
      for (Message& message : actions.messages) {
        if (const auto* cap = std::get_if<SetPowerCap>(&message)) seen.caps_w.push_back(cap->watts);
        world.client_send(std::move(message));
      }
      if (!actions.jobs.empty()) world.client_submit(std::move(actions.jobs));
      seen.seconds.push_back(
          one_second(static_cast<std::uint64_t>(second / story_s), story.caption().chapter, last));
      seen.seconds.back().summary = world.summary();
      // That a class missed its target stays true for as long as its windows reach back.
      seen.seconds.back().standing = static_cast<std::uint64_t>(std::ranges::count_if(
          world.seen().standing,
          [](const auto& alert) { return alert.first != router::condition::slo_burn; }));
      seen.seconds.back().placed = std::exchange(placed, 0);
    }
    if (std::getenv("DROVER_TELL") != nullptr) {
      tell(seen, world);
      for (const auto& [id, job] : jobs) {
        if (job.state == JobState::queued) tell_why(world.why(id));
      }
    }
    return seen;
  }

  static Second one_second(std::uint64_t round, std::uint32_t chapter,
                           const std::map<std::string, Sample>& last) {
    Second one;
    one.round = round;
    one.chapter = chapter;
    constexpr unsigned heat = throttle_sw_thermal_slowdown | throttle_hw_thermal_slowdown;
    const double share = last.empty() ? 0 : 1 / static_cast<double>(last.size());
    for (const auto& [device, sample] : last) {
      one.utilization += share * sample[Metric::utilization];
      if (sample[Metric::running] > 0 || sample[Metric::utilization] > 0.05) one.busy += share;
      if (!device.starts_with("v5e")) continue;
      one.hottest_tpu_c = std::max(one.hottest_tpu_c, sample[Metric::temperature]);
      if ((static_cast<unsigned>(sample[Metric::throttle]) & heat) != 0) ++one.throttled;
    }
    return one;
  }

  static void tell_why(const WhyReply& why) {
    std::printf("waits: %s on %u\n", why.job->job.work.model.c_str(), why.job->job.work.devices);
    for (const CandidateStatus& standing : why.candidates) {
      std::printf("  %s", standing.target.c_str());
      for (const Reason reason : standing.reasons) {
        std::printf(" %s", std::string(to_text(reason)).c_str());
      }
      std::printf("\n");
    }
    for (const NearestFit& fit : why.nearest) {
      std::printf("  %s: %s\n", fit.target.c_str(), fit.change.c_str());
    }
  }

  /// For those who change the story: DROVER_TELL=1 prints the round.
  static void tell(const Watched& seen, const Simulation& world) {
    for (std::size_t i = 0; i < seen.seconds.size(); i += 15) {
      const Second& one = seen.seconds[i];
      std::printf(
          "%4zu ch %u util %.2f busy %.2f hot %.0f/%llu power %.0f+%.0f q %llu run %llu fin %llu",
          i, one.chapter, one.utilization, one.busy, one.hottest_tpu_c,
          static_cast<unsigned long long>(one.throttled), one.summary.power_w,
          one.summary.power_reserved_w, static_cast<unsigned long long>(one.summary.queued),
          static_cast<unsigned long long>(one.summary.running),
          static_cast<unsigned long long>(one.summary.finished));
      for (const auto& [reason, count] : one.summary.fallbacks) {
        std::printf(" %s=%llu", std::string(to_text(reason)).c_str(),
                    static_cast<unsigned long long>(count));
      }
      for (const auto& [reason, count] : one.summary.queued_for) {
        std::printf(" waits:%s=%llu", std::string(to_text(reason)).c_str(),
                    static_cast<unsigned long long>(count));
      }
      std::printf("\n");
    }
    for (const Alert& alert : seen.alerts) {
      std::printf("alert %s %s %d %s\n", alert.rule.c_str(), alert.subject.c_str(), alert.raised,
                  alert.text.c_str());
    }
    for (const ActionReply& reply : world.seen().replies) {
      std::printf("action %d %zu %s\n", reply.applied, reply.targets.size(), reply.problem.c_str());
    }
  }
};

/// Each chapter shows the reason that its caption names.
void expect_reasons_named(const Watched& watched, int rounds) {
  for (int round = 0; round < rounds; ++round) {
    int named = 0;
    for (std::uint32_t number = 1; number <= chapters().size(); ++number) {
      const std::string caption(chapters()[number - 1].caption);
      const auto reasons = watched.reasons_in(static_cast<std::uint64_t>(round), number);
      for (int index = 0; index < reason_count; ++index) {
        const auto reason = static_cast<Reason>(index);
        if (!caption.ends_with("(reason: " + std::string(to_text(reason)) + ")")) continue;
        ++named;
        EXPECT_TRUE(reasons.contains(reason)) << caption << ", round " << round;
      }
    }
    EXPECT_EQ(named, 6) << "all but the first and the last chapter";
  }
}

/// While nothing is wrong.
void expect_busy_not_full(const Watched& watched, int rounds) {
  // The first chapter and the last one, but for their first seconds: the fleet fills, or has a
  // backlog from the chapter before.
  int calm = 0;
  double sum = 0;
  std::uint32_t chapter = 0;
  std::size_t began = 0;
  for (std::size_t second = 0; second < watched.seconds.size(); ++second) {
    const Second& one = watched.seconds[second];
    if (one.chapter != chapter) began = second;
    chapter = one.chapter;
    if ((chapter != 1 && chapter != chapters().size()) || second < began + 30) continue;
    ++calm;
    sum += one.utilization;
    EXPECT_LE(one.utilization, 0.95) << second;
  }
  EXPECT_GT(calm, 100 * rounds);
  EXPECT_GE(sum / calm, 0.40);
}

/// About two thirds of the devices have work, from the first seconds on.
void expect_busy_from_the_start(const Watched& watched) {
  double sum = 0;
  for (std::size_t second = 0; second < watched.seconds.size(); ++second) {
    sum += watched.seconds[second].busy;
    // 20 fleet seconds: two wall seconds.
    if (second < 20) continue;
    EXPECT_GE(watched.seconds[second].busy, 0.45) << second;
  }
  EXPECT_GE(sum / static_cast<double>(watched.seconds.size()), 0.63);
}

/// "its TPUs heat up; at 85 C they throttle"
void expect_heat(const Watched& watched, int rounds) {
  std::vector<double> hottest_c(static_cast<std::size_t>(rounds));
  std::vector<std::uint64_t> throttled(static_cast<std::size_t>(rounds));
  for (const Second& one : watched.seconds) {
    if (one.chapter != 5 || one.round >= hottest_c.size()) continue;
    hottest_c[one.round] = std::max(hottest_c[one.round], one.hottest_tpu_c);
    throttled[one.round] = std::max(throttled[one.round], one.throttled);
  }
  for (const double celsius : hottest_c) EXPECT_NEAR(celsius, 85, 1.5);
  for (const std::uint64_t devices : throttled) EXPECT_GE(devices, 3U);
}

void expect_site_under_cap(const Watched& watched, int rounds) {
  ASSERT_EQ(watched.caps_w.size(), static_cast<std::size_t>(rounds));
  for (int round = 0; round < rounds; ++round) {
    const auto at = [&](std::size_t chapter) {
      return static_cast<std::size_t>(round * story_s + chapters()[chapter - 1].begins_s);
    };
    const auto power_w = [&](std::size_t second) {
      return watched.seconds[second].summary.power_w;
    };
    const double cap_w = watched.caps_w[static_cast<std::size_t>(round)];
    ASSERT_LT(at(8), watched.seconds.size());
    EXPECT_GT(power_w(at(7) - 1), cap_w);
    // What ran when the cap was set goes on, and so does what is reserved and not drawn yet, by
    // copies that still load. Nothing is put beside it while both together are above the cap, so
    // they fall, but for what a device that runs draws more in one second than in another. From
    // when they fit the cap holds.
    const auto reserved_w = [&](std::size_t second) {
      return power_w(second) + watched.seconds[second].summary.power_reserved_w;
    };
    std::size_t second = at(7);
    for (; second < at(8) && reserved_w(second) > cap_w; ++second) {
      double before_w = 0;
      for (std::size_t back = 1; back <= 10; ++back) {
        before_w = std::max(before_w, reserved_w(second - back));
      }
      EXPECT_LE(reserved_w(second), 1.005 * before_w) << "second " << second - at(7);
      EXPECT_LE(reserved_w(second), 1.005 * std::max(reserved_w(at(7)), reserved_w(at(7) - 1)))
          << "second " << second - at(7);
      if (second < at(7) + 2) continue;  // the cap is on its way
      EXPECT_EQ(watched.seconds[second].placed, 0U) << "second " << second - at(7);
    }
    EXPECT_LT(second, at(7) + 60) << "round " << round;
    // Devices differ a little from what the router believes of their kind, until it lowers their
    // own caps: six seconds of samples and four beats of ten (docs/actions.md).
    double most_w = 0;
    int over_s = 0, longest_s = 0;
    for (; second + 1 < at(8); ++second) {
      most_w = std::max(most_w, power_w(second));
      over_s = power_w(second) > 1.005 * cap_w ? over_s + 1 : 0;
      longest_s = std::max(longest_s, over_s);
    }
    if (std::getenv("DROVER_TELL") != nullptr) {
      std::printf("overdrawn by %.2f%% of %.0f W, for %d s, round %d\n", 100 * (most_w / cap_w - 1),
                  cap_w, longest_s, round);
    }
    EXPECT_LE(most_w, 1.05 * cap_w) << "round " << round;
    EXPECT_LE(longest_s, 46) << "round " << round;
  }
}

void expect_steady_alerts(const Watched& watched, int rounds) {
  std::map<std::pair<std::string, std::string>, int> raised;
  for (const Alert& alert : watched.alerts) {
    if (alert.raised && !alert.text_only) ++raised[{alert.rule, alert.subject}];
  }
  EXPECT_GT(raised.size(), 3U);
  for (const auto& [alert, times] : raised) {
    if (std::getenv("DROVER_TELL") != nullptr) {
      std::printf("alert %s %s: %d\n", alert.first.c_str(), alert.second.c_str(), times);
    }
    EXPECT_LE(times, 2 * rounds) << alert.first << ' ' << alert.second;
  }
}

/// In the last chapter nothing is wrong any more: what waited runs, and what was raised is over.
void expect_recovery(const Watched& watched, int rounds) {
  const auto last = static_cast<std::uint32_t>(chapters().size());
  std::vector<int> empty(static_cast<std::size_t>(rounds));  // seconds without a queue, by round
  std::vector<std::uint64_t> left(static_cast<std::size_t>(rounds));
  for (const Second& one : watched.seconds) {
    if (one.chapter != last || one.round >= empty.size()) continue;
    if (one.summary.queued == 0) ++empty[one.round];
    left[one.round] = one.standing;
  }
  for (const std::string& what : watched.waiting) ADD_FAILURE() << what;
  for (std::size_t round = 0; round < empty.size(); ++round) {
    EXPECT_GT(empty[round], 10) << "the queue is never empty, round " << round;
    EXPECT_EQ(left[round], 0U) << "alerts stand at the end, round " << round;
  }
}

// One test for each telling: it is the simulation that takes time.
TEST_P(StoryFleet, MatchesItsCaptionsStaysBusyHoldsItsCapAndRecoversWithItsAlerts) {
  const Watched seen = watch(GetParam());
  expect_reasons_named(seen, GetParam().rounds);
  expect_busy_not_full(seen, GetParam().rounds);
  expect_busy_from_the_start(seen);
  expect_heat(seen, GetParam().rounds);
  expect_site_under_cap(seen, GetParam().rounds);
  expect_steady_alerts(seen, GetParam().rounds);
  expect_recovery(seen, GetParam().rounds);
}

INSTANTIATE_TEST_SUITE_P(Demo, StoryFleet,
                         testing::Values(Telling{1, 1, 2}, Telling{2, 1, 1}, Telling{3, 1, 1}),
                         [](const auto& told) { return "Seed" + std::to_string(told.param.seed); });

}  // namespace
}  // namespace drover::commands
