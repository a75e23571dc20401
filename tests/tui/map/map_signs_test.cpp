// The signs in the cells of the heat map, and the heading that explains those on the screen.
#include <vector>

#include <gtest/gtest.h>

#include "tests/tui/golden_screen.h"
#include "tests/tui/sample_fleet.h"

namespace drover::tui {
namespace {

/// The fleet view of five hosts of eight devices that all have this load.
std::string fleet_of_load(double load, Size size) {
  constexpr int hosts = 5, each = 8;
  Dashboard dashboard({}, size, SampleFleet::start);
  for (const Envelope& host : plain_hosts(hosts, each)) {
    dashboard.receive(SampleFleet::start, publish_peer, host);
  }
  std::vector<Sample> samples(each);
  for (std::size_t i = 0; i < samples.size(); ++i) {
    samples[i].device = static_cast<std::uint16_t>(i);
    samples[i][Metric::utilization] = load;
  }
  for (const Envelope& batch : plain_samples(hosts, each, 1)) {
    dashboard.receive(SampleFleet::start, publish_peer,
                      {batch.sender, 1, SampleFleet::start, pack(batch.sender, samples)});
  }
  return dashboard.draw(SampleFleet::start).to_text();
}

TEST(HeatMap, ASignBesideANumberCoversNoneOfItsDigits) {
  int numbered = 0;
  for (int columns = 60; columns <= 130; ++columns) {
    SampleFleet fleet;
    const auto dashboard = dashboard_of(fleet, {columns, 30}, "fleet");
    const std::string line =
        line_with(dashboard->draw(SampleFleet::after_40s).to_text(), " gpu-a ");
    // The loads of gpu-a/2 and gpu-a/4; that of gpu-a/3, which has a fault, is between them.
    const std::size_t before = line.find("23");
    const std::size_t after = line.find("77");
    if (before == std::string::npos || after == std::string::npos) continue;
    ++numbered;
    EXPECT_NE(line.substr(before, after - before).find("51"), std::string::npos) << line;
    EXPECT_NE(line.substr(before, after - before).find('*'), std::string::npos) << line;
  }
  EXPECT_GT(numbered, 30);
}

/// Rows with a "*" in the style of a fault: without colours "*" is also a shade of the heat.
std::vector<int> rows_with_fault_sign(const Canvas& canvas) {
  std::vector<int> rows;
  for (int row = 0; row < canvas.size().rows; ++row) {
    for (int column = 0; column < canvas.size().columns; ++column) {
      const auto& cell = canvas.at(column, row);
      if (cell.text != "*" || cell.style != CellStyle::fault) continue;
      rows.push_back(row);
      break;
    }
  }
  return rows;
}

TEST(HeatMap, OneSignForADeviceIsThatOfAFaultWhereTheHeadingExplainsIt) {
  int explained = 0;
  for (int columns = 40; columns <= 90; ++columns) {
    for (int rows = 18; rows <= 24; ++rows) {
      SampleFleet fleet;
      const auto dashboard = dashboard_of(fleet, {columns, rows}, "fleet");
      const Canvas& canvas = dashboard->draw(SampleFleet::after_40s);
      const std::string text = canvas.to_text();
      const std::string line = line_with(text, " gpu-a ");
      if (line.empty() || line.find("51") != std::string::npos) continue;
      if (line_with(text, "Devices by").find("* fault") == std::string::npos) continue;
      ++explained;
      EXPECT_EQ(rows_with_fault_sign(canvas).size(), 2u) << text;
    }
  }
  EXPECT_GT(explained, 10);
}

TEST(HeatMap, TheHeadingExplainsTheSignsOnTheScreenAndNoOthers) {
  SampleFleet fleet;
  const std::string text =
      dashboard_of(fleet, {120, 40}, "fleet", false, 3)->draw(SampleFleet::after_3s).to_text();
  for (const char* sign : {"x lost", "! not usable", "* fault injected"}) {
    EXPECT_NE(text.find(sign), std::string::npos) << text;
  }
  EXPECT_EQ(text.find("- no data"), std::string::npos) << text;
  const std::string plain = fleet_of_load(0.5, {120, 40});
  for (const char* sign : {"x lost", "! not usable", "- no data", "~ limit"}) {
    EXPECT_EQ(plain.find(sign), std::string::npos) << plain;
  }
}

TEST(HeatMap, AFullDeviceIs99InTwoColumnsAndTheHeadingSaysThatItMayBeMore) {
  struct Case {
    double load;
    bool cut;
  };
  for (const Case& c : {Case{0.98, false}, {0.994, false}, {0.996, true}, {1.0, true}}) {
    int cut = 0;
    for (int columns = 60; columns <= 100; ++columns) {
      for (int rows = 16; rows <= 24; ++rows) {
        const std::string text = fleet_of_load(c.load, {columns, rows});
        const bool explained =
            line_with(text, "Devices by").find("99 or more") != std::string::npos;
        if (explained) ++cut;
        if (!c.cut) continue;
        // Every device has the same load: either all cells are cut, or none is.
        const bool shows_99 = line_with(text, "host-0000").find("99") != std::string::npos;
        EXPECT_EQ(shows_99, explained) << text;
      }
    }
    EXPECT_EQ(cut > 0, c.cut) << c.load;
  }
}

}  // namespace
}  // namespace drover::tui
