// The demo's story on the demo's fleet, simulated: what it tells is what happens.
#include <gtest/gtest.h>

#include <cstdlib>
#include <map>
#include <set>
#include <string>
#include <vector>

#include "commands/demo_fleet.h"
#include "commands/story.h"
#include "commands/synthetic_work.h"
#include "devices/catalogue.h"
#include "simulator/world.h"

namespace drover::commands {
namespace {

using simulator::World;

std::string option_of(const ChildOrder& order, const std::string& name) {
  for (std::size_t i = 0; i + 1 < order.arguments.size(); ++i) {
    if (order.arguments[i] == "--" + name) return order.arguments[i + 1];
  }
  return "";
}

/// The agents that the demo starts, as the simulator wants them.
std::vector<agents::AgentSettings> demo_hosts(const DemoOptions& options) {
  const auto& catalogue = devices::Catalogue::embedded();
  std::vector<agents::AgentSettings> hosts;
  for (const ChildOrder& order : demo_agents(options, "tcp://127.0.0.1:7700")) {
    agents::AgentSettings host;
    host.host = option_of(order, "name");
    host.rack = option_of(order, "rack");
    host.groups = *agents::parse_device_list(option_of(order, "devices"), catalogue);
    const std::string replicas = option_of(order, "replicas");
    if (!replicas.empty()) host.replicas = *agents::parse_replica_list(replicas, catalogue);
    host.ambient_c = std::strtod(option_of(order, "ambient").c_str(), nullptr);
    host.seed = options.seed;
    hosts.push_back(std::move(host));
  }
  return hosts;
}

/// What a watcher sees of one second.
struct Second {
  std::uint32_t chapter = 0;
  double utilization = 0;  // mean of all devices that reported last
  Summary summary;
};

struct Watched {
  std::vector<Second> seconds;
  double cap_w = 0;
  std::set<Reason> fallbacks_in(std::uint32_t chapter) const {
    std::set<Reason> reasons;
    for (std::size_t i = 1; i < seconds.size(); ++i) {
      if (seconds[i].chapter != chapter) continue;
      for (const auto& [reason, count] : seconds[i].summary.fallbacks) {
        const auto& before = seconds[i - 1].summary.fallbacks;
        const auto known = before.find(reason);
        if (count > (known == before.end() ? 0 : known->second)) reasons.insert(reason);
      }
    }
    return reasons;
  }
};

class StoryFleet : public testing::Test {
 protected:
  /// One round of the story at the demo's own speed, and the work to its end.
  static const Watched& watched() {
    static const Watched seen = watch();
    return seen;
  }

 private:
  static Watched watch() {
    const DemoOptions options;
    simulator::Scenario scenario;
    scenario.hosts = demo_hosts(options);
    scenario.policy = router::builtin_policy();
    scenario.router.software = "simulator";
    // Wall spans as the shell gives them at ten fleet seconds a wall second.
    const auto tenfold = [](Duration& span) { span *= 10; };
    for (Duration* span : {&scenario.router.heartbeat_every, &scenario.router.suspect_after,
                           &scenario.router.lease, &scenario.router.lost_after}) {
      tenfold(*span);
    }
    scenario.router.speed = 10;
    SyntheticWork work(options.seed, options.load);
    for (auto next = work.next(); next && next->at < from_seconds(story_s); next = work.next()) {
      scenario.arrivals.push_back({next->at, next->job});
    }
    World world(std::move(scenario), devices::Catalogue::embedded());
    std::map<std::string, double> busy;
    world.subscriber = [&](const Envelope& envelope) {
      const auto* batch = std::get_if<SampleBatch>(&envelope.body);
      if (batch == nullptr) return;
      for (const Sample& sample : unpack(*batch)) {
        busy[batch->host + "/" + std::to_string(sample.device)] = sample[Metric::utilization];
      }
    };
    Story story(options.seed, options.load, world.now());
    Watched seen;
    for (int second = 1; second < static_cast<int>(story_s); ++second) {
      world.run_for(std::chrono::seconds(second));
      story.heard(world.summary());
      Story::Doings doings = story.due(world.now());
      for (Message& message : doings.messages) {
        if (const auto* cap = std::get_if<SetPowerCap>(&message)) seen.cap_w = cap->watts;
        world.client_send(std::move(message));
      }
      if (!doings.jobs.empty()) world.client_submit(std::move(doings.jobs));
      double sum = 0;
      for (const auto& [device, share] : busy) sum += share;
      seen.seconds.push_back({story.caption().chapter,
                              busy.empty() ? 0 : sum / static_cast<double>(busy.size()),
                              world.summary()});
    }
    if (std::getenv("DROVER_TELL") != nullptr) tell(seen, world);
    return seen;
  }

  /// For those who change the story: DROVER_TELL=1 prints the round.
  static void tell(const Watched& seen, const World& world) {
    for (std::size_t i = 0; i < seen.seconds.size(); i += 15) {
      const Second& one = seen.seconds[i];
      std::printf("%4zu ch %u util %.2f power %.0f+%.0f q %llu run %llu fin %llu", i, one.chapter,
                  one.utilization, one.summary.power_w, one.summary.power_reserved_w,
                  static_cast<unsigned long long>(one.summary.queued),
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
    for (const ActionReply& reply : world.seen().replies) {
      std::printf("action %d %zu %s\n", reply.applied, reply.targets.size(), reply.problem.c_str());
    }
  }
};

TEST_F(StoryFleet, ShowsAtLeastFiveReasonsOfFallback) {
  const auto& last = watched().seconds.back().summary;
  EXPECT_GE(last.fallbacks.size(), 5u);
}

TEST_F(StoryFleet, EachChapterShowsTheReasonThatItsCaptionNames) {
  for (std::size_t number = 0; number < chapters().size(); ++number) {
    const std::string caption(chapters()[number].caption);
    for (int index = 0; index < reason_count; ++index) {
      const auto reason = static_cast<Reason>(index);
      if (!caption.ends_with(": " + std::string(to_text(reason)))) continue;
      EXPECT_TRUE(watched().fallbacks_in(static_cast<std::uint32_t>(number + 1)).contains(reason))
          << caption;
    }
  }
}

TEST_F(StoryFleet, IsBusyButNotFullWhileNothingIsWrong) {
  // The first chapter but for its first seconds, when the fleet fills, and the last one.
  int calm = 0;
  for (std::size_t second = 30; second < watched().seconds.size(); ++second) {
    const Second& one = watched().seconds[second];
    if (one.chapter != 1 && one.chapter != chapters().size()) continue;
    ++calm;
    EXPECT_GE(one.utilization, 0.40) << second;
    EXPECT_LE(one.utilization, 0.95) << second;
  }
  EXPECT_GT(calm, 100);
}

TEST_F(StoryFleet, HoldsTheSiteUnderItsCap) {
  const std::size_t begins = static_cast<std::size_t>(chapters()[6].begins_s);
  const std::size_t ends = static_cast<std::size_t>(chapters()[7].begins_s);
  ASSERT_LT(ends, watched().seconds.size());
  ASSERT_GT(watched().cap_w, 0);
  EXPECT_GT(watched().seconds[begins - 1].summary.power_w, watched().cap_w);
  // What ran when the cap was set goes on; half a minute later enough of it has ended. Requests
  // are reserved at what decoding draws; the moments of their prompts may stand out by 2 %.
  for (std::size_t second = begins + 30; second + 1 < ends; ++second) {
    EXPECT_LE(watched().seconds[second].summary.power_w, 1.02 * watched().cap_w) << second;
  }
}

}  // namespace
}  // namespace drover::commands
