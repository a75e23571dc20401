// Sparklines of hosts that are read once a second, and of those that are read rarely.
#include <gtest/gtest.h>

#include "tests/tui/golden_screen.h"
#include "tests/tui/sample_fleet.h"

namespace drover::tui {
namespace {

using std::chrono::seconds;
constexpr Instant first_second = SampleFleet::start;

struct ReadHost {
  const char* name;
  int every_s;
  int until_s;  // its last reading; later ones do not come
};
// The history has the last 60 s, so this one begins just before a rare reading.
constexpr int shown_at_s = 103;
constexpr ReadHost read_hosts[] = {
    {"often", 1, shown_at_s}, {"rarely", 15, shown_at_s}, {"ended", 15, 60}};

HostChanged changed_of(const ReadHost& host) {
  HostChanged told;
  told.registration.host = host.name;
  told.registration.sample_every = seconds(host.every_s);
  told.registration.specs = {{"l4", "class = \"gpu\"\nreal = true\n"}};
  told.registration.groups = {{0, 0, 1, "l4", "", 0}};
  return told;
}

/// The devices after readings of the same load.
std::string devices_now() {
  DashboardOptions options;
  options.settings.start.view = "devices";
  // Slightly too narrow for the whole minute: the history knows nothing before it.
  Dashboard dashboard(options, {192, 24}, first_second);
  std::uint64_t sequence = 0;
  for (const ReadHost& host : read_hosts) {
    dashboard.receive(first_second, publish_peer,
                      {"router", ++sequence, first_second, changed_of(host)});
  }
  for (int second = 0; second <= shown_at_s; ++second) {
    const Instant at = first_second + seconds(second);
    for (const ReadHost& host : read_hosts) {
      if (second % host.every_s != 0 || second > host.until_s) continue;
      Sample row;
      row[Metric::utilization] = 0.9;
      const auto number = static_cast<std::uint64_t>(second / host.every_s) + 1;
      dashboard.receive(at, publish_peer,
                        {host.name, number, at, pack(host.name, std::vector<Sample>{row})});
    }
    dashboard.tick(at);
  }
  return dashboard.draw(first_second + seconds(shown_at_s)).to_text();
}

TEST(Sparklines, AReadingIsValidUntilTheNextOneOfItsHostIsDue) {
  const std::string text = devices_now();
  const auto shown_s = [&](const std::string& device) {
    const std::string line = line_with(text, device);
    const std::string mark = "▇";
    int count = 0;
    for (auto at = line.find(mark); at != line.npos; at = line.find(mark, at + 1)) ++count;
    return count;
  };
  const int all_s = shown_s("often/0");
  EXPECT_GT(all_s, 50) << text;
  EXPECT_EQ(shown_s("rarely/0"), all_s) << text;
  // Until 75 s, when the next reading was due.
  EXPECT_EQ(shown_s("ended/0"), all_s - (shown_at_s - 75)) << text;
}

}  // namespace
}  // namespace drover::tui
