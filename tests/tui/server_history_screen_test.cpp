// Charts that reach back beyond memory, with what a server answers.
#include <gtest/gtest.h>

#include <cmath>

#include "fleet/base/units.h"
#include "tests/tui/golden_screen.h"
#include "tests/tui/sample_fleet.h"

namespace drover::tui {
namespace {

constexpr int memory_s = 150;
constexpr Instant now = SampleFleet::start + std::chrono::seconds(memory_s);

/// A dashboard with two and a half minutes of memory, on which gpu-a/3 is selected.
std::unique_ptr<Dashboard> with_server(SampleFleet& fleet, Size size,
                                       const std::string& view = "device",
                                       const std::string& server = "prometheus:9090") {
  DashboardOptions options;
  options.settings.start.view = view;
  options.device = "gpu-a/3";
  options.history_server = server;
  options.connected_to = "tcp://127.0.0.1:7700";
  auto dashboard = std::make_unique<Dashboard>(options, size, SampleFleet::start);
  feed_snapshot(*dashboard, fleet, SampleFleet::start);
  for (int second = 0; second < memory_s; ++second) {
    for (const Envelope& batch : fleet.samples(second))
      dashboard->receive(SampleFleet::start + std::chrono::seconds(second), publish_peer, batch);
  }
  return dashboard;
}

std::vector<HistoryQuestion> questions_of(Dashboard& dashboard) {
  dashboard.draw(now);
  return take<HistoryQuestion>(dashboard);
}

/// Waves of three hours, from idle to the given greatest values.
HistoryAnswer waves(const HistoryQuestion& question) {
  HistoryAnswer answer{question, {}, {}};
  const auto fill = [&](Metric metric, double least, double most) {
    std::vector<double>& values = answer.values[static_cast<std::size_t>(metric)];
    for (int bin = 0; bin < question.bins; ++bin) {
      const double hours =
          to_seconds((question.begin + bin * question.bin).time_since_epoch()) / 3600;
      const double share = 0.5 + 0.5 * std::sin(hours * 2 * 3.141592653589793 / 3);
      values.push_back(least + share * (most - least));
    }
  };
  fill(Metric::utilization, 0, 1);
  fill(Metric::memory_used, 1e9, 60e9);
  fill(Metric::power, 70, 690);
  fill(Metric::power_cap, 500, 500);
  fill(Metric::temperature, 30, 80);
  fill(Metric::running, 0, 12);
  return answer;
}

/// Zooms out to six hours, and returns what is asked for that.
HistoryQuestion zoom_to_hours(Dashboard& dashboard) {
  for (const HistoryQuestion& question : questions_of(dashboard))
    dashboard.take_history(now, {question, {}, {}});
  for (int i = 0; i < 6; ++i) dashboard.press(now, {"z"});
  const auto questions = questions_of(dashboard);
  EXPECT_EQ(questions.size(), 1U);
  return questions.empty() ? HistoryQuestion{} : questions.front();
}

TEST(ServerHistoryScreen, ChartsBeginWithTheServersValuesAndEndWithMemory) {
  for (const Size size : {Size{80, 24}, Size{120, 40}, Size{200, 60}}) {
    SampleFleet fleet;
    const auto dashboard = with_server(fleet, size);
    const HistoryQuestion question = zoom_to_hours(*dashboard);
    EXPECT_EQ(to_text(question.device), "gpu-a/3");
    EXPECT_GT(question.end(), now);
    EXPECT_LE(question.begin, now - std::chrono::hours(6));
    dashboard->take_history(now, waves(question));
    EXPECT_TRUE(questions_of(*dashboard).empty());
    expect_screen("history-6h-" + std::to_string(size.columns), styled_text(dashboard->draw(now)));
  }
}

TEST(ServerHistoryScreen, AFailureIsALineInThePanelOfTheFirstChart) {
  SampleFleet fleet;
  const auto dashboard = with_server(fleet, {80, 24});
  const HistoryQuestion question = zoom_to_hours(*dashboard);
  EXPECT_NE(dashboard->draw(now).to_text().find("history: waiting for"), std::string::npos);
  dashboard->take_history(now, {question, "cannot connect to it", {}});
  expect_screen("history-failed-80", styled_text(dashboard->draw(now)));
  const Instant later = now + std::chrono::seconds(1);
  dashboard->draw(later);
  const auto again = take<HistoryQuestion>(*dashboard);
  ASSERT_EQ(again.size(), 1U) << "tried again after a second";
  dashboard->take_history(later, waves(again[0]));
  EXPECT_EQ(dashboard->draw(later).to_text().find("history:"), std::string::npos);
}

TEST(ServerHistoryScreen, WhatMemoryHasIsAskedOfNobody) {
  SampleFleet fleet;
  EXPECT_TRUE(questions_of(*with_server(fleet, {80, 24}, "fleet")).empty());
  const auto without = with_server(fleet, {80, 24}, "device", "");
  for (int i = 0; i < 9; ++i) without->press(now, {"z"});
  EXPECT_TRUE(questions_of(*without).empty());
  EXPECT_NE(without->draw(now).to_text().find("last 2 h"), std::string::npos)
      << "as far as memory reaches";
}

TEST(ServerHistoryScreen, TheFastestFleetTimeStaysWithinItsBounds) {
  DashboardOptions options;
  options.settings.start.view = "device";
  options.history_server = "prometheus:9090";
  options.speed = 10'000;
  for (const Size size : {Size{60, 16}, Size{200, 60}, Size{1000, 60}}) {
    SampleFleet fleet;
    Dashboard dashboard(options, size, SampleFleet::start);
    feed_snapshot(dashboard, fleet, SampleFleet::start);
    for (int i = 0; i < 5; ++i) dashboard.press(now, {"z"});
    const auto questions = questions_of(dashboard);
    ASSERT_EQ(questions.size(), 1U);
    EXPECT_LT(questions[0].begin, now);
    EXPECT_GT(questions[0].begin, now - std::chrono::hours(24 * 366 * 120));
    EXPECT_GT(questions[0].end(), now);
  }
}

TEST(ServerHistoryScreen, ZoomsOutToSevenDaysAndDatesTheAxis) {
  SampleFleet fleet;
  const auto dashboard = with_server(fleet, {120, 40});
  for (const char* range : {"last 5 min", "last 10 min", "last 30 min", "last 1 h", "last 2 h",
                            "last 6 h", "last 1 day", "last 7 days", "last 7 days"}) {
    dashboard->press(now, {"z"});
    EXPECT_NE(dashboard->draw(now).to_text().find(range), std::string::npos) << range;
  }
  EXPECT_NE(dashboard->draw(now).to_text().find(" 11-18 "), std::string::npos)
      << dashboard->draw(now).to_text();
  dashboard->press(now, {"6"});
  EXPECT_NE(dashboard->draw(now).to_text().find("last 2 h"), std::string::npos)
      << "the power view has the spans of memory";
}

int curves_asked_for(Dashboard& dashboard) {
  int count = 0;
  for (const Send& send : take<Send>(dashboard)) {
    count += std::holds_alternative<HistoryRequest>(send.envelope.body);
  }
  return count;
}

TEST(OlderCurves, AreAskedForOnceTheFleetIsKnownAndAgainWhenTheAnswerMayBeLost) {
  SampleFleet fleet;
  DashboardOptions options;
  options.router_keeps_history = true;
  Dashboard dashboard(options, {80, 24}, SampleFleet::start);
  EXPECT_EQ(curves_asked_for(dashboard), 0);
  feed_snapshot(dashboard, fleet, SampleFleet::start);
  EXPECT_EQ(curves_asked_for(dashboard), 1);
  dashboard.tick(now);
  EXPECT_EQ(curves_asked_for(dashboard), 0);
  dashboard.set_connected(now, false);
  dashboard.set_connected(now, true);
  dashboard.tick(now);
  EXPECT_EQ(curves_asked_for(dashboard), 1);
  dashboard.receive(now, router_peer, {"router", 1, now, HistoryReply{}});
  dashboard.set_connected(now, false);
  dashboard.set_connected(now, true);
  dashboard.tick(now);
  EXPECT_EQ(curves_asked_for(dashboard), 0) << "they have come";
}

TEST(OlderCurves, OfADeviceAreAskedForThoughNoServerIsNamed) {
  SampleFleet fleet;
  DashboardOptions options;
  options.settings.start.view = "device";
  options.device = "gpu-a/3";
  options.router_keeps_history = true;
  Dashboard dashboard(options, {120, 40}, SampleFleet::start);
  feed_snapshot(dashboard, fleet, SampleFleet::start);
  for (int i = 0; i < 3; ++i) dashboard.press(now, {"z"});  // beyond what memory has
  const auto questions = questions_of(dashboard);
  ASSERT_EQ(questions.size(), 1u);
  EXPECT_EQ(questions.front().device, (DeviceId{"gpu-a", 3}));
}

}  // namespace
}  // namespace drover::tui
