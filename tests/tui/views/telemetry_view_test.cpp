// The telemetry view: how old the hosts' samples are, how their clocks differ, and where the panels
// about that have room.
#include <string>

#include <gtest/gtest.h>

#include "tests/tui/sample_fleet.h"
#include "tui/dashboard.h"

namespace drover::tui {
namespace {

std::string telemetry(Size size) {
  SampleFleet fleet;
  const auto dashboard = dashboard_of(fleet, size, "telemetry");
  return dashboard->draw(SampleFleet::after_40s).to_text();
}

/// The number at the end of the line that begins or continues with `label`.
std::string count_beside(const std::string& text, const std::string& label) {
  const auto at = text.find(label);
  if (at == std::string::npos) return "no line";
  const auto bar = text.find_first_not_of(" |", at + label.size());
  return text.substr(bar, text.find_first_of(" |\n", bar) - bar);
}

TEST(TelemetryView, CountsHostsByTheAgeOfTheirSamples) {
  const std::string text = telemetry({120, 40});
  EXPECT_EQ(count_beside(text, "under 2 s"), "4") << text;
  EXPECT_EQ(count_beside(text, "15 s to 1 min"), "1") << "the lost host\n" << text;
  EXPECT_EQ(count_beside(text, "over 1 min"), "0") << text;
}

TEST(TelemetryView, CountsHostsByTheirClockOffset) {
  const std::string text = telemetry({120, 40});
  EXPECT_EQ(count_beside(text, "up to 0.5 s"), "4") << text;
  EXPECT_EQ(count_beside(text, "late > 1.5 s"), "0") << text;
}

TEST(TelemetryView, PanelsTakeNoRowFromAFewHosts) {
  for (const Size size : {Size{80, 24}, Size{120, 40}, Size{200, 60}}) {
    const std::string text = telemetry(size);
    for (const char* host : {"edge-1 ", "gpu-a ", "gpu-b ", "tpu-a ", "tpu-b "}) {
      EXPECT_NE(text.find(host), std::string::npos) << host << text;
    }
  }
  EXPECT_EQ(telemetry({80, 19}).find("Age of newest sample"), std::string::npos);
  EXPECT_NE(telemetry({200, 60}).find("Samples per second"), std::string::npos);
}

}  // namespace
}  // namespace drover::tui
