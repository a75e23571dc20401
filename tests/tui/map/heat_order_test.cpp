// Which devices are in which group of the heat map, and in which order.
#include "tui/map/heat_order.h"

#include <string>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include "tests/tui/sample_fleet.h"

namespace drover::tui {
namespace {

FleetFilter judged(const Model& model, std::string_view filter) {
  FleetFilter fleet_filter;
  EXPECT_FALSE(fleet_filter.set(filter));
  fleet_filter.evaluate(model, SampleFleet::start);
  return fleet_filter;
}

TEST(HeatOrder, GroupsMatchTheirNamesAndOrder) {
  SampleFleet fleet;
  std::vector<Envelope> envelopes = fleet.state();
  for (Envelope& batch : fleet.samples(0)) envelopes.push_back(std::move(batch));
  const Model model = model_of(envelopes);
  struct Case {
    Grouping grouping;
    std::vector<std::pair<std::string, std::uint32_t>> groups;
  };
  const std::vector<Case> cases = {
      {Grouping::host, {{"gpu-a", 8}, {"gpu-b", 8}, {"tpu-a", 8}, {"tpu-b", 8}, {"edge-1", 4}}},
      {Grouping::rack, {{"r1", 16}, {"r2", 16}, {"r3", 4}}},
      {Grouping::pool, {{"ampere", 8}, {"edge", 4}, {"hopper", 8}, {"tpu", 16}}},
      {Grouping::kind, {{"a100-sxm-80gb", 8}, {"h100-sxm", 8}, {"l4", 4}, {"tpu-v5e", 16}}},
      {Grouping::state, {{"ok", 30}, {"faulty", 1}, {"unusable", 1}, {"lost", 4}}},
  };
  for (const Case& c : cases) {
    std::vector<std::pair<std::string, std::uint32_t>> found;
    for (const HeatGroup& group :
         order_devices(model, SampleFleet::start, c.grouping, FleetFilter()).groups) {
      found.emplace_back(group.name, group.count);
    }
    EXPECT_EQ(found, c.groups) << to_text(c.grouping);
  }
}

TEST(HeatOrder, AKindWithDifferingSpecTextsIsOneGroup) {
  std::vector<Envelope> reported = plain_hosts(2, 3);
  std::get<HostChanged>(reported[1].body).registration.specs[0].text += "# another\n";
  const HeatOrder order =
      order_devices(model_of(reported), SampleFleet::start, Grouping::kind, FleetFilter());
  ASSERT_EQ(order.groups.size(), 1U);
  EXPECT_EQ(order.groups[0].count, 6U);
}

TEST(HeatOrder, ADeviceInSeveralPoolsAppearsOnceInTheirCombinedGroup) {
  SampleFleet fleet;
  fleet.hosts[0].further_pools = {{0, "spot"}};
  fleet.hosts[2].pools.clear();
  const Model model = model_of(fleet.state());
  std::vector<std::pair<std::string, std::uint32_t>> found;
  for (const HeatGroup& group :
       order_devices(model, SampleFleet::start, Grouping::pool, FleetFilter()).groups) {
    found.emplace_back(group.name, group.count);
  }
  const std::vector<std::pair<std::string, std::uint32_t>> expected = {
      {"ampere", 8}, {"edge", 4}, {"hopper,spot", 8}, {"tpu", 8}, {"no pool", 8}};
  EXPECT_EQ(found, expected);
}

TEST(HeatOrder, DevicesHiddenByTheFilterAppearInNoGrouping) {
  SampleFleet fleet;
  const Model model = model_of(fleet.state());
  const FleetFilter fleet_filter = judged(model, "kind==tpu");
  for (int each = 0; each < grouping_count; ++each) {
    const auto grouping = static_cast<Grouping>(each);
    const HeatOrder order = order_devices(model, SampleFleet::start, grouping, fleet_filter);
    EXPECT_EQ(order.rows.size(), 16u) << to_text(grouping);
    for (DeviceTable::Row row = 0; row < model.devices().rows(); ++row) {
      EXPECT_EQ(order.places[row] != HeatOrder::nowhere, fleet_filter.shows(row));
    }
    for (const HeatGroup& group : order.groups) EXPECT_GT(group.count, 0u);
  }
}

}  // namespace
}  // namespace drover::tui
