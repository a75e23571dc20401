// The classes of the policy against their targets: on every screen, in words that hold.
#include <algorithm>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "tests/tui/golden_screen.h"
#include "tests/tui/sample_fleet.h"

namespace drover::tui {
namespace {

TEST(Classes, ShowPercentilesInTheUnitOfTheirMetric) {
  struct Case {
    const char* name;
    ClassMetric metric;
    const char* p50;
    const char* target;
  };
  for (const Case& c : {Case{"a-train", ClassMetric::training_time, "2.5s", "3.0s"},
                        {"a-first", ClassMetric::first_token, "2.5s", "3.0s"},
                        {"a-token", ClassMetric::per_token, "2.5s", "3.0s"},
                        {"a-price", ClassMetric::cost_per_unit, "$2.50", "$3.00"},
                        {"a-joule", ClassMetric::energy_per_unit, "2.50J", "3.00J"}}) {
    SampleFleet fleet;
    fleet.summary.classes = {{c.name, c.metric, 3, 7, {10, 2.5, 3.5, 4.5, 5.5}}};
    const auto dashboard = dashboard_of(fleet, {108, 40}, "jobs", false, 2);
    const std::string line = line_with(dashboard->draw(SampleFleet::after_2s).to_text(), c.name);
    EXPECT_NE(line.find(c.p50), std::string::npos) << line;
    EXPECT_NE(line.find(c.target), std::string::npos) << line;
    EXPECT_NE(line.find("70%"), std::string::npos) << line;
  }
}

TEST(Classes, ColoursShowWhichPercentilesMeetTheTarget) {
  SampleFleet fleet;
  fleet.summary.classes = {{"chat", ClassMetric::first_token, 3, 95, {100, 1, 2, 4, 9}},
                           {"idle", ClassMetric::first_token, 0, 95, {100, 1, 2, 4, 9}}};
  const auto dashboard = dashboard_of(fleet, {108, 40}, "jobs", false, 2);
  const Canvas& canvas = dashboard->draw(SampleFleet::after_2s);
  EXPECT_EQ(role_at(canvas, "chat    ", "1.0s"), CellStyle::good);
  EXPECT_EQ(role_at(canvas, "chat    ", "2.0s"), CellStyle::good);
  EXPECT_EQ(role_at(canvas, "chat    ", "4.0s"), CellStyle::hot);
  EXPECT_EQ(role_at(canvas, "idle    ", "4.0s"), CellStyle::plain) << "it has no target to miss";
}

TEST(Classes, WithoutFinishedJobsShowNotAvailableInsteadOfZero) {
  SampleFleet fleet;
  fleet.summary.classes = {{"nothing-yet", ClassMetric::first_token, 3, 0, {}}};
  const auto dashboard = dashboard_of(fleet, {108, 40}, "jobs", false, 2);
  const std::string line =
      line_with(dashboard->draw(SampleFleet::after_2s).to_text(), "nothing-yet");
  EXPECT_NE(line.find("N/A     N/A     N/A     N/A"), std::string::npos) << line;
  EXPECT_EQ(line.find("0ms"), std::string::npos) << line;
  EXPECT_EQ(line.find('%'), std::string::npos) << line;
}

TEST(Classes, APartialShareIsNeverRoundedUpTo100Percent) {
  SampleFleet fleet;
  fleet.summary.classes = {{"nearly", ClassMetric::first_token, 3, 99'999, {100'000, 1, 1, 1, 4}},
                           {"wholly", ClassMetric::first_token, 3, 100'000, {100'000, 1, 1, 1, 1}}};
  const auto dashboard = dashboard_of(fleet, {108, 40}, "jobs", false, 2);
  const std::string text = dashboard->draw(SampleFleet::after_2s).to_text();
  EXPECT_NE(line_with(text, "nearly").find("99.9%"), std::string::npos) << text;
  EXPECT_NE(line_with(text, "wholly").find("100%"), std::string::npos) << text;
}

TEST(Classes, AWiderScreenHasTheColumnsOfANarrowerOneAndTheHistogram) {
  constexpr const char* titles[] = {"CLASS", "METRIC", "TARGET",  "P50",     "P90", "P99",
                                    "MAX",   "WITHIN", "BURN 5M", "BURN 1H", "DONE"};
  std::vector<std::string> before;
  for (int columns = 70; columns <= 200; ++columns) {
    SampleFleet fleet;
    const auto dashboard = dashboard_of(fleet, {columns, 40}, "jobs", false, 2);
    const std::string text = dashboard->draw(SampleFleet::after_2s).to_text();
    const std::string line = line_with(text, " P50 ");
    std::vector<std::string> shown;
    for (const char* title : titles) {
      if (line.find(title) != std::string::npos) shown.emplace_back(title);
    }
    for (const std::string& title : before) {
      EXPECT_NE(std::ranges::find(shown, title), shown.end()) << title << " at " << columns;
    }
    if (columns >= 100) {
      EXPECT_EQ(shown.size(), std::size(titles)) << text;
    }
    if (columns >= 112) {
      EXPECT_NE(text.find("h l: next"), std::string::npos) << text;
    }
    before = shown;
  }
}

TEST(Classes, ThatDoNotFitAShortScreenAreCountedAndScrollable) {
  SampleFleet fleet;
  const auto dashboard = dashboard_of(fleet, {80, 24}, "jobs", false, 2);
  std::string text = dashboard->draw(SampleFleet::after_2s).to_text();
  EXPECT_NE(text.find("2 more below: J K scroll"), std::string::npos) << text;
  EXPECT_EQ(text.find("nightly"), std::string::npos) << text;
  dashboard->press(SampleFleet::after_2s, {"J"});
  dashboard->press(SampleFleet::after_2s, {"J"});
  dashboard->press(SampleFleet::after_2s, {"J"});  // not beyond the end
  text = dashboard->draw(SampleFleet::after_2s).to_text();
  EXPECT_NE(text.find("nightly"), std::string::npos) << text;
  EXPECT_NE(text.find("end: J K scroll"), std::string::npos) << text;
  dashboard->press(SampleFleet::after_2s, {"K"});
  EXPECT_NE(dashboard->draw(SampleFleet::after_2s).to_text().find("1 more below"),
            std::string::npos);
}

TEST(Classes, AreMarkedAsWholeFleetWhileAFilterIsActive) {
  SampleFleet fleet;
  const auto dashboard = dashboard_of(fleet, {120, 40}, "jobs", false, 2);
  EXPECT_EQ(dashboard->draw(SampleFleet::after_2s).to_text().find("whole fleet"),
            std::string::npos);
  for (const char* key : {"/", "k", "i", "n", "d", "=", "=", "t", "p", "u", "Enter"}) {
    dashboard->press(SampleFleet::after_2s, {key});
  }
  const std::string text = dashboard->draw(SampleFleet::after_2s).to_text();
  for (const char* heading : {"Classes 5", "Waiting for", "Failed for"}) {
    EXPECT_NE(line_with(text, heading).find("whole fleet"), std::string::npos) << text;
  }
}

TEST(Jobs, ClosingDetailsShowsTheParentPageFromTheTop) {
  SampleFleet fleet;
  const auto dashboard = dashboard_of(fleet, {80, 24}, "jobs", false, 2);
  const std::string before =
      line_with(dashboard->draw(SampleFleet::after_2s).to_text(), "more below");
  for (const char* key : {"j", "Enter", "J", "J", "Esc"})
    dashboard->press(SampleFleet::after_2s, {key});
  EXPECT_EQ(line_with(dashboard->draw(SampleFleet::after_2s).to_text(), "more below"), before);
}

}  // namespace
}  // namespace drover::tui
