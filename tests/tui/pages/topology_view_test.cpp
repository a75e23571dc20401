// The page of how a host's devices are connected.
#include <gtest/gtest.h>

#include "tests/tui/golden_screen.h"
#include "tests/tui/sample_fleet.h"

namespace drover::tui {
namespace {

constexpr Instant topology_at = SampleFleet::after_40s;

/// The sample fleet, whose specs also say what connects devices.
void add_links(SampleFleet& fleet) {
  constexpr std::string_view links[] = {
      "[links]\nbandwidth_gb_s = 900\ndomain = 8\npcie_gen = 5\npcie_lanes = 16\n",
      "[links]\nbandwidth_gb_s = 600\ndomain = 8\npcie_gen = 4\npcie_lanes = 16\n",
      "[links]\nbandwidth_gb_s = 400\ndomain = 256\nlink_gb_s = 45\nwrap_axis = 16\n"};
  for (std::size_t i = 0; i < 2; ++i) {
    std::string& text = fleet.hosts[i].registration.specs[0].text;
    text = "name = \"NVIDIA\"\n" + text;
  }
  for (std::size_t i = 0; i < 4; ++i) {
    fleet.hosts[i].registration.specs[0].text += links[std::min<std::size_t>(i, 2)];
  }
}

void type_line(Dashboard& dashboard, const std::string& line) {
  dashboard.press(topology_at, {":"});
  for (const char letter : line) {
    dashboard.press(topology_at, {letter == ' ' ? "Space" : std::string(1, letter)});
  }
  dashboard.press(topology_at, {"Enter"});
}

std::string topology_text(Dashboard& dashboard) { return dashboard.draw(topology_at).to_text(); }

TEST(Topology, LooksAsReviewed) {
  for (const Size size : {Size{80, 24}, Size{120, 40}, Size{200, 60}}) {
    for (const char* host : {"gpu-a", "tpu-a"}) {
      SampleFleet fleet;
      add_links(fleet);
      const auto dashboard = dashboard_of(fleet, size, "fleet");
      type_line(*dashboard, std::string("topology ") + host);
      expect_screen("topology-" + std::string(host) + "-" + std::to_string(size.columns),
                    styled_text(dashboard->draw(topology_at)));
    }
  }
  SampleFleet fleet;
  add_links(fleet);
  const auto dashboard = dashboard_of(fleet, {120, 40}, "fleet", true);
  type_line(*dashboard, "topology gpu-b");
  expect_screen("topology-ascii", styled_text(dashboard->draw(topology_at)));
}

TEST(Topology, TheKeyShowsTheHostOfWhatIsSelectedAndGoesBack) {
  for (const char* view : {"telemetry", "devices", "device"}) {
    SampleFleet fleet;
    const auto dashboard = dashboard_of(fleet, {120, 40}, view);
    dashboard->press(topology_at, {"H"});
    const bool none =
        topology_text(*dashboard).find("no host or device is selected") != std::string::npos;
    if (none) dashboard->press(topology_at, {"g"});
    if (none) dashboard->press(topology_at, {"H"});
    EXPECT_NE(topology_text(*dashboard).find("Devices of "), std::string::npos) << view;
    dashboard->press(topology_at, {"H"});
    EXPECT_EQ(topology_text(*dashboard).find("Devices of "), std::string::npos) << view;
  }
}

TEST(Topology, AnUnknownHostIsAnErrorWithASuggestion) {
  SampleFleet fleet;
  const auto dashboard = dashboard_of(fleet, {120, 40}, "fleet");
  type_line(*dashboard, "topology gpu-c");
  EXPECT_NE(topology_text(*dashboard).find("no host gpu-c; did you mean gpu-"), std::string::npos)
      << topology_text(*dashboard);
}

TEST(Topology, TheHeadingSaysHowManyDevicesAreShown) {
  SampleFleet fleet;
  fleet.hosts[1].registration.groups[0].count = 70;
  const std::string host = fleet.hosts[1].registration.host;
  for (const Size size : {Size{120, 40}, Size{40, 12}}) {
    const auto dashboard = dashboard_of(fleet, {120, 40}, "fleet");
    type_line(*dashboard, "topology " + host);
    dashboard->resize(topology_at, size);
    EXPECT_NE(topology_text(*dashboard).find("64 of 70 devices"), std::string::npos)
        << topology_text(*dashboard);
  }
}

TEST(Topology, DevicesAreMarkedAsInTheTable) {
  SampleFleet fleet;
  add_links(fleet);
  DeviceChanged drained;
  drained.host = "gpu-a";
  drained.device = 2;
  drained.drained = true;
  fleet.conditions.push_back(drained);
  const auto dashboard = dashboard_of(fleet, {120, 40}, "fleet");
  type_line(*dashboard, "topology gpu-a");
  const std::string text = topology_text(*dashboard);
  EXPECT_NE(text.find("┌2 d"), std::string::npos) << text;
  EXPECT_NE(text.find("┌3 *"), std::string::npos) << text;
}

TEST(Topology, EverySizeIsDrawnSafely) {
  SampleFleet fleet;
  add_links(fleet);
  const auto dashboard = dashboard_of(fleet, {120, 40}, "fleet");
  type_line(*dashboard, "topology tpu-a");
  for (int columns = 1; columns <= 210; columns += columns < 40 ? 3 : 17) {
    for (int rows = 1; rows <= 60; rows += rows < 26 ? 2 : 11) {
      dashboard->resize(topology_at, {columns, rows});
      expect_whole_rows(dashboard->draw(topology_at));
    }
  }
}

}  // namespace
}  // namespace drover::tui
