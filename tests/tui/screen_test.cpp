// What a person sees, as text with a style layer under each row. Run with DROVER_REWRITE=1 to write
// the screens anew, and review the difference.
#include <gtest/gtest.h>

#include "tests/tui/golden_screen.h"
#include "tests/tui/sample_fleet.h"
#include "tui/history/in_memory_timeline.h"
#include "tui/state/view_id.h"

namespace drover::tui {
namespace {

struct Scenario {
  const char* name;
  const char* view;
  std::vector<const char*> keys;
  bool ascii = false;
  int seconds = 40;  // of samples
};

void press_all(Dashboard& dashboard, const std::vector<const char*>& keys,
               Instant now = SampleFleet::after_40s) {
  for (const char* key : keys) dashboard.press(now, {key});
}

void expect_screens(const Scenario& scenario, const std::vector<Size>& sizes) {
  for (const Size size : sizes) {
    SampleFleet fleet;
    const auto dashboard =
        dashboard_of(fleet, size, scenario.view, scenario.ascii, scenario.seconds);
    const Instant now = SampleFleet::start + std::chrono::seconds(scenario.seconds);
    press_all(*dashboard, scenario.keys, now);
    expect_screen(std::string(scenario.name) + "-" + std::to_string(size.columns),
                  styled_text(dashboard->draw(now)));
  }
}

const std::vector<Size> all_sizes = {{80, 24}, {120, 40}, {200, 60}};

TEST(Screen, EveryViewMatchesItsReference) {
  for (const Scenario& scenario : std::vector<Scenario>{
           {"fleet", "fleet", {}},
           {"devices", "devices", {}},
           {"device", "devices", {"j", "j", "j", "j", "j", "j", "j", "j", "Enter"}, false, 150},
           {"jobs", "jobs", {}},
           {"routing", "routing", {}},
           {"power", "power", {}, false, 150},
           {"events", "events", {}},
           {"telemetry", "telemetry", {}},
           {"users", "users", {"j"}},
           {"help", "help", {}},
       }) {
    expect_screens(scenario, all_sizes);
  }
}

TEST(Screen, WhatKeysOpenAndChangeMatchesTheReference) {
  for (const Scenario& scenario : std::vector<Scenario>{
           {"fleet-temperature", "fleet", {"c", "c", "c", "c", "l", "j"}},
           {"fleet-by-pool", "fleet", {"b", "b", "l"}},
           {"fleet-by-state", "fleet", {"b", "b", "b", "b", "c"}},
           {"devices-sorted", "devices", {"s", "s", "j", "j"}},
           {"device-end",
            "devices",
            {"j", "j", "j", "j", "j", "j", "j", "j", "Enter", "G"},
            false,
            150},
           {"device-lost", "devices", {"j", "Enter"}},
           {"device-figure",
            "devices",
            {"j", "j", "j", "j", "j", "j", "j", "j", "Enter", "l", "l", "l", "Enter"}},
           {"device-limit", "devices", {"j", "j", "j", "j", "j", "Enter", "h", "h", "h", "h"}},
           {"jobs-waiting-open", "jobs", {"f", "f", "j", "Enter"}},
           {"routing-open", "routing", {"j", "j", "Enter"}},
           {"fleet-filtered", "fleet", {"/", "k", "i", "n", "d", "=", "=", "t", "p", "u", "Enter"}},
           {"filter-wrong", "devices", {"/", "t", "e", "m", "p", ">", "h", "o", "t", "Enter"}},
           {"events-rules", "events", {"f", "f", "f", "g", "j", "j", "j"}},
           {"events-alert", "events", {"g", "j"}},
           {"command-offers", "devices", {":", "d", "Tab"}},
       }) {
    expect_screens(scenario, {{80, 24}, {120, 40}});
  }
}

TEST(Screen, DetailsOfAFigureOnAWideScreenMatchTheReference) {
  const std::vector<const char*> keys = {"j", "j",     "j", "j", "j", "j",    "j",
                                         "j", "Enter", "l", "l", "l", "Enter"};
  expect_screens({"device-figure", "devices", keys}, {{200, 60}});
}

TEST(Screen, ALostRouterIsReportedAndValuesFade) {
  SampleFleet fleet;
  const auto dashboard = dashboard_of(fleet, {80, 24}, "devices");
  dashboard->set_connected(SampleFleet::after_40s, false);
  expect_screen("devices-router-lost-80",
                styled_text(dashboard->draw(SampleFleet::after_40s + std::chrono::seconds(12))));
}

TEST(Screen, ReportsARefusedKeyUntilTheRouterAcceptsIt) {
  SampleFleet fleet;
  const std::string why = "the router no longer accepts the key eve";
  for (const Size size : {Size{80, 24}, Size{120, 40}}) {
    const auto dashboard = dashboard_of(fleet, size, "devices");
    dashboard->set_connected(SampleFleet::after_40s, false);
    // The reason may come after the silence.
    dashboard->set_connected(SampleFleet::after_40s, false, why);
    const std::string told =
        dashboard->draw(SampleFleet::after_40s + std::chrono::seconds(12)).to_text();
    EXPECT_NE(told.find(why), std::string::npos) << told;
    EXPECT_EQ(told.find("router lost"), std::string::npos) << told;
    dashboard->set_connected(SampleFleet::after_40s, true);
    EXPECT_EQ(dashboard->draw(SampleFleet::after_40s).to_text().find(why), std::string::npos);
  }
}

/// The second row of a screen on which the router lets this key in no more.
std::string revoked_banner(SampleFleet& fleet, Size size, const std::string& key,
                           const std::vector<const char*>& keys = {}) {
  const auto dashboard = dashboard_of(fleet, size, "devices");
  press_all(*dashboard, keys);
  dashboard->set_connected(SampleFleet::after_40s, false,
                           "the router no longer accepts the key " + key);
  const std::string text =
      dashboard->draw(SampleFleet::after_40s + std::chrono::minutes(12)).to_text();
  const std::size_t begin = text.find('\n') + 1;
  return text.substr(begin, text.find('\n', begin) - begin);
}

TEST(Screen, TheRevokedKeyBannerNamesKeyTimeAndRouterAtAnyWidth) {
  SampleFleet fleet;
  const auto has = [](const std::string& banner, const std::string& part) {
    return banner.find(part) != std::string::npos;
  };
  for (const std::string key : {"eve", "alice", "gpu-operations-1"}) {
    for (const int columns : {80, 100, 120, 160}) {
      const std::string banner = revoked_banner(fleet, {columns, 40}, key);
      EXPECT_TRUE(has(banner, "no longer accepts the key " + key)) << banner;
      EXPECT_TRUE(has(banner, "12m")) << banner;
      EXPECT_TRUE(has(banner, "127.0.0.1:7700")) << banner;
    }
  }
  EXPECT_TRUE(has(revoked_banner(fleet, {160, 40}, "eve"), "showing the last known state"));
  const std::string filtered = revoked_banner(
      fleet, {80, 24}, "alice", {"/", "k", "i", "n", "d", "=", "=", "g", "p", "u", "Enter"});
  EXPECT_TRUE(has(filtered, "alice (12m")) << filtered;
  EXPECT_TRUE(has(filtered, "127.0.0.1:7700")) << "the filter is cut instead: " << filtered;
}

TEST(Screen, TheBannerSaysThatThePastIsShown) {
  SampleFleet fleet;
  const auto dashboard = dashboard_of(fleet, {80, 24}, "fleet");
  press_all(*dashboard, {"Space", "[", "["});
  expect_screen("fleet-paused-80",
                styled_text(dashboard->draw(SampleFleet::after_40s + std::chrono::seconds(9))));
}

TEST(Screen, AReplayLooksLikeTheLiveFleetWithABanner) {
  SampleFleet fleet;
  InMemoryTimeline recording(SampleFleet::start, std::chrono::seconds(1));
  for (const Envelope& reported : fleet.state()) recording.add(SampleFleet::start, reported);
  for (int second = 0; second < 40; ++second) {
    for (const Envelope& batch : fleet.samples(second)) recording.add(batch.at, batch);
  }
  DashboardOptions options;
  options.settings.start.view = "device";
  options.device = "gpu-a/0";
  options.replay = {&recording, "yesterday.mcap", 4, SampleFleet::start + std::chrono::seconds(30),
                    true};
  Dashboard dashboard(options, {80, 24}, SampleFleet::start);
  dashboard.tick(SampleFleet::start);
  expect_screen("device-replay-80", styled_text(dashboard.draw(SampleFleet::start)));
}

TEST(Screen, ShowsTheStoryCaptionAboveTheHints) {
  SampleFleet fleet;
  const auto dashboard = dashboard_of(fleet, {120, 40}, "power");
  const Caption caption{"The site cap falls to 9 kW: work waits for power_cap", "6", 7, 9, false};
  dashboard->receive(SampleFleet::after_40s, publish_peer,
                     fleet.published(caption, SampleFleet::after_40s));
  expect_screen("power-caption-120", styled_text(dashboard->draw(SampleFleet::after_40s)));
}

TEST(Screen, AnEmptyFleetSaysWhatItWaitsFor) {
  Dashboard dashboard({}, {80, 24}, SampleFleet::start);
  EXPECT_NE(dashboard.draw(SampleFleet::start).to_text().find("waiting for the router's snapshot"),
            std::string::npos);
}

TEST(Screen, AMomentBeforeAnyHostSaysSoInsteadOfWaiting) {
  InMemoryTimeline recording(SampleFleet::start, std::chrono::seconds(1));
  DashboardOptions options;
  options.replay = {&recording, "empty.mcap", 1, SampleFleet::start, true};
  Dashboard replay(options, {80, 24}, SampleFleet::start);
  const std::string text = replay.draw(SampleFleet::start).to_text();
  EXPECT_NE(text.find("no hosts yet at this moment"), std::string::npos) << text;
  EXPECT_EQ(text.find("waiting for"), std::string::npos) << text;
}

TEST(Screen, ADeviceThatIsNotYetKnownIsNamed) {
  const Instant start = SampleFleet::start;
  InMemoryTimeline recording(start, std::chrono::seconds(1));
  const std::vector<Envelope> hosts = plain_hosts(2, 4);
  recording.add(start, hosts[0]);
  recording.add(start + std::chrono::seconds(10), hosts[1]);
  DashboardOptions options;
  options.settings.start.view = "devices";
  options.replay = {&recording, "two.mcap", 1, start + std::chrono::seconds(10), true};
  Dashboard replay(options, {80, 24}, start);
  replay.draw(start);
  press_all(replay, {"G", "Enter"}, start);
  EXPECT_NE(replay.draw(start).to_text().find("Device host-0001/3"), std::string::npos);
  press_all(replay, {"["}, start);
  const std::string text = replay.draw(start).to_text();
  EXPECT_NE(text.find("host-0001/3 is not in the fleet at 02:38:10 UTC"), std::string::npos)
      << text;
  EXPECT_EQ(text.find("no device is selected"), std::string::npos) << text;
}

TEST(Screen, APeakThatIsNoLongerShownSetsNoScale) {
  const Instant start = SampleFleet::start;
  InMemoryTimeline recording(start, std::chrono::seconds(1));
  recording.add(start, plain_hosts(1, 1).front());
  for (int second = 1; second <= 400; ++second) {
    Sample sample;
    sample[Metric::running] = second == 100 ? 900 : 3;
    recording.add(start + std::chrono::seconds(second),
                  {"host-0000", static_cast<std::uint64_t>(second), start,
                   pack("host-0000", std::vector<Sample>{sample})});
  }
  const auto shown = [&](int second) {
    DashboardOptions options;
    options.settings.start.view = "device";
    options.replay = {&recording, "peak.mcap", 1, start + std::chrono::seconds(second), true};
    return Dashboard(options, {120, 40}, start).draw(start).to_text();
  };
  EXPECT_NE(shown(200).find("1.00k┤"), std::string::npos) << shown(200);
  EXPECT_EQ(shown(400).find("1.00k┤"), std::string::npos) << shown(400);
}

TEST(Screen, ShowsMemoryTemperatureAndThrottleTimeWhereTheBoardReportsThem) {
  const Instant start = SampleFleet::start;
  const auto shown = [&](bool tells) {
    InMemoryTimeline recording(start, std::chrono::seconds(1));
    recording.add(start, plain_hosts(1, 1).front());
    Sample sample;
    sample[Metric::temperature] = 61;
    if (tells) {
      sample[Metric::memory_temperature] = 74;
      sample[Metric::power_violation] = 125;
      sample[Metric::thermal_violation] = 0;
    }
    const Instant at = start + std::chrono::seconds(1);
    recording.add(at, {"host-0000", 1, at, pack("host-0000", std::vector<Sample>{sample})});
    DashboardOptions options;
    options.settings.start.view = "device";
    options.replay = {&recording, "heat.mcap", 1, at, true};
    return Dashboard(options, {120, 40}, start).draw(at).to_text();
  };
  EXPECT_NE(shown(true).find("memory (line) ─── 61C, 74C"), std::string::npos) << shown(true);
  EXPECT_NE(shown(true).find("throttle reasons, total: power cap 2m"), std::string::npos)
      << shown(true);
  EXPECT_NE(shown(false).find("throttles at 87C"), std::string::npos) << shown(false);
  EXPECT_EQ(shown(false).find("total: power cap"), std::string::npos) << shown(false);
}

TEST(Screen, AsciiModeShowsOnlyAscii) {
  for (const std::string& view : view_names()) {
    SampleFleet fleet;
    const auto dashboard = dashboard_of(fleet, {200, 60}, view, true);
    press_all(*dashboard, {"j", "Enter"});
    for (const char character : dashboard->draw(SampleFleet::after_40s).to_text()) {
      ASSERT_TRUE(character == '\n' || (character >= 0x20 && character < 0x7F)) << "in " << view;
    }
  }
}

TEST(Screen, SaysWhenTheTerminalIsTooSmall) {
  SampleFleet fleet;
  const auto dashboard = dashboard_of(fleet, {40, 2}, "fleet");
  EXPECT_NE(
      dashboard->draw(SampleFleet::after_40s).to_text().find("40x2 is too small: 20x3 needed"),
      std::string::npos);
}

TEST(Screen, TheTooSmallMessageWrapsAtWholeWords) {
  SampleFleet fleet;
  const auto dashboard = dashboard_of(fleet, {18, 8}, "fleet");
  const std::string text = dashboard->draw(SampleFleet::after_40s).to_text();
  EXPECT_NE(text.find("18x8 is too small:\n20x3 needed\n"), std::string::npos) << text;
}

TEST(Screen, TheShownPartsOfAScoreAddUpToTheScore) {
  SampleFleet fleet;
  const auto dashboard = dashboard_of(fleet, {80, 60}, "routing");
  press_all(*dashboard, {"j", "Enter"});
  const std::string text = dashboard->draw(SampleFleet::after_40s).to_text();
  double weighted = 0, weights = 0;
  std::size_t at = 0;
  for (const char* part : {"queue", "latency", "cost", "energy"}) {
    at = text.find(std::string(part) + " ", at);
    ASSERT_NE(at, std::string::npos) << part << "\n" << text;
    double value = 0, weight = 0;
    ASSERT_EQ(std::sscanf(text.c_str() + at, "%*s %lf x%lf", &value, &weight), 2) << text;
    weighted += value * weight;
    weights += weight;
  }
  EXPECT_NEAR(weighted / weights, fleet.decisions.back().top.front().score, 0.0001) << text;
}

}  // namespace
}  // namespace drover::tui
