// Reads pages in tests, and says exactly what a board must and must not report.
#pragma once

#include <gtest/gtest.h>

#include <cmath>
#include <map>
#include <string>
#include <string_view>

#include <fmt/format.h>

#include "agents/scrape/read_hosts.h"
#include "fleet/sample/metric_keys.h"

namespace drover::agents::pages {

inline constexpr double mib = 1 << 20;

inline HostReadings read(std::string_view page,
                         const std::string& url = "http://target:9400/metrics") {
  auto readings = read_hosts(page, url);
  EXPECT_TRUE(readings) << readings.error().message;
  return readings ? *std::move(readings) : HostReadings{};
}

/// The only board of a page.
inline BoardReading only_board(const HostReadings& readings) {
  EXPECT_EQ(readings.hosts.size(), 1U);
  if (readings.hosts.empty()) return {};
  EXPECT_EQ(readings.hosts[0].boards.size(), 1U);
  return readings.hosts[0].boards.at(0);
}
inline BoardReading only_board(std::string_view page) { return only_board(read(page)); }

/// Why the board lacks the metric; "" where it does not.
inline std::string why_missing(const BoardReading& reading, Metric metric) {
  for (const MissingMetric& missing : reading.board.missing) {
    if (missing.metric == static_cast<std::uint8_t>(metric)) return missing.why;
  }
  return "";
}

/// These values and no others; each other one has its reason, but for those of emulated devices.
inline void expect_values(const BoardReading& reading, const std::map<Metric, double>& expected) {
  for (const MetricKey& key : metric_keys) {
    const double value = reading.values[key.metric];
    const std::string why = why_missing(reading, key.metric);
    if (const auto found = expected.find(key.metric); found != expected.end()) {
      EXPECT_EQ(value, found->second) << key.name << ": " << why;
      EXPECT_EQ(why, "") << key.name;
    } else {
      EXPECT_TRUE(std::isnan(value)) << key.name << " " << value;
      const bool emulated = key.metric == Metric::queue || key.metric == Metric::running;
      EXPECT_EQ(why.empty(), emulated) << key.name;
    }
  }
}

}  // namespace drover::agents::pages
