// The events view: what is raised and who cares, the rules by which it is, and where a line leads.
#include <gtest/gtest.h>

#include "tests/tui/golden_screen.h"
#include "tests/tui/sample_fleet.h"
#include "tui/dashboard.h"

namespace drover::tui {
namespace {

using std::chrono::seconds;

struct WatchedEvents {
  explicit WatchedEvents(const std::string& bell = "off", Size size = {120, 40}) {
    DashboardOptions options;
    options.settings.start.view = "events";
    options.settings.bell = bell;
    options.control = true;
    dashboard = std::make_unique<Dashboard>(options, size, SampleFleet::start);
    feed_snapshot(*dashboard, fleet, SampleFleet::start);
    for (const Envelope& batch : fleet.samples(1)) {
      dashboard->receive(SampleFleet::start, publish_peer, batch);
    }
    dashboard->take_effects();
    dashboard->draw(SampleFleet::after_3s);
  }
  void press(const std::vector<std::string>& keys) {
    for (const std::string& key : keys) dashboard->press(SampleFleet::after_3s, {key});
  }
  void hear(const Alert& alert) {
    dashboard->receive(SampleFleet::after_3s, publish_peer,
                       fleet.published(alert, SampleFleet::after_3s));
  }
  std::string text() { return dashboard->draw(SampleFleet::after_3s).to_text(); }
  bool shows(const std::string& words) { return text().find(words) != std::string::npos; }

  SampleFleet fleet;
  std::unique_ptr<Dashboard> dashboard;
};

Alert raised(const std::string& rule, const std::string& subject, Severity severity) {
  return {rule, subject, severity, true, SampleFleet::after_3s, "close to its limit"};
}

TEST(EventsView, UnacknowledgedAlertsComeFirstAndAreCountedInTheTitle) {
  WatchedEvents fleet;
  const std::string text = fleet.text();
  EXPECT_NE(text.find("3 alerts: edge-1 is lost"), std::string::npos) << text;
  EXPECT_NE(text.find("Alerts 4"), std::string::npos);
  EXPECT_NE(text.find("1 acknowledged"), std::string::npos);
  const auto lost = text.find("host_lost: no heartbeat"), hot = text.find("hot: close to thermal");
  const auto seen = text.find("(acknowledged by ann@desk)");
  EXPECT_LT(lost, hot);
  EXPECT_LT(hot, seen);
  EXPECT_NE(seen, std::string::npos);
}

TEST(EventsView, TheSelectedAlertShowsItsRuleAndAcknowledgement) {
  WatchedEvents fleet;
  fleet.press({"g", "j"});
  const std::string text = fleet.text();
  EXPECT_NE(text.find("Alert hot of gpu-a/6"), std::string::npos) << text;
  EXPECT_NE(text.find("headroom < 3C, for 30s"), std::string::npos) << text;
  EXPECT_NE(text.find("headroom > 6C, for 10s"), std::string::npos) << text;
  EXPECT_NE(text.find("not acknowledged (key a)"), std::string::npos) << text;
}

TEST(EventsView, AnAcknowledgedAlertStaysSelectedAndIsNotCountedInTheTitle) {
  WatchedEvents fleet;
  fleet.press({"g", "j"});
  Alert alert = fleet.fleet.alerts[2];
  ASSERT_EQ(alert.rule, "hot");
  alert.acknowledged_by = "bob@desk";
  alert.acknowledged_at = SampleFleet::after_3s;
  fleet.hear(alert);
  EXPECT_TRUE(fleet.shows("Alert hot of gpu-a/6")) << fleet.text();
  EXPECT_TRUE(fleet.shows("acknowledged by bob@desk at 02:38:04"));
  EXPECT_TRUE(fleet.shows("hot: acknowledged by bob@desk")) << "as an event";
  EXPECT_TRUE(fleet.shows("2 alerts: edge-1 is lost"));
}

TEST(EventsView, AKeyCyclesThroughAlertsEventsAndRules) {
  WatchedEvents fleet;
  EXPECT_TRUE(fleet.shows("Events"));
  fleet.press({"f"});
  EXPECT_TRUE(fleet.shows("Alerts 4"));
  EXPECT_FALSE(fleet.shows("newest first"));
  fleet.press({"f"});
  EXPECT_FALSE(fleet.shows("Alerts 4"));
  EXPECT_TRUE(fleet.shows("newest first"));
  fleet.press({"f"});
  EXPECT_TRUE(fleet.shows("Rules 6"));
  EXPECT_TRUE(fleet.shows("headroom < 3C  clear: headroom > 6C")) << fleet.text();
  fleet.press({"f"});
  EXPECT_TRUE(fleet.shows("Alerts 4"));
  EXPECT_TRUE(fleet.shows("newest first"));
}

TEST(EventsView, AHeadingHasAnEntryBelowIt) {
  for (int rows = 16; rows <= 40; ++rows) {
    SampleFleet fleet;
    const auto dashboard = dashboard_of(fleet, {80, rows}, "events");
    const std::string text = dashboard->draw(SampleFleet::after_40s).to_text();
    const std::size_t heading = text.find("newest first");
    if (heading == std::string::npos) continue;
    const std::size_t below = text.find('\n', heading) + 1;
    EXPECT_EQ(text.substr(below, 4), " 02:") << rows << "\n" << text;
  }
}

TEST(EventsView, OpeningARuleShowsTheDevicesThatItMatches) {
  WatchedEvents fleet;
  fleet.press({"f", "f", "f", "g", "j", "j", "j", "Enter"});
  EXPECT_TRUE(fleet.shows("filter headroom < 3C")) << fleet.text();
  EXPECT_TRUE(fleet.shows("RACK")) << "the table of devices";
}

TEST(EventsView, OpeningARuleWithoutAFilterOnlyExplainsWhy) {
  WatchedEvents fleet;
  fleet.press({"f", "f", "f", "g", "Enter"});
  EXPECT_TRUE(fleet.shows("Rules 6"));
  EXPECT_TRUE(fleet.shows("no filter can list the devices of this rule")) << fleet.text();
}

TEST(EventsView, AnAlertWithoutARuleSaysItIsNotInThePolicy) {
  WatchedEvents fleet;
  fleet.hear(raised("of_a_newer_router", "gpu-b", Severity::critical));
  EXPECT_TRUE(fleet.shows("of_a_newer_router"));
  fleet.press({"g"});
  EXPECT_TRUE(fleet.shows("Alert of_a_newer_router of gpu-b")) << fleet.text();
  EXPECT_TRUE(fleet.shows("not in the current policy"));
}

Event lost_slice(int device) {
  return {Severity::critical, "tpu-b/" + std::to_string(device), "unusable: TPU slice lost"};
}

TEST(EventsView, EnterOpensAGroupAndGoesFromAnEntryToItsDevice) {
  WatchedEvents fleet;
  for (int device = 0; device < 8; ++device) {
    fleet.dashboard->receive(SampleFleet::after_3s, publish_peer,
                             fleet.fleet.published(lost_slice(device), SampleFleet::after_3s));
  }
  EXPECT_TRUE(fleet.shows("tpu-b/0-7               unusable: TPU slice lost (8)")) << fleet.text();
  EXPECT_FALSE(fleet.shows("tpu-b/4"));
  fleet.press({"f", "f", "g", "Enter"});
  EXPECT_TRUE(fleet.shows("tpu-b/4               unusable: TPU slice lost")) << fleet.text();
  fleet.press({"Enter"});
  EXPECT_FALSE(fleet.shows("tpu-b/4")) << "closed again";
  fleet.press({"Enter", "j", "j", "Enter"});
  EXPECT_TRUE(fleet.shows(" tpu-b/6 ")) << fleet.text();
  EXPECT_FALSE(fleet.shows("(8)")) << "the device view";
}

TEST(EventsView, AnOpenGroupMatchesTheReference) {
  for (const Size size : {Size{80, 24}, Size{120, 40}}) {
    WatchedEvents fleet("off", size);
    for (int device = 0; device < 8; ++device) {
      fleet.dashboard->receive(SampleFleet::after_3s, publish_peer,
                               fleet.fleet.published(lost_slice(device), SampleFleet::after_3s));
    }
    fleet.text();
    fleet.press({"f", "f", "g", "Enter"});
    expect_screen(fmt::format("events-grouped-{}", size.columns),
                  styled_text(fleet.dashboard->draw(SampleFleet::after_3s)));
  }
}

TEST(EventsView, AKeyAcknowledgesAllAlertsOfAGroup) {
  WatchedEvents fleet;
  for (const char* device : {"gpu-b/1", "gpu-b/2"}) {
    fleet.hear(raised("melting", device, Severity::critical));
  }
  fleet.text();
  fleet.press({"g", "a"});
  EXPECT_TRUE(fleet.shows("Acknowledge melting of gpu-b/1, melting of gpu-b/2")) << fleet.text();
}

TEST(EventsView, ALongTextContinuesOnTheNextLineBelowItself) {
  WatchedEvents fleet("off", {80, 24});
  const std::string text = fleet.text();
  const auto first = text.find("demo: power cap 9kW, refused (no such pool; did");
  ASSERT_NE(first, std::string::npos) << text;
  const auto line = text.rfind('\n', first);
  const auto next = text.find('\n', first);
  const auto rest = text.find("mean hopper?)", next);
  ASSERT_NE(rest, std::string::npos) << text;
  EXPECT_LT(rest - next, 60u) << "on the next line";
  EXPECT_GE(first - line, rest - next - 10) << "below the text";
}

TEST(EventsView, TheSelectedEventShowsItsWholeTextAndHowTheFleetWas) {
  WatchedEvents fleet("off", {60, 24});
  fleet.press({"f", "f", "g"});
  const std::string text = fleet.text();
  EXPECT_NE(text.find("Event of edge-1"), std::string::npos) << text;
  EXPECT_NE(text.find("text        host lost; 2 jobs go back to the queue"), std::string::npos)
      << text;
  EXPECT_NE(text.find("fleet then  running 16"), std::string::npos) << text;
  EXPECT_NE(text.find("fleet now   load "), std::string::npos) << text;
}

TEST(EventsView, AStripCountsTheEntriesOfEachKindWhereTheListLeavesRoom) {
  WatchedEvents fleet;
  EXPECT_TRUE(fleet.shows("Log over the last ")) << fleet.text();
  const std::string text = fleet.text();
  const auto count_of = [&](const std::string& kind) {
    const auto line = text.find("\n " + kind);
    const std::string row = text.substr(line + 1, text.find('\n', line + 1) - line - 1);
    return row.substr(row.rfind(' ') + 1);
  };
  EXPECT_EQ(count_of("alerts"), "3");
  EXPECT_EQ(count_of("cleared"), "-");
  EXPECT_EQ(count_of("actions"), "3");
  EXPECT_FALSE(WatchedEvents("off", {80, 24}).shows("Log over the last"));
}

TEST(EventsView, AKeyActsOnTheLinesOfTheLastFrame) {
  WatchedEvents fleet;
  fleet.hear(raised("hotter", "gpu-b", Severity::critical));
  fleet.press({"g"});
  EXPECT_TRUE(fleet.shows("Alert host_lost of edge-1")) << "which was on top when g was pressed";
  fleet.press({"g"});
  EXPECT_TRUE(fleet.shows("Alert hotter of gpu-b")) << "which is on top now";
}

TEST(Bell, RingsForNewAlertsThatAreSevereEnough) {
  struct Case {
    const char* bell;
    Severity severity;
    bool rings;
  };
  for (const Case& c : std::vector<Case>{{"off", Severity::critical, false},
                                         {"critical", Severity::critical, true},
                                         {"critical", Severity::warning, false},
                                         {"warning", Severity::critical, true},
                                         {"warning", Severity::warning, true},
                                         {"warning", Severity::info, false},
                                         {"info", Severity::info, true}}) {
    WatchedEvents fleet(c.bell);
    EXPECT_FALSE(takes<RingBell>(*fleet.dashboard)) << "what a snapshot tells was raised before";
    fleet.hear(raised("hot", "gpu-b/1", c.severity));
    EXPECT_EQ(takes<RingBell>(*fleet.dashboard), c.rings) << c.bell << " " << to_text(c.severity);
    EXPECT_FALSE(takes<RingBell>(*fleet.dashboard)) << "once";
  }
}

TEST(Bell, IsSilentForAlreadyRaisedAcknowledgedOrClearedAlerts) {
  WatchedEvents fleet("info");
  Alert alert = raised("hot", "gpu-b/1", Severity::critical);
  fleet.hear(alert);
  EXPECT_TRUE(takes<RingBell>(*fleet.dashboard));
  alert.text = "hotter";
  fleet.hear(alert);
  EXPECT_FALSE(takes<RingBell>(*fleet.dashboard));
  alert.acknowledged_by = "ann@desk";
  fleet.hear(alert);
  EXPECT_FALSE(takes<RingBell>(*fleet.dashboard));
  alert.raised = false;
  fleet.hear(alert);
  EXPECT_FALSE(takes<RingBell>(*fleet.dashboard));
  alert.raised = true;
  alert.acknowledged_by.clear();
  fleet.hear(alert);
  EXPECT_TRUE(takes<RingBell>(*fleet.dashboard)) << "raised anew";
}

}  // namespace
}  // namespace drover::tui
