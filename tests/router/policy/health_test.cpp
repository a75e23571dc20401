// [eject], [slow_start] and [panic].
#include <gtest/gtest.h>

#include "router/lint/policy_file.h"
#include "router/policy/policy.h"

namespace drover::router {
namespace {

constexpr const char* policy_head = R"([pool.a]
match = { kind = "gpu" }
[[rule]]
name = "r"
pools = ["a"]
)";

Result<Policy> parse(const std::string& text) { return parse_policy(policy_head + text, "p.toml"); }

TEST(PolicyHealth, WithoutTheTablesTheDefaultsAreInForce) {
  const auto policy = parse("");
  ASSERT_TRUE(policy.ok()) << policy.error().message;
  const EjectionRules& eject = policy->eject;
  EXPECT_FALSE(eject.shadow);
  EXPECT_EQ(eject.consecutive, 5U);
  EXPECT_EQ(eject.base_s, 30);
  EXPECT_EQ(eject.max_s, 300);
  EXPECT_EQ(eject.max_percent, 10);
  EXPECT_EQ(eject.min_hosts, 1U);
  EXPECT_EQ(eject.enforce, (std::array<double, detector_count>{100, 100, 100}));
  EXPECT_EQ(eject.success_rate.stdev_factor, 1.9);
  EXPECT_FALSE(eject.failure_percentage.enabled);
  EXPECT_EQ(policy->slow_start.window_s, 60);
  EXPECT_EQ(policy->slow_start.min_weight, 0.1);
  EXPECT_EQ(policy->slow_start.aggression, 1);
  EXPECT_EQ(policy->panic.below, 0.5);
  EXPECT_EQ(policy->panic.action, PanicAction::use_all);
}

TEST(PolicyHealth, ReadsEveryKey) {
  const auto policy = parse(R"([eject]
consecutive = 7
base_s = 20
max_s = 200
jitter_s = 3
max_percent = 25
min_hosts = 2
interval_s = 5
success_rate = { stdev_factor = 2.5, min_hosts = 6, min_requests = 50 }
failure_percentage = { threshold = 60, min_hosts = 3, min_requests = 20 }
enforce = { consecutive = 90, success_rate = 0, failure_percentage = 50 }
mode = "shadow"
[slow_start]
window_s = 30
min_weight = 0.2
aggression = 1.5
[panic]
below = 0.4
action = "fail"
)");
  ASSERT_TRUE(policy.ok()) << policy.error().message;
  const EjectionRules& eject = policy->eject;
  EXPECT_EQ(eject.consecutive, 7U);
  EXPECT_EQ(eject.base_s, 20);
  EXPECT_EQ(eject.max_s, 200);
  EXPECT_EQ(eject.jitter_s, 3);
  EXPECT_EQ(eject.max_percent, 25);
  EXPECT_EQ(eject.min_hosts, 2U);
  EXPECT_EQ(eject.interval_s, 5);
  EXPECT_EQ(eject.success_rate.stdev_factor, 2.5);
  EXPECT_EQ(eject.success_rate.min_hosts, 6U);
  EXPECT_EQ(eject.success_rate.min_requests, 50U);
  EXPECT_TRUE(eject.failure_percentage.enabled);
  EXPECT_EQ(eject.failure_percentage.threshold, 60);
  EXPECT_EQ(eject.failure_percentage.min_hosts, 3U);
  EXPECT_EQ(eject.failure_percentage.min_requests, 20U);
  EXPECT_EQ(eject.enforce, (std::array<double, detector_count>{90, 0, 50}));
  EXPECT_TRUE(eject.shadow);
  EXPECT_EQ(policy->slow_start.window_s, 30);
  EXPECT_EQ(policy->slow_start.min_weight, 0.2);
  EXPECT_EQ(policy->slow_start.aggression, 1.5);
  EXPECT_EQ(policy->panic.below, 0.4);
  EXPECT_EQ(policy->panic.action, PanicAction::fail);
}

TEST(PolicyHealth, AnEmptyTableOfFailurePercentagesWatchesWithTheDefaults) {
  const auto policy = parse("[eject]\nfailure_percentage = {}\n");
  ASSERT_TRUE(policy.ok()) << policy.error().message;
  EXPECT_TRUE(policy->eject.failure_percentage.enabled);
  EXPECT_EQ(policy->eject.failure_percentage.threshold, 85);
}

struct Wrong {
  const char* text;  // after `head`, whose last line is line 5
  const char* message;
};

TEST(PolicyHealth, ErrorsNameFileLineAndKey) {
  for (const Wrong& wrong : std::vector<Wrong>{
           {"[eject]\nconsecutive = -1\n",
            "p.toml:7: eject.consecutive: found -1, expected a whole number 0..1000000"},
           {"[eject]\nbase_s = 0\n",
            "p.toml:7: eject.base_s: found 0, expected a number 0.1..86400"},
           {"[eject]\nbase_s = 60\nmax_s = 30\n",
            "p.toml:8: eject.max_s: found 30, expected at least base_s, which is 60"},
           {"[eject]\nbase_s = 600\n",
            "p.toml:6: eject.max_s: found 300, expected at least base_s, which is 600"},
           {"[eject]\nmax_percent = 101\n",
            "p.toml:7: eject.max_percent: found 101, expected a number 0..100"},
           {"[eject]\nmin_hosts = 0\n",
            "p.toml:7: eject.min_hosts: found 0, expected a whole number 1..1000000"},
           {"[eject]\nmode = \"observe\"\n",
            "p.toml:7: eject.mode: found \"observe\", expected enforce or shadow"},
           {"[eject]\nsuccess_rate = { min_hosts = 1 }\n",
            "p.toml:7: eject.success_rate.min_hosts: found 1, expected a whole number 2..1000000"},
           {"[eject]\nfailure_percentage = { threshold = 0 }\n",
            "p.toml:7: eject.failure_percentage.threshold: found 0, expected a number 1..100"},
           {"[eject]\nenforce = { consecutive = 200 }\n",
            "p.toml:7: eject.enforce.consecutive: found 200, expected a number 0..100"},
           {"[eject]\nenforce = 50\n", "p.toml:7: eject.enforce: found 50, expected a table"},
           {"[eject]\nconsecutiv = 5\n",
            "p.toml:7: eject.consecutiv: unknown key; did you mean consecutive?"},
           {"[slow_start]\nmin_weight = 2\n",
            "p.toml:7: slow_start.min_weight: found 2, expected a number 0.001..1"},
           {"[slow_start]\naggression = 0\n",
            "p.toml:7: slow_start.aggression: found 0, expected a number 0.01..100"},
           {"[slow_start]\nwindow_s = \"1m\"\n",
            "p.toml:7: slow_start.window_s: found \"1m\", expected a number 0..86400"},
           {"[panic]\nbelow = 50\n", "p.toml:7: panic.below: found 50, expected a number 0..1"},
           {"[panic]\naction = \"use-all\"\n",
            "p.toml:7: panic.action: found \"use-all\", expected use_all or fail"},
       }) {
    const auto policy = parse(wrong.text);
    ASSERT_FALSE(policy.ok()) << wrong.text;
    EXPECT_EQ(policy.error().message, wrong.message);
  }
}

}  // namespace
}  // namespace drover::router
