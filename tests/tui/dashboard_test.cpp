// Messages and keys in; requests, choices and frames out.
#include "tui/dashboard.h"

#include <map>
#include <sstream>

#include <gtest/gtest.h>

#include "fleet/codec.h"
#include "tests/tui/sample_fleet.h"
#include "tui/feed.h"
#include "tui/keymap.h"
#include "tui/update.h"

namespace drover::tui {
namespace {

using std::chrono::seconds;
constexpr Instant start = SampleFleet::start;

int requests_in(Dashboard& dashboard) {
  int requests = 0;
  for (const Send& send : dashboard.take_outbox().sends) {
    EXPECT_EQ(send.to, router_peer);
    if (std::holds_alternative<SnapshotRequest>(send.envelope.body)) ++requests;
  }
  return requests;
}

void feed_snapshot(Dashboard& dashboard, SampleFleet& fleet, Instant now) {
  for (const Envelope& part : fleet.snapshot()) dashboard.receive(now, router_peer, part);
}

TEST(Feed, AsksForASnapshotAtTheStartAndAgainWhenNoneComes) {
  Dashboard dashboard({}, {80, 24}, start);
  EXPECT_EQ(requests_in(dashboard), 1);
  dashboard.tick(start + seconds(1));
  EXPECT_EQ(requests_in(dashboard), 0);
  dashboard.tick(start + seconds(6));
  EXPECT_EQ(requests_in(dashboard), 1);
}

TEST(Feed, AGapAsksForASnapshotOnceAWallSecondAtMost) {
  SampleFleet fleet;
  Dashboard dashboard({}, {80, 24}, start);
  feed_snapshot(dashboard, fleet, start);
  dashboard.receive(start + seconds(2), publish_peer, fleet.published(fleet.summary));
  EXPECT_EQ(requests_in(dashboard), 1) << "the first one, and none without a gap";
  (void)fleet.published(fleet.summary);  // lost on the way
  dashboard.receive(start + seconds(3), publish_peer, fleet.published(fleet.summary));
  EXPECT_EQ(requests_in(dashboard), 1);
  feed_snapshot(dashboard, fleet, start + seconds(3));
  dashboard.receive(start + seconds(3), publish_peer, fleet.published(fleet.summary));
  (void)fleet.published(fleet.summary);
  dashboard.receive(start + seconds(3), publish_peer, fleet.published(fleet.summary));
  EXPECT_EQ(requests_in(dashboard), 0) << "within the same second";
  dashboard.tick(start + seconds(4));
  EXPECT_EQ(requests_in(dashboard), 1);
}

TEST(Feed, NewsBehindTheSnapshotsPlaceSurvivesIt) {
  SampleFleet fleet;
  Model model{seconds(1)};
  Feed feed{seconds(1)};
  ASSERT_TRUE(feed.take_request(start));
  const std::vector<Envelope> parts = fleet.snapshot();
  JobChanged job = fleet.jobs[0];
  job.progress = 0.99;
  feed.receive(start, publish_peer, fleet.published(job), model);
  for (const Envelope& part : parts) feed.receive(start, router_peer, part, model);
  EXPECT_TRUE(feed.has_snapshot());
  EXPECT_DOUBLE_EQ(model.jobs().at(job.job.id).said.progress, 0.99);
}

TEST(Feed, OldNewsThatArrivesAfterTheSnapshotIsDropped) {
  SampleFleet fleet;
  Model model{seconds(1)};
  Feed feed{seconds(1)};
  ASSERT_TRUE(feed.take_request(start));
  JobChanged old = fleet.jobs[0];
  old.progress = 0.01;
  const Envelope late = fleet.published(old);
  for (const Envelope& part : fleet.snapshot()) feed.receive(start, router_peer, part, model);
  feed.receive(start, publish_peer, late, model);
  EXPECT_DOUBLE_EQ(model.jobs().at(old.job.id).said.progress, 0.62);
  EXPECT_EQ(feed.gaps(), 0u);
}

TEST(Feed, WhatASnapshotDoesNotNameIsGone) {
  SampleFleet fleet;
  Model model{seconds(1)};
  Feed feed{seconds(1)};
  ASSERT_TRUE(feed.take_request(start));
  for (const Envelope& part : fleet.snapshot()) feed.receive(start, router_peer, part, model);
  ASSERT_EQ(model.hosts().size(), 5u);
  const JobId gone = fleet.jobs[0].job.id;
  fleet.hosts.erase(fleet.hosts.begin() + 1);
  fleet.jobs.erase(fleet.jobs.begin());
  feed.want_snapshot();
  ASSERT_TRUE(feed.take_request(start + seconds(1)));
  for (const Envelope& part : fleet.snapshot()) feed.receive(start, router_peer, part, model);
  EXPECT_EQ(model.hosts().size(), 4u);
  EXPECT_FALSE(model.find({"gpu-b", 0}));
  ASSERT_TRUE(model.find({"tpu-a", 3}));
  EXPECT_EQ(model.id_of(*model.find({"tpu-a", 3})), (DeviceId{"tpu-a", 3}));
  EXPECT_FALSE(model.jobs().contains(gone));
}

TEST(Feed, ARestartedRouterIsAskedAnew) {
  SampleFleet fleet;
  Dashboard dashboard({}, {80, 24}, start);
  feed_snapshot(dashboard, fleet, start);
  dashboard.receive(start, publish_peer, fleet.published(fleet.summary));
  (void)dashboard.take_outbox();
  Envelope first = fleet.published(fleet.summary);
  first.sequence = 1;
  dashboard.receive(start + seconds(3), publish_peer, first);
  EXPECT_EQ(requests_in(dashboard), 1);
}

TEST(Model, CountsMissingSampleBatchesPerHost) {
  SampleFleet fleet;
  Model model{seconds(1)};
  for (const Envelope& envelope : fleet.state()) model.apply(start, envelope);
  for (int second = 0; second < 6; ++second) {
    for (const Envelope& batch : fleet.samples(second)) {
      const bool lost = batch.sender == "gpu-b" && (second == 2 || second == 3);
      if (!lost) model.apply(start + seconds(second), batch);
    }
  }
  for (const HostRow& host : model.hosts()) {
    EXPECT_EQ(host.gaps, host.said.hello.host == "gpu-b" ? 2u : 0u) << host.said.hello.host;
  }
}

TEST(Model, MissingValuesAreShownAsADashAndNeverAsZero) {
  SampleFleet fleet;
  const auto dashboard = dashboard_of(fleet, {120, 60}, "devices");
  const std::string text = dashboard->draw(start + seconds(40)).to_text();
  const std::size_t row = text.find("tpu-b/5");  // whose power no sample has told
  ASSERT_NE(row, std::string::npos);
  const std::string line = text.substr(row, text.find('\n', row) - row);
  EXPECT_NE(line.find(" - "), std::string::npos) << line;
  EXPECT_EQ(line.find(" 0/"), std::string::npos) << line;
}

TEST(Dashboard, IsSettledWithASnapshotAndASampleOfEveryHostThatLives) {
  SampleFleet fleet;
  Dashboard dashboard({}, {80, 24}, start);
  EXPECT_FALSE(dashboard.settled());
  feed_snapshot(dashboard, fleet, start);
  EXPECT_FALSE(dashboard.settled());
  for (const Envelope& batch : fleet.samples(0)) dashboard.receive(start, publish_peer, batch);
  EXPECT_TRUE(dashboard.settled()) << "the lost host is not waited for";
}

TEST(Dashboard, DrawsNewsAtThePaceOfFramesAndKeysAtOnce) {
  SampleFleet fleet;
  const auto dashboard = dashboard_of(fleet, {80, 24}, "fleet");
  const Instant drawn = start + seconds(39);
  EXPECT_FALSE(dashboard->needs_frame());
  dashboard->receive(drawn + std::chrono::milliseconds(10), publish_peer,
                     fleet.published(fleet.summary));
  EXPECT_FALSE(dashboard->needs_frame());
  EXPECT_EQ(dashboard->next_deadline(), drawn + std::chrono::milliseconds(250));
  dashboard->tick(drawn + std::chrono::milliseconds(250));
  EXPECT_TRUE(dashboard->needs_frame());
  dashboard->draw(drawn + std::chrono::milliseconds(250));
  EXPECT_FALSE(dashboard->needs_frame());
  dashboard->press(drawn + std::chrono::milliseconds(251), {"Tab"});
  EXPECT_TRUE(dashboard->needs_frame());
}

TEST(Keys, EachBindingIsReachableAndNoKeyMeansTwoThings) {
  for (int number = 0; number < view_count; ++number) {
    const auto view = static_cast<View>(number);
    std::map<std::string, int> uses;
    for (const Binding& binding : bindings()) {
      if (!works_in(binding, view)) continue;
      std::string keys(binding.keys);
      std::stringstream words(keys);
      for (std::string key; words >> key;) {
        EXPECT_EQ(++uses[key], 1) << key << " in view " << number;
        EXPECT_EQ(command_of({key}, view), binding.command);
      }
    }
  }
  EXPECT_FALSE(command_of({"Z"}, View::fleet));
}

TEST(Keys, LeadToViewsAndOut) {
  struct Case {
    std::vector<const char*> keys;
    const char* shown;  // somewhere on the screen
  };
  const std::vector<Case> cases = {
      {{"2"}, "36 devices"},
      {{"Tab"}, "36 devices"},
      {{"Shift-Tab"}, "Reasons"},
      {{"3"}, "Waiting for"},
      {{"4"}, "Flow: wanted pool"},
      {{"?"}, "Keys"},
      {{"?", "Esc"}, "Devices by utilization"},
      {{"c"}, "Devices by memory"},
      {{"c", "c", "c", "c"}, "Devices by utilization"},
      {{"l", "l", "Enter"}, "Device gpu-a/1"},
      {{"l", "Enter", "Esc"}, "Devices by utilization"},
      {{"2", "s"}, "by RACK"},
      {{"2", "<"}, "greatest first"},
      {{"2", "r"}, "by DEVICE, greatest first"},
      {{"2", "j", "j", "Enter"}, "Device gpu-a/1"},
      {{"3", "f"}, "showing running"},
      {{"3", "j", "Enter"}, "submitted"},
      {{"4", "j", "Enter"}, "CANDIDATES"},
      {{"4", "j", "Enter", "Esc"}, "Flow: wanted pool"},
  };
  for (const Case& c : cases) {
    SampleFleet fleet;
    const auto dashboard = dashboard_of(fleet, {120, 60}, "fleet", false, 3);
    std::string path;
    for (const char* key : c.keys) {
      dashboard->press(start + seconds(3), {key});
      path += std::string(key) + " ";
    }
    EXPECT_NE(dashboard->draw(start + seconds(3)).to_text().find(c.shown), std::string::npos)
        << path << "should show " << c.shown;
    EXPECT_FALSE(dashboard->quit()) << path;
  }
  for (const char* key : {"q", "Ctrl-C"}) {
    Dashboard dashboard({}, {80, 24}, start);
    dashboard.press(start, {key});
    EXPECT_TRUE(dashboard.quit()) << key;
  }
}

TEST(Keys, EscNeverLeavesTheProgram) {
  for (const std::string& view : view_names()) {
    DashboardOptions options;
    options.view = view;
    Dashboard dashboard(options, {80, 24}, start);
    for (int i = 0; i < 5; ++i) dashboard.press(start, {"Esc"});
    EXPECT_FALSE(dashboard.quit());
  }
}

TEST(Keys, DetailsLongerThanTheirPanelScrollAndStartAnewForAnotherThing) {
  SampleFleet fleet;
  const auto dashboard = dashboard_of(fleet, {80, 18}, "routing", false, 2);
  const auto press = [&](const char* key) { dashboard->press(start + seconds(2), {key}); };
  const auto shows = [&](const char* text) {
    return dashboard->draw(start + seconds(2)).to_text().find(text) != std::string::npos;
  };
  press("j");
  press("Enter");
  ASSERT_TRUE(shows("J K scroll")) << dashboard->draw(start + seconds(2)).to_text();
  EXPECT_TRUE(shows("attempt"));
  for (int i = 0; i < 40; ++i) press("J");
  EXPECT_FALSE(shows("attempt"));
  EXPECT_TRUE(shows("J K scroll, end"));
  press("K");
  EXPECT_TRUE(shows("1 more below")) << "presses beyond the end are not counted";
  press("j");
  EXPECT_TRUE(shows("attempt"));
}

TEST(Jobs, RunningOnesAreShownAsFarAsTheyShouldBeAndLateWhenTheyAreNot) {
  SampleFleet fleet;
  JobChanged job = fleet.jobs[0];
  job.job.work.kind = WorkKind::serve;
  job.state = JobState::running;
  job.reason.reset();
  job.progress = 0;
  job.since = start + seconds(10);
  job.remaining_s = 20;
  struct Case {
    int after_s;
    const char* progress;
    const char* time;
  };
  for (const Case& c : {Case{15, "25%", "15s"}, {25, "75%", "5.0s"}, {37, "late", "+7.0s"}}) {
    SampleFleet one;
    one.jobs = {job};
    const auto dashboard = dashboard_of(one, {120, 40}, "jobs", false, 2);
    const std::string text = dashboard->draw(start + seconds(c.after_s)).to_text();
    const std::size_t at = text.find(to_short_text(job.job.id));
    ASSERT_NE(at, std::string::npos) << text;
    const std::string line = text.substr(at, text.find('\n', at) - at);
    EXPECT_NE(line.find(c.progress), std::string::npos) << line;
    EXPECT_NE(line.find(c.time), std::string::npos) << line;
  }
}

TEST(Fleet, AHostsMeanLoadIsThatOfTheDevicesThatTellIt) {
  SampleFleet fleet;
  const auto dashboard = dashboard_of(fleet, {160, 50}, "fleet", false, 2);
  std::vector<Sample> rows(8);
  for (std::size_t i = 0; i < rows.size(); ++i) {
    rows[i].device = static_cast<std::uint16_t>(i);
    if (i > 0) rows[i][Metric::utilization] = 0.5;
  }
  const Instant now = start + seconds(3);
  dashboard->receive(now, publish_peer, {"gpu-a", 1'000, now, pack("gpu-a", rows)});
  const std::string text = dashboard->draw(now).to_text();
  EXPECT_NE(text.find("mean  50%"), std::string::npos) << text;
}

TEST(Selection, StaysWithItsDeviceAndItsScreenRowWhenTheOrderMoves) {
  Model model{seconds(1)};
  for (const Envelope& host : plain_hosts(20, 8)) model.apply(start, host);
  for (const Envelope& batch : plain_samples(20, 8, 1)) model.apply(start, batch);
  Choices choices;
  choices.view = View::devices;
  choices.sort_column = 3;  // utilization
  choices.descending = true;
  sort_devices(model, choices, start, seconds(1));
  const auto settle = [&] {
    choices.devices.settle(selected_index(model, choices), static_cast<int>(choices.order.size()),
                           20);
  };
  settle();
  for (int i = 0; i < 60; ++i) {
    update(model, choices, Command::down, start);
    settle();
  }
  const DeviceId chosen = *choices.device;
  const int row = choices.devices.row;
  const int before = selected_index(model, choices);
  for (const Envelope& batch : plain_samples(20, 8, 2)) model.apply(start + seconds(1), batch);
  sort_devices(model, choices, start + seconds(1), seconds(1));
  EXPECT_EQ(selected_index(model, choices), before) << "no new order while a person moves";
  sort_devices(model, choices, start + seconds(10), seconds(1));
  settle();
  EXPECT_EQ(*choices.device, chosen);
  const int after = selected_index(model, choices);
  EXPECT_NE(after, before);
  if (after > row && after < 160 - 20) {
    EXPECT_EQ(choices.devices.row, row);
  }
}

TEST(Selection, OfADecisionStaysWhileNewOnesArrive) {
  SampleFleet fleet;
  const auto dashboard = dashboard_of(fleet, {120, 40}, "routing", false, 2);
  for (const char* key : {"j", "j", "j", "Enter"}) dashboard->press(start + seconds(2), {key});
  const std::string shown = "Decision 58 on";
  EXPECT_NE(dashboard->draw(start + seconds(2)).to_text().find(shown), std::string::npos);
  for (std::uint64_t number = 61; number < 70; ++number) {
    Decision decision = fleet.decisions[3];
    decision.number = number;
    dashboard->receive(start + seconds(3), publish_peer, fleet.published(decision));
  }
  EXPECT_NE(dashboard->draw(start + seconds(3)).to_text().find(shown), std::string::npos);
}

TEST(ListPlace, ScrollsNoMoreThanNeeded) {
  struct Case {
    int top, row, selected, items, rows, expected_top;
  };
  const std::vector<Case> cases = {
      {0, -1, 3, 50, 10, 0},                               // in sight: nothing moves
      {0, -1, 10, 50, 10, 1},                              // one below the end
      {20, -1, 19, 50, 10, 19}, {20, 5, 30, 50, 10, 25},   // the item moved: its screen row holds
      {20, 5, 2, 50, 10, 0},    {45, -1, -1, 50, 10, 40},  // never beyond the end
      {3, -1, -1, 2, 10, 0},    {0, -1, 0, 1, 0, 0},
  };
  for (const Case& c : cases) {
    ListPlace place{.top = c.top, .row = c.row};
    place.settle(c.selected, c.items, c.rows);
    EXPECT_EQ(place.top, c.expected_top) << c.top << " " << c.row << " " << c.selected;
  }
}

}  // namespace
}  // namespace drover::tui
