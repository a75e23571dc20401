// How many subjects one rule tells people of at once, in a router: 256, and one alert about the
// others. What the book itself does is in alerts_test.cpp.
#include <algorithm>
#include <map>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "fleet/codec/codec.h"
#include "router/alerts/alerts.h"
#include "router/lint/policy_file.h"
#include "tests/router/router_fixture.h"

namespace drover::router {
namespace {

// What docs/policies.md says.
constexpr std::size_t subjects_max = 256;
constexpr std::uint64_t hosts = 40;
constexpr std::size_t devices = 8 * hosts;

Policy policy_with_a_rule_for_all() {
  const std::string more =
      "\n[[alert]]\nname = \"mine\"\nwhen = \"kind == gpu\"\nfor = 0\nclear_for = 0\n";
  auto policy = parse_policy(std::string(builtin_policy_text()) + more, "test.toml");
  DROVER_REQUIRE(policy.ok());
  return std::move(policy).value();
}

/// 320 devices of which none is usable.
struct AllUnusable : RouterHarness {
  std::vector<std::pair<std::uint64_t, std::string>> all;

  AllUnusable() : RouterHarness({}, policy_with_a_rule_for_all()) {
    for (std::uint64_t peer = 1; peer <= hosts; ++peer) {
      all.emplace_back(peer, "h" + std::to_string(peer));
      add_host(peer, all.back().second);
    }
    report(false);
    live(3, all);
  }
  void report(bool usable) {
    for (const auto& [peer, host] : all) {
      for (std::uint16_t device = 0; device < 8; ++device) {
        receive(peer, DeviceReport{device, usable, 0, usable ? "" : "lost"});
      }
    }
  }
};

/// Of one rule: what is raised about whom, as those know it who hear these alerts.
std::map<std::string, Alert> raised(const std::vector<Alert>& alerts, const std::string& rule) {
  std::map<std::string, Alert> standing;
  for (const Alert& alert : alerts) {
    if (alert.rule != rule) continue;
    standing.erase(alert.subject);
    if (alert.raised) standing.emplace(alert.subject, alert);
  }
  return standing;
}

TEST(AlertSubjects, AreLimitedTo256PerRulePlusOneForTheRest) {
  const AllUnusable fleet;
  // One that the router looks for by itself, and a filter of the policy.
  for (const std::string rule : {"device_unusable", "mine"}) {
    const auto standing = raised(fleet.published<Alert>(), rule);
    EXPECT_EQ(standing.size(), subjects_max + 1) << rule;
    const auto others = standing.find("others");
    ASSERT_NE(others, standing.end()) << rule;
    EXPECT_TRUE(others->second.text.starts_with(std::to_string(devices - subjects_max) + " more"))
        << others->second.text;
  }
}

TEST(AlertSubjects, AreTheSameForALateClient) {
  AllUnusable fleet;
  fleet.receive(77, SnapshotRequest{});
  std::vector<Alert> told;
  for (const SnapshotPart& part : fleet.told<SnapshotPart>(77)) {
    for (const std::string& bytes : part.messages) {
      const Message body = decode(bytes).value().body;
      if (const auto* alert = std::get_if<Alert>(&body)) told.push_back(*alert);
    }
  }
  EXPECT_EQ(raised(told, "device_unusable"), raised(fleet.published<Alert>(), "device_unusable"));
  EXPECT_EQ(raised(told, "device_unusable").size(), subjects_max + 1);
}

TEST(AlertSubjects, AllClearWhenNoConditionHolds) {
  AllUnusable fleet;
  fleet.report(true);
  fleet.live(10, fleet.all);
  EXPECT_TRUE(raised(fleet.published<Alert>(), "device_unusable").empty());
}

/// One host of 4,096 devices and one of a single one, all hot; the large one speaks first.
struct OneAgainstMany : RouterHarness {
  static constexpr std::uint16_t many = 4096;
  std::uint64_t sequence = 0;

  OneAgainstMany() : RouterHarness({}, policy_with_a_rule_for_all()) {
    join(1, "a-hostile", many);
    join(2, "honest", 1);
  }
  void join(std::uint64_t peer, const std::string& host, std::uint16_t count) {
    receive(peer, Join{Role::agent, host, "drover test"});
    receive(peer, registration(host, 1, "h100-sxm", count));
    for (std::uint16_t device = 0; device < count; ++device) {
      receive(peer, DeviceReport{device, false, 0, "lost"});
    }
  }
  void go_on(int beats) {
    for (int second = 0; second < beats; ++second) {
      for (const std::uint64_t peer : {1U, 2U, 3U}) receive(peer, Heartbeat{});
      wait(std::chrono::seconds(1));
      commit();
    }
  }
};

TEST(AlertSubjects, OfOneHostDoNotHideThoseOfOthers) {
  OneAgainstMany fleet;
  fleet.go_on(4);
  for (const std::string rule : {"device_unusable", "mine"}) {
    const auto standing = raised(fleet.published<Alert>(), rule);
    EXPECT_EQ(standing.size(), subjects_max + 1) << rule;
    ASSERT_TRUE(standing.contains("honest/0")) << rule;
    EXPECT_FALSE(standing.at("honest/0").text.empty()) << rule;
    EXPECT_TRUE(standing.at("others").text.starts_with(std::to_string(4097 - subjects_max)))
        << standing.at("others").text;
  }
}

TEST(AlertSubjects, ALaterHostTakesASlotFromTheHostWithTheMost) {
  OneAgainstMany fleet;
  fleet.go_on(4);
  fleet.join(3, "late", 1);
  fleet.go_on(4);
  for (const std::string rule : {"device_unusable", "mine"}) {
    const auto standing = raised(fleet.published<Alert>(), rule);
    EXPECT_EQ(standing.size(), subjects_max + 1) << rule;
    EXPECT_TRUE(standing.contains("honest/0")) << rule;
    EXPECT_TRUE(standing.contains("late/0")) << rule;
  }
  fleet.forget();
  fleet.go_on(3);
  for (const Alert& alert : fleet.published<Alert>()) {
    const bool of_devices = alert.rule == "device_unusable" || alert.rule == "mine";
    EXPECT_TRUE(!of_devices || alert.subject == "others") << "now nobody moves: " << alert.subject;
  }
}

}  // namespace
}  // namespace drover::router
