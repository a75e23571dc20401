// What a person sees, as text with a style layer under each row. Run with DROVER_REWRITE=1 to write
// the screens anew, and review the difference.
#include <cstdlib>
#include <fstream>
#include <sstream>

#include <gtest/gtest.h>

#include "fleet/text.h"
#include "tests/tui/sample_fleet.h"
#include "tui/terminal.h"

namespace drover::tui {
namespace {

constexpr Instant later = SampleFleet::start + std::chrono::seconds(40);

std::string path_of(const std::string& name) {
  return std::string(DROVER_SOURCE_DIR) + "/tests/tui/screens/" + name + ".txt";
}

void expect_screen(const std::string& name, const Canvas& canvas) {
  const std::string found = canvas.to_styled_text();
  if (std::getenv("DROVER_REWRITE") != nullptr) {
    std::ofstream(path_of(name)) << found;
    return;
  }
  std::ifstream file(path_of(name));
  ASSERT_TRUE(file) << path_of(name) << " is missing; DROVER_REWRITE=1 writes it";
  std::stringstream expected;
  expected << file.rdbuf();
  EXPECT_EQ(expected.str(), found) << "screen " << name;
}

struct Scenario {
  const char* name;
  const char* view;
  std::vector<const char*> keys;
  bool ascii = false;
};

void press_all(Dashboard& dashboard, const std::vector<const char*>& keys) {
  for (const char* key : keys) dashboard.press(later, {key});
}

TEST(Screen, EveryViewIsAsReviewed) {
  const std::vector<Scenario> scenarios = {
      {"fleet", "fleet", {}},
      {"fleet-temperature", "fleet", {"c", "c", "c", "l", "j"}},
      {"devices", "devices", {}},
      {"devices-sorted-open", "devices", {"s", "s", "j", "j", "Enter"}},
      {"jobs", "jobs", {}},
      {"jobs-waiting-open", "jobs", {"f", "f", "j", "Enter"}},
      {"routing", "routing", {}},
      {"routing-open", "routing", {"j", "j", "Enter"}},
      {"help", "help", {}},
      {"fleet-ascii", "fleet", {}, true},
      {"routing-ascii", "routing", {}, true},
  };
  for (const Scenario& scenario : scenarios) {
    for (const Size size : {Size{80, 24}, Size{120, 40}}) {
      SampleFleet fleet;
      const auto dashboard = dashboard_of(fleet, size, scenario.view, scenario.ascii);
      press_all(*dashboard, scenario.keys);
      expect_screen(std::string(scenario.name) + "-" + std::to_string(size.columns),
                    dashboard->draw(later));
    }
  }
}

TEST(Screen, LostRouterIsSaidAndValuesFade) {
  SampleFleet fleet;
  const auto dashboard = dashboard_of(fleet, {80, 24}, "devices");
  dashboard->set_connected(later, false);
  expect_screen("devices-router-lost-80", dashboard->draw(later + std::chrono::seconds(12)));
}

TEST(Screen, AnEmptyFleetSaysWhatItWaitsFor) {
  Dashboard dashboard({}, {80, 24}, SampleFleet::start);
  EXPECT_NE(dashboard.draw(SampleFleet::start).to_text().find("waiting for the router's snapshot"),
            std::string::npos);
}

TEST(Screen, AsciiModeShowsNothingElse) {
  for (const std::string& view : view_names()) {
    SampleFleet fleet;
    const auto dashboard = dashboard_of(fleet, {200, 60}, view, true);
    press_all(*dashboard, {"j", "Enter"});
    for (const char character : dashboard->draw(later).to_text()) {
      ASSERT_TRUE(character == '\n' || (character >= 0x20 && character < 0x7F)) << "in " << view;
    }
  }
}

TEST(Screen, SaysWhenTheTerminalIsTooSmall) {
  SampleFleet fleet;
  const auto dashboard = dashboard_of(fleet, {59, 16}, "fleet");
  EXPECT_NE(dashboard->draw(later).to_text().find("terminal too small: 60x16 needed, 59x16 here"),
            std::string::npos);
}

TEST(Screen, TooSmallIsSaidInWholeWords) {
  SampleFleet fleet;
  const auto dashboard = dashboard_of(fleet, {20, 8}, "fleet");
  const std::string text = dashboard->draw(later).to_text();
  EXPECT_NE(text.find("terminal too small:\n60x16 needed, 20x8\nhere\n"), std::string::npos)
      << text;
}

TEST(Screen, ShownPartsOfAScoreGiveTheScore) {
  SampleFleet fleet;
  const auto dashboard = dashboard_of(fleet, {80, 60}, "routing");
  press_all(*dashboard, {"j", "Enter"});
  const std::string text = dashboard->draw(later).to_text();
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

/// Every row of a frame is as wide as the screen: wide characters count two, nothing runs over.
void expect_whole_rows(const Canvas& canvas) {
  const Size size = canvas.size();
  for (int row = 0; row < size.rows; ++row) {
    int width = 0;
    for (int column = 0; column < size.columns; ++column) {
      const std::string& text = canvas.at(column, row).text;
      width += text.empty() ? 0 : static_cast<int>(column_width(text));
    }
    ASSERT_EQ(width, size.columns) << "row " << row << " of " << size.columns << "x" << size.rows;
  }
}

TEST(Screen, EverySizeIsDrawnWithoutHarm) {
  for (const std::string& view : view_names()) {
    SampleFleet fleet;
    const auto dashboard = dashboard_of(fleet, {80, 24}, view, false, 2);
    press_all(*dashboard, {"j", "Enter"});
    // Every width from the smallest and every height, one against a few of the other; below the
    // smallest only the words "too small" are drawn.
    for (int columns = 1; columns <= 200; ++columns) {
      for (const int rows : {1, 16, 24, 40}) {
        if (columns < 60 && columns > 3 && (rows > 16 || columns % 7 != 0)) continue;
        if (columns > 125 && columns % 4 != 0) continue;
        dashboard->resize(later, {columns, rows});
        ASSERT_NO_FATAL_FAILURE(expect_whole_rows(dashboard->draw(later)));
      }
    }
    for (int rows = 1; rows <= 60; ++rows) {
      for (const int columns : {60, 80, 120, 200}) {
        dashboard->resize(later, {columns, rows});
        ASSERT_NO_FATAL_FAILURE(expect_whole_rows(dashboard->draw(later)));
      }
    }
  }
}

TEST(Screen, HostileTextNeitherActsNorMovesOtherCells) {
  const std::string evil = "\x1b[31m\x1b]0;x\x07\xe2\x80\xae\xff\xf0\x9f\x98\x80漢字\n\r\t";
  SampleFleet fleet;
  fleet.jobs[0].detail = evil;
  fleet.jobs[18].detail = evil;
  fleet.jobs[18].job.work.model = evil;
  fleet.decisions.back().change = evil;
  fleet.decisions.back().rule = evil;
  fleet.events.back().text = evil;
  fleet.replicas[0].pool = "漢字漢字漢字漢字漢字漢字漢字";
  for (const std::string& view : view_names()) {
    const auto dashboard = dashboard_of(fleet, {80, 24}, view, false, 2);
    for (const char* key : {"j", "Enter", "G"}) {
      dashboard->press(later, {key});
      const Canvas& canvas = dashboard->draw(later);
      expect_whole_rows(canvas);
      for (const char character : canvas.to_text()) {
        ASSERT_TRUE(character == '\n' || static_cast<unsigned char>(character) >= 0x20);
      }
      EXPECT_EQ(canvas.to_text().find("\xe2\x80\xae"), std::string::npos);  // right-to-left
    }
  }
}

TEST(Screen, TenThousandDevicesAllStandOnTheMapAndItSaysHow) {
  DashboardOptions options;
  Dashboard dashboard(options, {120, 40}, SampleFleet::start);
  for (const Envelope& host : plain_hosts(1'250, 8)) {
    dashboard.receive(SampleFleet::start, publish_peer, host);
  }
  for (const Envelope& batch : plain_samples(1'250, 8, 1)) {
    dashboard.receive(SampleFleet::start, publish_peer, batch);
  }
  const std::string text = dashboard.draw(SampleFleet::start).to_text();
  EXPECT_NE(text.find("of 10000"), std::string::npos) << text;
  EXPECT_NE(text.find("devices, the hottest shown)"), std::string::npos) << text;
}

}  // namespace
}  // namespace drover::tui
