// The page of what is different from the marked moment.
#include <gtest/gtest.h>

#include "tests/tui/golden_screen.h"
#include "tests/tui/sample_fleet.h"
#include "tui/history/in_memory_timeline.h"
#include "tui/keymap.h"

namespace drover::tui {
namespace {

using std::chrono::seconds;
constexpr Instant marked_at = SampleFleet::after_40s;
constexpr Instant changed_at = marked_at + seconds(20);

/// What happens to the fleet between the two moments.
std::vector<Envelope> happenings_between(SampleFleet& fleet) {
  std::vector<Envelope> all;
  for (int second = 41; second <= 60; ++second) {
    for (const Envelope& batch : fleet.samples(second)) all.push_back(batch);
  }
  HostChanged back = fleet.hosts[4];
  back.health = Health::ok;
  HostChanged lost = fleet.hosts[2];
  lost.health = Health::lost;
  Summary sums = fleet.summary;
  sums.accepted += 120;
  sums.finished += 97;
  sums.failed += 3;
  sums.failures[Reason::memory] += 3;
  sums.fallbacks[Reason::capacity] += 12;
  sums.queued += 4;
  sums.running -= 2;
  sums.fleet_cost_usd += 0.46;
  sums.fleet_energy_j += 170'000;
  sums.pools[2].usable -= 7;
  sums.pools[2].power_w -= 1'400;
  sums.pools[2].spend_usd_per_h -= 9.60;
  Alert raised{"host_lost", "tpu-a", Severity::critical, true, changed_at, "lost"};
  Alert cleared = fleet.alerts.front();
  cleared.raised = false;
  for (const Message& body : std::vector<Message>{back, lost, sums, raised, cleared}) {
    all.push_back(fleet.published(body, changed_at));
  }
  return all;
}

std::string page_text(Dashboard& dashboard, Instant now) { return dashboard.draw(now).to_text(); }

/// A dashboard that was marked before all of that, and shows the changes after it.
std::unique_ptr<Dashboard> changed_fleet(SampleFleet& fleet, Size size, bool ascii = false) {
  auto dashboard = dashboard_of(fleet, size, "fleet", ascii);
  dashboard->press(marked_at, {"m"});
  for (const Envelope& envelope : happenings_between(fleet)) {
    dashboard->receive(std::max(marked_at, envelope.at), publish_peer, envelope);
  }
  dashboard->press(changed_at, {"M"});
  return dashboard;
}

TEST(Changes, LookAsReviewed) {
  for (const Size size : {Size{80, 24}, Size{120, 40}, Size{200, 60}}) {
    SampleFleet fleet;
    expect_screen("changes-" + std::to_string(size.columns),
                  styled_text(changed_fleet(fleet, size)->draw(changed_at)));
  }
  SampleFleet fleet;
  expect_screen("changes-ascii",
                styled_text(changed_fleet(fleet, {120, 40}, true)->draw(changed_at)));
}

TEST(Changes, WithoutAMarkTheKeyMarksAndTheCommandSaysHow) {
  SampleFleet fleet;
  const auto dashboard = dashboard_of(fleet, {120, 40}, "fleet");
  const auto type = [&](const std::string& line) {
    dashboard->press(marked_at, {":"});
    for (const char letter : line) dashboard->press(marked_at, {std::string(1, letter)});
    dashboard->press(marked_at, {"Enter"});
  };
  type("changes");
  EXPECT_NE(page_text(*dashboard, marked_at).find("no moment is marked"), std::string::npos);
  dashboard->press(marked_at, {"Esc"});
  dashboard->press(marked_at, {"M"});
  EXPECT_NE(page_text(*dashboard, marked_at).find("marked 02:38:41"), std::string::npos);
  type("changes");
  EXPECT_NE(page_text(*dashboard, marked_at)
                .find("this is the marked moment: [ ] and @ go to another one to compare"),
            std::string::npos)
      << page_text(*dashboard, marked_at);
  for (const char* key : {"[", "]", "@"}) {
    EXPECT_NE(binding_of({key}, ViewId::device), nullptr) << key;
  }
  dashboard->press(marked_at, {"["});
  EXPECT_NE(page_text(*dashboard, marked_at).find("the marked moment is the later one"),
            std::string::npos)
      << page_text(*dashboard, marked_at);
}

TEST(Changes, EscAndTheSameKeyGoBackToWhereTheyWereOpened) {
  for (const char* key : {"Esc", "M"}) {
    SampleFleet fleet;
    const auto dashboard = changed_fleet(fleet, {120, 40});
    EXPECT_NE(page_text(*dashboard, changed_at).find("Changes from"), std::string::npos);
    dashboard->press(changed_at, {key});
    EXPECT_NE(page_text(*dashboard, changed_at).find("Devices by"), std::string::npos) << key;
  }
}

TEST(Changes, AnEarlierMomentIsComparedTheOtherWayRound) {
  SampleFleet fleet;
  const auto dashboard = changed_fleet(fleet, {120, 40});
  for (const char* key : {"Space", "m", "["}) dashboard->press(changed_at, {key});
  for (int i = 0; i < 30; ++i) dashboard->press(changed_at, {"["});
  const std::string text = page_text(*dashboard, changed_at);
  EXPECT_NE(text.find("Changes from 02:38:30 to 02:39:01, 31s"), std::string::npos) << text;
  EXPECT_NE(text.find("the marked moment is the later one"), std::string::npos) << text;
  EXPECT_NE(text.find("+97"), std::string::npos) << text;
}

TEST(Changes, AreCopiedAsLinesAndAsRows) {
  SampleFleet fleet;
  const auto dashboard = changed_fleet(fleet, {80, 24});
  dashboard->draw(changed_at);
  dashboard->press(changed_at, {"y"});
  const auto copied = take<CopyText>(*dashboard);
  ASSERT_EQ(copied.size(), 1U);
  EXPECT_NE(copied[0].text.find("Hosts and devices: host lost 1 tpu-a"), std::string::npos)
      << copied[0].text;
  dashboard->press(changed_at, {"Y"});
  const auto rows = take<CopyRows>(*dashboard);
  ASSERT_EQ(rows.size(), 1U);
  EXPECT_EQ(rows[0].rows.rows.front().size(), rows[0].rows.names.size());
}

TEST(Changes, EverySizeIsDrawnSafely) {
  SampleFleet fleet;
  const auto dashboard = changed_fleet(fleet, {120, 40});
  for (int columns = 1; columns <= 210; columns += columns < 40 ? 3 : 17) {
    for (int rows = 1; rows <= 60; rows += rows < 26 ? 2 : 11) {
      dashboard->resize(changed_at, {columns, rows});
      expect_whole_rows(dashboard->draw(changed_at));
    }
  }
}

}  // namespace
}  // namespace drover::tui
