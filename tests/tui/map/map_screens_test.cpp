// The heat map of small and large fleets as a user sees it: golden screens of its rows alone.
#include <array>

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "tests/tui/golden_screen.h"
#include "tests/tui/sample_fleet.h"

namespace drover::tui {
namespace {

/// The lines of the fleet view from the map's heading to the blank line after the map.
std::string map_of(int hosts, int each, Size size, const std::vector<std::string>& keys) {
  Dashboard dashboard({}, size, SampleFleet::start);
  for (const Envelope& host : plain_hosts(hosts, each)) {
    dashboard.receive(SampleFleet::start, publish_peer, host);
  }
  Instant now = SampleFleet::start;
  for (std::uint64_t second = 1; second <= 20; ++second) {
    now = SampleFleet::start + std::chrono::seconds(second);
    for (Envelope batch : plain_samples(hosts, each, second)) {
      batch.at = now;
      dashboard.receive(now, publish_peer, batch);
    }
    if (hosts * each > 100) break;  // they show no curve
  }
  dashboard.draw(now);
  for (const std::string& key : keys) dashboard.press(now, {key});
  const std::string text = styled_text(dashboard.draw(now));
  const std::size_t begin = text.find(" Devices");
  const std::size_t end = text.find("\n\n", begin);
  return begin == std::string::npos ? text : text.substr(begin, end + 1 - begin);
}

TEST(MapScreens, FleetsOfEverySizeAreReadable) {
  struct Scenario {
    const char* name;
    int hosts, each;
    Size size;
    std::vector<std::string> keys;
  };
  const std::vector<Scenario> scenarios = {
      {"map-1-120", 1, 1, {120, 40}, {}},
      {"map-8-120", 1, 8, {120, 40}, {"l"}},
      {"map-40-120", 5, 8, {120, 40}, {"c", "c", "c", "c", "l"}},
      {"map-40-200", 5, 8, {200, 60}, {}},
      {"map-256-120", 32, 8, {120, 40}, {}},
      {"map-836-120", 4, 209, {120, 40}, {}},
      {"map-836-200", 4, 209, {200, 60}, {}},
      {"map-1000-120", 125, 8, {120, 40}, {}},
      {"map-10000-80", 1'250, 8, {80, 24}, {"J"}},
      {"map-10000-120", 1'250, 8, {120, 40}, {}},
      {"map-10000-wide-120", 200, 50, {120, 40}, {}},
  };
  for (const Scenario& scenario : scenarios) {
    expect_screen(scenario.name,
                  map_of(scenario.hosts, scenario.each, scenario.size, scenario.keys));
  }
}

}  // namespace
}  // namespace drover::tui
