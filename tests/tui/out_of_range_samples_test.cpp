// Values that no device can show: the dashboard shows them as what is not reported.
#include <gtest/gtest.h>

#include "tests/tui/sample_fleet.h"

namespace drover::tui {
namespace {

/// The sample fleet, whose gpu-a/0 then says this of itself, as a batch of all its host's devices.
std::string screen_with(const std::string& view, Metric metric, double value) {
  SampleFleet fleet;
  const auto dashboard = dashboard_of(fleet, {120, 40}, view);
  const Instant now = SampleFleet::start + std::chrono::seconds(40);
  for (Envelope envelope : fleet.samples(40)) {
    auto& batch = std::get<SampleBatch>(envelope.body);
    std::vector<Sample> rows = unpack(batch);
    if (batch.host == "gpu-a") rows[0][metric] = value;
    batch = pack(batch.host, rows);
    dashboard->receive(now, publish_peer, envelope);
  }
  dashboard->tick(now);
  return dashboard->draw(now).to_text();
}

std::string row_of_first(const std::string& text) {
  const std::size_t begin = text.find("gpu-a/0");
  return begin == std::string::npos ? text : text.substr(begin, text.find('\n', begin) - begin);
}

TEST(OutOfRangeSamples, AreShownAsNotReportedInEveryView) {
  const std::string good = row_of_first(screen_with("devices", Metric::power, 300));
  ASSERT_NE(good.find("300/700"), std::string::npos) << good;
  for (const auto& [metric, value] : std::vector<std::pair<Metric, double>>{
           {Metric::power, 200'000}, {Metric::temperature, 3'000}, {Metric::utilization, 3.2}}) {
    const std::string row = row_of_first(screen_with("devices", metric, value));
    EXPECT_NE(row.find("N/A"), std::string::npos) << facts(metric).name << ": " << row;
    for (const char* view : {"fleet", "devices", "device", "power"}) {
      const std::string text = screen_with(view, metric, value);
      for (const char* absurd : {"200000", "200.0k", "200k", "3000C", "320%"}) {
        EXPECT_EQ(text.find(absurd), std::string::npos) << view << ": " << text;
      }
    }
  }
}

}  // namespace
}  // namespace drover::tui
