// What a filter leaves in the panels of sums and lists, and what panels say before anything is
// known.
#include <algorithm>
#include <optional>
#include <sstream>

#include <gtest/gtest.h>

#include "tests/tui/golden_screen.h"
#include "tests/tui/sample_fleet.h"
#include "tests/tui/sample_stream.h"
#include "tui/dashboard.h"
#include "tui/tables/device_columns.h"

namespace drover::tui {
namespace {

using std::chrono::seconds;

std::string filtered(const char* view, Size size, std::string_view filter) {
  SampleFleet fleet;
  const auto dashboard = dashboard_of(fleet, size, view, false, 40);
  dashboard->press(SampleFleet::after_40s, {"/"});
  for (const char letter : filter)
    dashboard->press(SampleFleet::after_40s, {std::string(1, letter)});
  dashboard->press(SampleFleet::after_40s, {"Enter"});
  return dashboard->draw(SampleFleet::after_40s).to_text();
}

/// A line's characters, one for each of its columns.
std::vector<std::string> characters_of(const std::string& line) {
  std::vector<std::string> characters;
  for (const char byte : line) {
    const bool follows = (static_cast<unsigned char>(byte) & 0xC0) == 0x80;
    if (!follows) characters.emplace_back();
    characters.back() += byte;
  }
  return characters;
}

/// The rows below the line that begins with the heading, from its column to the right.
std::string panel(const std::string& screen, const std::string& heading, int rows) {
  std::istringstream lines(screen);
  std::string found;
  std::optional<std::size_t> column;
  for (std::string line; std::getline(lines, line) && rows > 0;) {
    if (!column) {
      const std::size_t at = line.find(heading);
      if (at != std::string::npos) column = characters_of(line.substr(0, at)).size();
      continue;
    }
    const std::vector<std::string> characters = characters_of(line);
    for (std::size_t i = *column; i < characters.size(); ++i) found += characters[i];
    found += "\n";
    --rows;
  }
  return found;
}

TEST(FilteredViews, ReportThatNothingMatchesTheFilter) {
  for (const auto& [view, thing] : {std::pair{"telemetry", "host"},
                                    {"events", "event"},
                                    {"routing", "decision"},
                                    {"devices", "device"}}) {
    const std::string text = filtered(view, {120, 40}, "host==nowhere");
    if (std::string_view(view) != "events") {
      EXPECT_NE(text.find(fmt::format("no {} matches host==nowhere", thing)), std::string::npos)
          << view << "\n"
          << text;
    }
    EXPECT_EQ(text.find(" yet"), std::string::npos) << view << "\n" << text;
  }
  const std::string fleet = filtered("fleet", {220, 60}, "host==nowhere");
  EXPECT_NE(fleet.find("no event matches"), std::string::npos) << fleet;
}

TEST(Columns, APauseIsShownNextToTheStateAsInTheCommands) {
  SampleFleet fleet;
  fleet.conditions.clear();
  ReplicaChanged compiles = fleet.replicas[0];
  compiles.replica.pause = Pause::compiling;
  Model model(seconds(1));
  for (const Envelope& reported : fleet.state()) model.apply(SampleFleet::start, reported);
  for (const Envelope& batch : fleet.samples(0)) model.apply(SampleFleet::start, batch);
  model.apply(SampleFleet::start, fleet.published(compiles));
  const JobsByDevice jobs(model);
  const auto row = model.find({compiles.replica.id.host, compiles.replica.devices.front()});
  ASSERT_TRUE(row);
  const auto& columns = device_columns();
  const auto state = std::find_if(columns.begin(), columns.end(), [](const DeviceColumn& column) {
    return column.title == "STATE";
  });
  ASSERT_NE(state, columns.end());
  EXPECT_EQ(state->text({model, SampleFleet::start, jobs}, *row), "ok, compiling");
}

TEST(FilteredViews, FleetPanelsShowOnlyWhatMatchesTheFilter) {
  const std::string text = filtered("fleet", {220, 60}, "host==gpu-a");
  for (const char* heading : {"Decisions ─", "Alerts ", "Events ─"}) {
    const std::string shown = panel(text, heading, 3);
    EXPECT_NE(shown.find("gpu-a"), std::string::npos) << heading << text;
    for (const char* other : {"gpu-b", "tpu-", "edge-1"}) {
      EXPECT_EQ(shown.find(other), std::string::npos) << heading << " " << other << "\n" << text;
    }
  }
  EXPECT_NE(line_with(text, " Replicas ─").find("1 loaded"), std::string::npos) << text;
}

TEST(FilteredViews, CountRunningJobsAsTheyAreListed) {
  const std::string nothing = filtered("fleet", {220, 60}, "host==edge-1");
  EXPECT_NE(nothing.find("Running 0 ─"), std::string::npos) << nothing;
  EXPECT_NE(nothing.find("no running jobs"), std::string::npos) << nothing;
}

TEST(FilteredViews, RulesCountOnlyTheMatchingAlerts) {
  const auto raised = [](const char* filter) {
    const std::string text = filtered("events", {200, 60}, filter);
    const std::string line = line_with(text, " hot  ");
    return std::pair(line, line.find("   - ") != std::string::npos);
  };
  EXPECT_FALSE(raised("kind==gpu").second) << raised("kind==gpu").first;
  EXPECT_TRUE(raised("kind==tpu").second) << raised("kind==tpu").first;
}

TEST(FilteredViews, WholeFleetValuesDoNotDependOnTheFilter) {
  const auto cost = [](const std::string& text) {
    const std::string line = line_with(panel(text, "Requests", 5), "cost");
    const std::size_t begin = line.find("cost");
    return begin == std::string::npos ? line : line.substr(begin, line.find("/h", begin) - begin);
  };
  const std::string all = filtered("fleet", {200, 60}, "");
  const std::string some = filtered("fleet", {200, 60}, "host==gpu-a");
  EXPECT_NE(some.find("Requests, whole fleet"), std::string::npos) << some;
  EXPECT_NE(cost(all).find(", $"), std::string::npos) << all;
  EXPECT_EQ(cost(some), cost(all));
}

TEST(FilteredViews, FallbackCostsAreLabelledAsOfTheWholeFleet) {
  for (const Size size : {Size{120, 40}, {170, 50}, {200, 60}}) {
    const std::string text = filtered("routing", size, "kind==tpu");
    EXPECT_NE(line_with(text, " Fallbacks ─").find("extra since 02:07:01, whole fleet"),
              std::string::npos)
        << text;
  }
}

TEST(UnknownValues, AreNotShownAsZeroBeforeTheRouterReports) {
  for (const char* view : {"power", "jobs", "routing", "fleet"}) {
    DashboardOptions options;
    options.settings.start.view = view;
    Dashboard dashboard(options, {200, 60}, SampleFleet::start);
    dashboard.set_connected(SampleFleet::start, true);
    const std::string text = dashboard.draw(SampleFleet::start).to_text();
    for (const char* claim : {"0 tokens", "no cap", "no budget", "$0.00/", " 0W of", " none\n"}) {
      EXPECT_EQ(text.find(claim), std::string::npos) << view << ": " << claim << "\n" << text;
    }
  }
}

TEST(UnknownValues, OfPowerAreNotShownAsZero) {
  Model model = Model(seconds(1));
  model.apply(SampleFleet::start, plain_hosts(1, 2).front());
  std::vector<Sample> rows(2);
  for (std::size_t i = 0; i < rows.size(); ++i) {
    rows[i].device = static_cast<std::uint16_t>(i);
    rows[i][Metric::utilization] = 0.5;
  }
  model.apply(SampleFleet::start, {"host-0000", 1, SampleFleet::start, pack("host-0000", rows)});
  const Totals totals = totals_of(model, SampleFleet::start);
  EXPECT_EQ(totals.reporting, 2u);
  EXPECT_TRUE(std::isnan(totals.power_w));
  for (const PoolTotals& pool : pool_totals_of(model, SampleFleet::start)) {
    EXPECT_TRUE(std::isnan(pool.power_w));
  }
}

TEST(UnknownValues, IncludeTheReplicasOfALostHost) {
  SampleFleet fleet;
  const auto dashboard = dashboard_of(fleet, {120, 60}, "fleet", false, 40);
  for (const char key : std::string(":device edge-1/0")) {
    dashboard->press(SampleFleet::after_40s, {key == ' ' ? "Space" : std::string(1, key)});
  }
  dashboard->press(SampleFleet::after_40s, {"Enter"});
  const std::string line =
      line_with(dashboard->draw(SampleFleet::after_40s).to_text(), " r0   llama");
  EXPECT_NE(line.find("lost"), std::string::npos) << line;
  EXPECT_NE(line.find("N/A"), std::string::npos) << line;
  EXPECT_EQ(line.find("ready"), std::string::npos) << line;
}

}  // namespace
}  // namespace drover::tui
