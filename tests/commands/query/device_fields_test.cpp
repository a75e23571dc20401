// The router's rules and the filters of clients are asked the same of the same devices, and answer
// the same.
#include <algorithm>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "router/lint/policy_file.h"
#include "tests/router/router_fixture.h"
#include "tui/model/model.h"
#include "tui/tables/fleet_filter.h"

namespace drover::commands {
namespace {

using std::chrono::seconds;
using Ids = std::set<std::string>;

constexpr std::string_view questions[] = {
    "headroom < 3C",      "headroom < 6C",       "headroom > 30C",
    "headroom == none",   "powershare > 80%",    "powershare > 99%",
    "powershare == none", "cap > 600W",          "cap == none",
    "temp > 70C",         "temp == none",        "power == none",
    "state == stale",     "state == unusable",   "state == faulty",
    "state == drained",   "state == ok",         "age > 5s",
    "age == none",        "price > 1",           "price == none",
    "util > 50%",         "mem > 50%",           "running > 0",
    "throttle==thermal",  "throttle == none",    "model ~ llama",
    "model == none",      "alert == throttling", "alert == question_0",
    "alert == none",      "pause == no",         "pause == compiling",
    "group == 0",         "index > 5",           "kind == tpu",
    "memtemp > 50",       "memtemp == none",
};

std::string name_of(std::size_t question) { return fmt::format("question_{}", question); }

router::Policy asking_policy() {
  std::string text(router::builtin_policy_text());
  for (std::size_t question = 0; question < std::size(questions); ++question) {
    text +=
        fmt::format("\n[[alert]]\nname = \"{}\"\nwhen = \"{}\"\nfor = \"0s\"\nclear_for = \"0s\"\n",
                    name_of(question), questions[question]);
  }
  auto policy = router::parse_policy(text, "asking.toml");
  DROVER_REQUIRE(policy.ok());
  return std::move(policy).value();
}

/// Three hosts, one of TPUs: devices that are hot, near their cap, in no sample, unusable, drained,
/// faulty, compiling, without a told cap; and what all three callers know of them.
class FilteredFleet : public router::RouterHarness {
 public:
  FilteredFleet() : RouterHarness({}, asking_policy()) {
    join(1, "h1", "h100-sxm", {});
    join(2, "h2", "h100-sxm", {});
    join(3, "t1", "tpu-v5e", compiling());
    receive(9, Join{Role::client, "ann", "drover test"});
    sample(true);
    receive(1, DeviceReport{2, false, 79, "Xid 79: GPU has fallen off the bus"});
    receive(9, SetDrain{"h2/1", true, {}});
    receive(9, fault());
    for (int second = 0; second < 20; ++second) {
      for (const std::uint64_t peer : {1u, 2u, 3u}) receive(peer, Heartbeat{});
      sample(false);
      wait(seconds(1));
      commit();
    }
  }

  /// Subjects of the alerts that the rule has raised.
  Ids of_rule(const std::string& rule) {
    const auto found = raised_.find(rule);
    return found == raised_.end() ? Ids{} : found->second;
  }
  Ids of_dashboard(std::string_view text) const {
    tui::FleetFilter fleet_filter;
    EXPECT_FALSE(fleet_filter.set(text));
    fleet_filter.evaluate(model_, now);
    Ids ids;
    for (tui::DeviceTable::Row row = 0; row < model_.devices().rows(); ++row) {
      if (fleet_filter.shows(row)) ids.insert(to_text(model_.id_of(row)));
    }
    return ids;
  }

  void take_snapshot() {
    forget();
    receive(8, Join{Role::viewer, "screen", "drover test"});
    receive(8, SnapshotRequest{});
    commit();
    model_.begin_snapshot();
    for (const SnapshotPart& part : told<SnapshotPart>(8)) {
      for (const std::string& bytes : part.messages) {
        const Envelope envelope = decode(bytes).value();
        model_.apply(now, envelope);
        if (const auto* alert = std::get_if<Alert>(&envelope.body)) {
          raised_[alert->rule].insert(alert->subject);
        }
      }
    }
    model_.end_snapshot(now);
  }

 private:
  static std::vector<Replica> compiling() {
    Replica one = replica("t1", 0);
    one.pause = Pause::compiling;
    return {one};
  }
  static InjectFault fault() {
    InjectFault inject;
    inject.target = "h2/4";
    inject.fault = parse_fault("throttle=0.5").value();
    inject.fault.duration = seconds(600);
    return inject;
  }
  void join(std::uint64_t peer, const std::string& host, const std::string& device,
            std::vector<Replica> replicas) {
    receive(peer, Join{Role::agent, host, "drover test"});
    Register said = registration(host, 1, device);
    said.groups[0].power_cap_w = host == "h2" ? 700 : 0;
    said.replicas = std::move(replicas);
    receive(peer, said);
  }
  /// Device h1/2 is in the first sample only, h1/3 in none.
  void sample(bool first) {
    ++sequence_;
    for (const char* host : {"h1", "h2", "t1"}) {
      std::vector<Sample> rows = idle_samples(8);
      rows[0][Metric::temperature] = 86.5;
      rows[0][Metric::throttle] = throttle_sw_thermal_slowdown;
      rows[1][Metric::temperature] = 84;
      rows[1][Metric::power] = 690;
      rows[5][Metric::power] = 600;
      rows[5][Metric::power_cap] = absent;
      rows[6][Metric::utilization] = 0.9;
      rows[6][Metric::running] = 2;
      rows[6][Metric::memory_used] = 60e9;
      if (std::string_view(host) == "h1") {
        rows.erase(rows.begin() + 3);
        if (!first) rows.erase(rows.begin() + 2);
      }
      if (std::string_view(host) != "h1") rows[7][Metric::temperature] = absent;
      receive_samples(host, sequence_, rows);
    }
  }

  std::uint64_t sequence_ = 0;
  tui::Model model_{seconds(1)};
  std::map<std::string, Ids> raised_;
};

TEST(DeviceFields, RulesAndClientsAnswerTheSame) {
  FilteredFleet fleet;
  fleet.take_snapshot();
  std::size_t answered = 0;
  for (std::size_t question = 0; question < std::size(questions); ++question) {
    const std::string_view text = questions[question];
    const Ids rule = fleet.of_rule(name_of(question));
    EXPECT_EQ(fleet.of_dashboard(text), rule) << "dashboard: " << text;
    if (!rule.empty()) ++answered;
  }
  EXPECT_GT(answered, std::size(questions) / 2) << "questions that hold for nothing prove little";
}

TEST(DeviceFields, AnUnsampledDeviceAgesSeparatelyWithUnknownMetrics) {
  FilteredFleet fleet;
  fleet.take_snapshot();
  EXPECT_EQ(fleet.of_dashboard("age > 19s"), Ids{"h1/2"});
  EXPECT_EQ(fleet.of_dashboard("state == unusable & temp == none & util == none"), Ids{"h1/2"});
  EXPECT_EQ(fleet.of_dashboard("state == ok & host == h1 & age > 2s"), Ids{});
}

}  // namespace
}  // namespace drover::commands
