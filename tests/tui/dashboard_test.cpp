// Messages and keys in; requests, choices and frames out.
#include "tui/dashboard.h"

#include <map>
#include <sstream>

#include <gtest/gtest.h>

#include "tests/tui/sample_fleet.h"
#include "tui/history/in_memory_timeline.h"
#include "tui/keymap.h"
#include "tui/state/playback_cursor.h"
#include "tui/views/views.h"

namespace drover::tui {
namespace {

using std::chrono::seconds;

TEST(Dashboard, HasSyncedAfterASnapshotAndASampleFromEveryLiveHost) {
  SampleFleet fleet;
  Dashboard dashboard({}, {80, 24}, SampleFleet::start);
  EXPECT_FALSE(dashboard.has_synced());
  feed_snapshot(dashboard, fleet, SampleFleet::start);
  EXPECT_FALSE(dashboard.has_synced());
  for (const Envelope& batch : fleet.samples(0))
    dashboard.receive(SampleFleet::start, publish_peer, batch);
  EXPECT_TRUE(dashboard.has_synced()) << "the lost host is not waited for";
}

TEST(Dashboard, DrawsUpdatesAtTheFrameRateAndKeysAtOnce) {
  SampleFleet fleet;
  const auto dashboard = dashboard_of(fleet, {80, 24}, "fleet");
  const Instant drawn = SampleFleet::start + seconds(39);
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

TEST(Dashboard, LaysOutOnceForAKeyBetweenTwoFrames) {
  for (const std::string& view : view_names()) {
    SampleFleet fleet;
    const auto dashboard = dashboard_of(fleet, {120, 40}, view);
    const Instant now = SampleFleet::start + seconds(39);
    const std::uint64_t before = dashboard->layouts();
    // New values do not move the rows that the user sees before the next frame does.
    dashboard->receive(now, publish_peer, fleet.published(fleet.summary));
    dashboard->press(now, {"j"});
    dashboard->draw(now);
    EXPECT_EQ(dashboard->layouts(), before + 1) << view;
    for (const char* key : {"j", "k", "Tab"}) dashboard->press(now, {key});
    dashboard->draw(now);
    EXPECT_EQ(dashboard->layouts(), before + 4) << view << ": each key acts on the one before";
  }
}

TEST(Keys, EachBindingIsReachableAndNoKeyHasTwoMeanings) {
  for (int number = 0; number < view_count; ++number) {
    const auto view = static_cast<ViewId>(number);
    std::map<std::string, int> uses;
    for (const Binding& binding : bindings()) {
      if (!works_in(binding, view)) continue;
      std::string keys(binding.keys);
      std::stringstream words(keys);
      for (std::string key; words >> key;) {
        EXPECT_EQ(++uses[key], 1) << key << " in view " << number;
        EXPECT_EQ(binding_of({key}, view), &binding);
      }
    }
  }
  EXPECT_EQ(binding_of({"Z"}, ViewId::jobs), nullptr);
}

TEST(Keys, SwitchViewsAndQuit) {
  struct Case {
    std::vector<const char*> keys;
    const char* shown;  // somewhere on the screen
  };
  const std::vector<Case> cases = {
      {{"2"}, "36 devices"},
      {{"Tab"}, "36 devices"},
      {{"Shift-Tab"}, "all keys, commands"},
      {{"7"}, "Alerts 4"},
      {{"8"}, "This dashboard"},
      {{"3"}, "Device edge-1/0"},
      {{"4"}, "Waiting for"},
      {{"5"}, "Placements: preferred pool"},
      {{"6"}, "Power"},
      {{"?"}, "fleet: The whole fleet"},
      {{"?", "?"}, "pressed again, this list"},
      {{"?", "?", "Esc"}, "Devices by utilization"},
      {{"?", "Esc"}, "Devices by utilization"},
      {{"c"}, "Devices by MFU"},
      {{"c", "C"}, "Devices by utilization"},
      {{"C"}, "Devices by age of data"},
      {{"C", "c"}, "Devices by utilization"},
      {{"b"}, "Devices per rack by utilization"},
      {{"b", "b", "b", "b", "b"}, "Devices by utilization"},
      {{"l", "l", "Enter"}, "Device gpu-a/1"},
      {{"l", "Enter", "Esc"}, "Devices by utilization"},
      {{"l", "Enter", "?", "Esc", "Esc"}, "Devices by utilization"},
      {{"2", "j", "Enter", "j"}, "Device edge-1/1"},
      {{"2", "j", "Enter", "Esc"}, "36 devices"},
      {{"2", "s"}, "by RACK"},
      {{"2", "<"}, "descending"},
      {{"2", "r"}, "by DEVICE, descending"},
      {{"2", "j", "j", "Enter"}, "Device edge-1/1"},
      {{"4", "f"}, "showing running"},
      {{"4", "j", "Enter"}, "submitted"},
      {{"5", "j", "Enter"}, "CANDIDATES"},
      {{"5", "j", "Enter", "Esc"}, "Placements: preferred pool"},
  };
  for (const Case& c : cases) {
    SampleFleet fleet;
    const auto dashboard = dashboard_of(fleet, {120, 60}, "fleet", false, 3);
    std::string path;
    for (const char* key : c.keys) {
      dashboard->press(SampleFleet::start + seconds(3), {key});
      path += std::string(key) + " ";
    }
    EXPECT_NE(dashboard->draw(SampleFleet::start + seconds(3)).to_text().find(c.shown),
              std::string::npos)
        << path << "should show " << c.shown;
    EXPECT_FALSE(takes<Quit>(*dashboard)) << path;
  }
  for (const char* key : {"q", "Ctrl-C"}) {
    Dashboard dashboard({}, {80, 24}, SampleFleet::start);
    dashboard.press(SampleFleet::start, {key});
    EXPECT_TRUE(takes<Quit>(dashboard)) << key;
  }
}

TEST(Keys, ScrollLongPagesByScreensAndToTheEnds) {
  for (const char* view : {"device", "power"}) {
    SampleFleet fleet;
    const auto dashboard = dashboard_of(fleet, {80, 24}, view, false, 3);
    const auto frame = [&] { return dashboard->draw(SampleFleet::start + seconds(3)).to_text(); };
    const auto press = [&](const char* key) {
      dashboard->press(SampleFleet::start + seconds(3), {key});
    };
    const std::string top = frame();
    press("PgDn");
    const std::string second = frame();
    press("PgUp");
    EXPECT_EQ(frame(), top) << view;
    // A line or two of the screen before stay in sight, to read on from.
    for (int row = 0; row < 18; ++row) press("J");
    int steps = 18;
    for (; frame() != second && steps < 24; ++steps) press("J");
    EXPECT_LT(steps, 22) << view << "\n" << second;
    press("G");
    const std::string end = frame();
    EXPECT_NE(end, top) << view;
    press("PgDn");
    EXPECT_EQ(frame(), end) << view;
    press("g");
    EXPECT_EQ(frame(), top) << view;
  }
}

TEST(Keys, ThatDoNothingHereAreNotListedOrSayWhy) {
  EXPECT_EQ(binding_of({"c"}, ViewId::power), nullptr);
  SampleFleet fleet;
  const auto dashboard = dashboard_of(fleet, {80, 24}, "fleet", false, 3);
  dashboard->press(SampleFleet::start + seconds(3), {"p"});
  EXPECT_FALSE(takes<ToggleStory>(*dashboard));
  EXPECT_NE(dashboard->draw(SampleFleet::start + seconds(3)).to_text().find("no story to pause"),
            std::string::npos);
  dashboard->press(SampleFleet::start + seconds(3), {"2"});
  EXPECT_EQ(dashboard->draw(SampleFleet::start + seconds(3)).to_text().find("no story to pause"),
            std::string::npos);
}

TEST(Keys, HintsAlwaysShowQuitAndHelp) {
  for (const std::string& view : view_names()) {
    DashboardOptions options;
    options.settings.start.view = view;
    options.speed = 60;  // which is told beside the clock, where there is room
    Dashboard dashboard(options, {60, 16}, SampleFleet::start);
    const std::string text = dashboard.draw(SampleFleet::start).to_text();
    EXPECT_NE(text.find("q quit"), std::string::npos) << text;
    EXPECT_NE(text.find(view == "help" ? "? all keys" : "? help"), std::string::npos) << text;
    EXPECT_NE(text.find(" 60x"), std::string::npos) << "no clock of the day: " << text;
  }
}

TEST(Keys, ATruncatedHelpPageSaysSoAndScrollsThroughAllLines) {
  DashboardOptions options;
  options.settings.start.view = "help";
  Dashboard dashboard(options, {80, 24}, SampleFleet::start);
  std::string seen;
  int pages = 1;
  for (;; ++pages) {
    const std::string text = dashboard.draw(SampleFleet::start).to_text();
    seen += text;
    if (text.find("lines below") == std::string::npos) break;
    ASSERT_LT(pages, 10) << text;
    dashboard.press(SampleFleet::start, {"Space"});
  }
  EXPECT_GT(pages, 1);
  for (const HelpLine& line : help_lines()) {
    EXPECT_NE(seen.find(line.key), std::string::npos) << line.key;
  }
}

TEST(Keys, FindTheNextAndPreviousMatchingLineWithWraparound) {
  struct Case {
    const char* view;
    const char* word;
    std::vector<const char*> keys;
    const char* shown;
  };
  const std::vector<Case> cases = {
      {"devices", "TPU-B/", {"Enter"}, "Device tpu-b/0"},
      {"devices", "tpu-b/", {"n", "n", "Enter"}, "Device tpu-b/2"},
      {"devices", "tpu-b/", {"N", "Enter"}, "Device tpu-b/7"},
      {"fleet", "gpu-b/3", {"Enter"}, "Device gpu-b/3"},
      {"help", "cooldown", {}, "cooldown"},
      {"devices", "nowhere", {}, "nothing here contains 'nowhere'"},
      {"events", "refused", {}, "refused"},
  };
  for (const Case& c : cases) {
    SampleFleet fleet;
    const auto dashboard = dashboard_of(fleet, {100, 24}, c.view, false, 3);
    const auto press = [&](const std::string& key) {
      dashboard->press(SampleFleet::start + seconds(3), {key});
    };
    press("n");  // asks what for
    for (const char letter : std::string(c.word)) press(std::string(1, letter));
    press("Enter");
    for (const char* key : c.keys) press(key);
    const std::string text = dashboard->draw(SampleFleet::start + seconds(3)).to_text();
    EXPECT_NE(text.find(c.shown), std::string::npos) << c.view << " " << c.word << "\n" << text;
  }
}

TEST(Keys, ZoomShowsMoreTimeAndSaysHowMuch) {
  SampleFleet fleet;
  const auto dashboard = dashboard_of(fleet, {120, 60}, "device", false, 150);
  const Instant now = SampleFleet::start + seconds(150);
  const auto frame = [&] { return dashboard->draw(now).to_text(); };
  const std::string first = frame();
  EXPECT_NE(first.find("last 2 min"), std::string::npos) << first;
  dashboard->press(now, {"z"});
  EXPECT_NE(frame().find("last 5 min"), std::string::npos) << frame();
  EXPECT_NE(frame().find(" -2m "), std::string::npos) << "an axis of minutes\n" << frame();
  for (int i = 0; i < 9; ++i) dashboard->press(now, {"z"});
  EXPECT_NE(frame().find("last 2 h"), std::string::npos);
  for (int i = 0; i < 5; ++i) dashboard->press(now, {"Z"});
  EXPECT_EQ(frame(), first);
}

TEST(Keys, TheSpanOfChartsFollowsTheDataUntilItIsChosen) {
  for (const char* view : {"fleet", "device", "power"}) {
    SampleFleet fleet;
    const auto dashboard = dashboard_of(fleet, {120, 60}, view, false, 60);
    const auto shows = [&](int second, const char* span) {
      const std::string text = dashboard->draw(SampleFleet::start + seconds(second)).to_text();
      EXPECT_NE(text.find(span), std::string::npos) << view << " at " << second << "\n" << text;
    };
    const auto hear_until = [&](int from, int end) {
      for (int second = from; second < end; ++second) {
        for (const Envelope& batch : fleet.samples(second)) {
          dashboard->receive(SampleFleet::start + seconds(second), publish_peer, batch);
        }
      }
    };
    shows(60, "last 1 min");
    hear_until(60, 170);
    shows(170, "last 2 min");
    hear_until(170, 400);
    shows(400, "last 5 min");
    dashboard->press(SampleFleet::start + seconds(400), {"Z"});
    shows(400, "last 2 min");
    hear_until(400, 500);
    shows(500, "last 2 min");
  }
}

TEST(Keys, TheSpanOfChartsInThePastIsThatOfTheDataUpToThere) {
  SampleFleet fleet;
  const auto dashboard = dashboard_of(fleet, {120, 60}, "power", false, 400);
  const Instant now = SampleFleet::start + seconds(400);
  const auto press = [&](const std::string& key) { dashboard->press(now, {key}); };
  press("@");
  for (const char letter : std::string("-300s")) press(std::string(1, letter));
  press("Enter");
  const std::string text = dashboard->draw(now).to_text();
  EXPECT_NE(text.find("last 2 min"), std::string::npos) << text;
}

TEST(Keys, EscNeverQuitsTheProgram) {
  for (const std::string& view : view_names()) {
    DashboardOptions options;
    options.settings.start.view = view;
    Dashboard dashboard(options, {80, 24}, SampleFleet::start);
    for (int i = 0; i < 5; ++i) dashboard.press(SampleFleet::start, {"Esc"});
    EXPECT_FALSE(takes<Quit>(dashboard));
  }
}

TEST(Keys, DoNoHarmOnATerminalThatIsTooSmallWhileTheFleetShrinks) {
  for (const std::string& view : view_names()) {
    SampleFleet fleet;
    const auto dashboard = dashboard_of(fleet, {120, 40}, view, false, 2);
    const Instant now = SampleFleet::start + seconds(2);
    dashboard->press(now, {"G"});
    dashboard->draw(now);
    dashboard->resize(now, {19, 2});
    dashboard->set_connected(now, false);
    dashboard->set_connected(now, true);
    fleet.hosts.resize(1);
    feed_snapshot(*dashboard, fleet, now);
    for (const char* key : {"j", "G", "k", "PgDn", "Enter", "l", "s", "J", "Esc", "f", "["}) {
      dashboard->press(now, {key});
      dashboard->draw(now);
    }
    dashboard->resize(now, {120, 40});
    for (const char* key : {"L", "2", "j"}) dashboard->press(now, {key});
    EXPECT_NE(dashboard->draw(now).to_text().find(" 8 devices"), std::string::npos)
        << dashboard->draw(now).to_text();
  }
}

TEST(Keys, OpenNoTimePromptOnATooSmallTerminal) {
  SampleFleet fleet;
  const auto dashboard = dashboard_of(fleet, {15, 2}, "fleet", false, 2);
  dashboard->press(SampleFleet::start + seconds(2), {"@"});
  dashboard->resize(SampleFleet::start + seconds(2), {80, 24});
  const auto prompts = [&] {
    return dashboard->draw(SampleFleet::start + seconds(2)).to_text().find("Go to:") !=
           std::string::npos;
  };
  EXPECT_FALSE(prompts());
  dashboard->press(SampleFleet::start + seconds(2), {"@"});
  EXPECT_TRUE(prompts());
  dashboard->resize(SampleFleet::start + seconds(2), {15, 2});
  dashboard->press(SampleFleet::start + seconds(2), {"q"});
  EXPECT_TRUE(takes<Quit>(*dashboard));
}

TEST(Keys, LongDetailsScrollAndStartAtTheTopForAnotherItem) {
  SampleFleet fleet;
  const auto dashboard = dashboard_of(fleet, {80, 18}, "routing", false, 2);
  const auto press = [&](const char* key) {
    dashboard->press(SampleFleet::start + seconds(2), {key});
  };
  const auto shows = [&](const char* text) {
    return dashboard->draw(SampleFleet::start + seconds(2)).to_text().find(text) !=
           std::string::npos;
  };
  press("j");
  press("Enter");
  ASSERT_TRUE(shows("J K scroll")) << dashboard->draw(SampleFleet::start + seconds(2)).to_text();
  EXPECT_TRUE(shows("attempt"));
  for (int i = 0; i < 40; ++i) press("J");
  EXPECT_FALSE(shows("attempt"));
  EXPECT_TRUE(shows("J K scroll, end"));
  press("K");
  EXPECT_TRUE(shows("1 more below")) << "presses beyond the end are not counted";
  press("j");
  EXPECT_TRUE(shows("attempt"));
}

/// The lowest row of a view that holds anything; below it are the hints.
std::string last_row(const Canvas& canvas) {
  for (int row = canvas.size().rows - 2; row > 0; --row) {
    std::string text;
    for (int column = 0; column < canvas.size().columns; ++column) {
      text += canvas.at(column, row).text;
    }
    if (text.find_first_not_of(' ') != std::string::npos) return text;
  }
  return {};
}

TEST(Keys, ReachTheEndOfALongPageOnEveryTerminal) {
  const Instant now = SampleFleet::start + seconds(2);
  for (const char* view : {"device", "power"}) {
    for (const int columns : {60, 90, 99, 120}) {
      SampleFleet fleet;
      const auto dashboard = dashboard_of(fleet, {columns, 200}, view, false, 2);
      const std::string end = last_row(dashboard->draw(now));
      for (int rows = 16; rows < 110; rows += 6) {
        dashboard->resize(now, {columns, rows});
        for (const char* key : {"PgDn", "G", "PgDn"}) dashboard->press(now, {key});
        const Canvas& canvas = dashboard->draw(now);
        const std::string text = canvas.to_text();
        EXPECT_EQ(text.find("more below"), std::string::npos) << view << columns << "x" << rows;
        if (std::string(view) == "device") {
          EXPECT_EQ(last_row(canvas), end) << columns << "x" << rows << "\n" << text;
        }
      }
    }
  }
}

TEST(Selection, StaysWithItsDeviceAndItsScreenRowWhenTheOrderMoves) {
  Model model{seconds(1)};
  for (const Envelope& host : plain_hosts(20, 8)) model.apply(SampleFleet::start, host);
  for (const Envelope& batch : plain_samples(20, 8, 1)) model.apply(SampleFleet::start, batch);
  UiState ui;
  const std::unique_ptr<View> view = make_devices_view(ui);
  DeviceList& list = ui.devices;
  list.sort_column = 3;  // utilization
  list.descending = true;
  const auto sort = [&](Instant now) {
    sort_devices(model, ui.fleet_filter, list, now, seconds(1), ui.moved_at);
  };
  sort(SampleFleet::start);
  const auto settle = [&] {
    list.place.scroll_to(view->selected(model), static_cast<int>(list.lines.size()), 20);
  };
  settle();
  const InMemoryTimeline memory(SampleFleet::start, seconds(1), 1'000'000);
  PlaybackCursor cursor(memory, {}, 1, SampleFleet::start);
  for (int i = 0; i < 60; ++i) {
    view->move({model, cursor, SampleFleet::start}, Move::down);
    settle();
  }
  const DeviceId chosen = *ui.device;
  const int row = list.place.row;
  const int before = view->selected(model);
  for (const Envelope& batch : plain_samples(20, 8, 2))
    model.apply(SampleFleet::start + seconds(1), batch);
  sort(SampleFleet::start + seconds(1));
  EXPECT_EQ(view->selected(model), before) << "no new order while a person moves";
  sort(SampleFleet::start + seconds(10));
  settle();
  EXPECT_EQ(*ui.device, chosen);
  const int after = view->selected(model);
  EXPECT_NE(after, before);
  if (after > row && after < 160 - 20) {
    EXPECT_EQ(list.place.row, row);
  }
}

TEST(Selection, OfADecisionStaysWhileNewOnesArrive) {
  SampleFleet fleet;
  const auto dashboard = dashboard_of(fleet, {120, 40}, "routing", false, 2);
  for (const char* key : {"j", "j", "j", "Enter"})
    dashboard->press(SampleFleet::start + seconds(2), {key});
  const std::string shown = "Decision 58 on";
  EXPECT_NE(dashboard->draw(SampleFleet::start + seconds(2)).to_text().find(shown),
            std::string::npos);
  for (std::uint64_t number = 61; number < 70; ++number) {
    Decision decision = fleet.decisions[3];
    decision.number = number;
    dashboard->receive(SampleFleet::start + seconds(3), publish_peer, fleet.published(decision));
  }
  EXPECT_NE(dashboard->draw(SampleFleet::start + seconds(3)).to_text().find(shown),
            std::string::npos);
}

TEST(ListViewport, ScrollsNoMoreThanNeeded) {
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
    ListViewport place{.top = c.top, .row = c.row};
    place.scroll_to(c.selected, c.items, c.rows);
    EXPECT_EQ(place.top, c.expected_top) << c.top << " " << c.row << " " << c.selected;
  }
}

}  // namespace
}  // namespace drover::tui
