// What places cost beside their hours.
#include <cmath>

#include <gtest/gtest.h>

#include "router/fleet_state/prefix_cache_index.h"
#include "tests/router/decision_fixture.h"

namespace drover::router {
namespace {

std::string priced(const std::string& pool_lines) {
  return "[pool.any]\nmatch = {}\n" + pool_lines +
         "\n[[rule]]\nname = \"r\"\npools = [\"any\"]\nscore = { cost = 1 }\n";
}

Estimate estimate(const std::string& pool_lines,
                  const std::map<std::string, std::string>& labels = {},
                  std::uint32_t checkpoint_steps = 0) {
  DecisionFixture fleet(priced(pool_lines));
  Register host = DecisionFixture::registration("h", "a100-sxm-80gb", 8);
  host.labels = labels;
  DROVER_REQUIRE(fleet.fleet_state.register_host(fleet.now, host).ok());
  assign_pools(fleet.policy, fleet.fleet_state);
  Job job = fleet.training(8);
  job.work.steps = 100'000;
  job.work.checkpoint_steps = checkpoint_steps;
  return fleet.decide(job).decision.top.at(0).estimate;
}

TEST(Costs, ThePriceIsThatOfTheHostsPurchaseOption) {
  const std::string prices = "price_per_hour = { on_demand = 4, reserved = 3, spot = 1 }";
  const double hours = estimate(prices).finish_s / 3600;
  EXPECT_NEAR(estimate(prices).cost_usd, 8 * 4 * hours, 1e-9);
  EXPECT_NEAR(estimate(prices, {{"price", "spot"}}).cost_usd, 8 * 1 * hours, 1e-9);
  EXPECT_NEAR(estimate(prices, {{"price", "reserved"}}).cost_usd, 8 * 3 * hours, 1e-9);
  EXPECT_NEAR(estimate("price_per_hour = 2.5").cost_usd, 8 * 2.5 * hours, 1e-9);
}

/// The catalogue has a spot price of an A100 SXM 80 GB, and none of an MI300X.
TEST(Costs, ASpotHostPaysTheCatalogueSpotPriceWhenThePoolSetsNone) {
  const auto& a100 = devices::Catalogue::embedded().device("a100-sxm-80gb").value()->spec;
  ASSERT_GT(a100.price.spot_usd_per_h, 0);
  ASSERT_NE(a100.price.spot_usd_per_h, a100.price.usd_per_h);
  const std::map<std::string, std::string> spot = {{"price", "spot"}};
  const double hours = estimate("").finish_s / 3600;
  EXPECT_NEAR(estimate("").cost_usd, 8 * a100.price.usd_per_h * hours, 1e-9);
  EXPECT_NEAR(estimate("", {{"price", "reserved"}}).cost_usd, 8 * a100.price.usd_per_h * hours,
              1e-9);
  EXPECT_NEAR(estimate("", spot).cost_usd, 8 * a100.price.spot_usd_per_h * hours, 1e-9);
  EXPECT_NEAR(estimate("price_per_hour = 2.5", spot).cost_usd, 8 * 2.5 * hours, 1e-9)
      << "what the policy says goes before the catalogue";

  for (const auto& [device, price] :
       {std::pair{"a100-sxm-80gb", "spot price of the catalogue"}, std::pair{"mi300x", ""}}) {
    DecisionFixture fleet(priced(""));
    Register host = DecisionFixture::registration("h", device, 8);
    host.labels = spot;
    ASSERT_TRUE(fleet.fleet_state.register_host(fleet.now, host).ok());
    assign_pools(fleet.policy, fleet.fleet_state);
    const Candidate taken = fleet.decide(fleet.training(8)).decision.top.at(0);
    EXPECT_EQ(taken.price, price);
    EXPECT_GT(taken.estimate.cost_usd, 0);
    fleet.fleet_state.host(0).term = PurchaseOption::unspecified;
    EXPECT_EQ(fleet.decide(fleet.training(8)).decision.top.at(0).price, "");
  }
}

TEST(Costs, OwnedDevicesCostTheirPurchaseAndTheEnergyAtTheWall) {
  const Estimate owned =
      estimate("owned = { purchase_usd = 35064, years = 4, energy_usd_per_kwh = 0.10, pue = 1.2 }");
  const double hours = owned.finish_s / 3600;
  const double kwh = owned.energy_j / 3.6e6;
  EXPECT_NEAR(owned.cost_usd, 8 * 1.0 * hours + kwh * 0.10 * 1.2, 1e-9) << "35,064 hours: 1 $/h";
}

TEST(Costs, SpotWorkIsRepeatedAfterReclaimsUnlessCheckpointed) {
  const std::string prices = "price_per_hour = { on_demand = 4, spot = 4 }\n";
  const std::map<std::string, std::string> spot = {{"price", "spot"}};
  const Estimate calm = estimate(prices, spot);
  const Estimate rough = estimate(prices + "reclaim_per_hour = 0.5", spot);
  const double expected = 0.5 * calm.finish_s / 3600;
  EXPECT_NEAR(rough.cost_usd / calm.cost_usd, std::expm1(expected) / expected, 1e-9);
  EXPECT_NEAR(rough.finish_s / calm.finish_s, std::expm1(expected) / expected, 1e-9);
  const Estimate saved = estimate(prices + "reclaim_per_hour = 0.5", spot, 1000);
  EXPECT_NEAR(saved.finish_s / calm.finish_s, std::expm1(expected / 100) / (expected / 100), 1e-9);
  const Estimate bought = estimate(prices + "reclaim_per_hour = 0.5");
  EXPECT_EQ(bought.finish_s, calm.finish_s) << "nobody takes back what was had on demand";
}

TEST(Costs, AMeasuredThroughputOverridesTheModel) {
  DecisionFixture fleet(priced(""));
  fleet.add_host("h", "a100-sxm-80gb", 8);
  Job job = fleet.training(8);
  job.work.throughputs = {
      {"a100-sxm-80gb", 4, 1000}, {"v100-sxm2-16gb", 8, 1}, {"a100-sxm-80gb", 8, 2}};
  EXPECT_DOUBLE_EQ(fleet.decide(job).decision.top.at(0).estimate.finish_s, 100 / 2.0);
}

TEST(Costs, AMeasuredThroughputOfZeroRejectsThePlacementForMemory) {
  DecisionFixture fleet(priced(""));
  fleet.add_host("h", "a100-sxm-80gb", 8);
  fleet.add_host("i", "v100-sxm2-16gb", 8);
  Job job = fleet.training(8, "resnet-50");
  job.work.sequence = 1;
  job.work.precisions = {Precision::fp32};
  job.work.throughputs = {{"a100-sxm-80gb", 8, 0}, {"v100-sxm2-16gb", 8, 1}};
  const Decision decision = fleet.decide(job).decision;
  EXPECT_EQ(decision.target, "i/0-7");
  ASSERT_EQ(decision.rejections.size(), 1U);
  EXPECT_EQ(decision.rejections[0].device_class, "a100-sxm-80gb");
  EXPECT_EQ(decision.rejections[0].reason, Reason::memory);
  job.work.throughputs = {{"a100-sxm-80gb", 4, 0}, {"v100-sxm2-16gb", 8, 0}};
  EXPECT_EQ(fleet.decide(job).decision.target, "h/0-7") << "of another size nothing is known";
}

TEST(PrefixCacheIndex, CountsLeadingBlocksAndEvictsTheOldestFirst) {
  PrefixCacheIndex book;
  book.used(7, {1, 2, 3, 4}, 6);
  EXPECT_EQ(book.shared(7, {1, 2, 9, 4}), 2U) << "what comes after the first other block is lost";
  EXPECT_EQ(book.shared(7, {2, 3}), 2U);
  EXPECT_EQ(book.shared(8, {1, 2}), 0U);
  book.used(7, {1, 2, 5, 6, 7}, 6);
  // Six are kept: of the first prompt its end went, as that was used least lately.
  EXPECT_EQ(book.shared(7, {1, 2, 5, 6, 7}), 5U);
  EXPECT_EQ(book.shared(7, {1, 2, 3, 4}), 3U);
  book.forget(7);
  EXPECT_EQ(book.shared(7, {1}), 0U);
}

TEST(PrefixCacheIndex, StaysBoundedWhenACacheClaimsUnlimitedCapacity) {
  PrefixCacheIndex book;
  for (std::uint64_t block = 1; block <= prefix_blocks_known_max + 1; ++block) {
    book.used(7, {block}, std::size_t{1} << 50);
  }
  EXPECT_EQ(book.shared(7, {1}), 0U);
  EXPECT_EQ(book.shared(7, {2}), 1U);
  EXPECT_EQ(book.shared(7, {prefix_blocks_known_max + 1}), 1U);
}

TEST(PrefixCacheIndex, ARequestGoesToTheReplicaThatCachedItsPrefix) {
  DecisionFixture fleet(
      "[pool.any]\nmatch = {}\n[[rule]]\nname = \"r\"\npools = [\"any\"]\n"
      "score = { prefix = 1 }\n");
  const HostIndex host = fleet.add_host("h", "h100-sxm", 8);
  for (std::uint16_t number = 0; number < 8; ++number) {
    fleet.add_replica(host, number, "llama-3.1-8b", {number});
  }
  fleet.fleet_state.note_prefix(5, {11, 12, 13});
  fleet.fleet_state.note_prefix(6, {11, 12});
  Job job = fleet.request();
  job.work.prefix = {11, 12, 13, 14};
  const Decision decision = fleet.decide(job).decision;
  EXPECT_EQ(decision.target, "h/r5");
  EXPECT_DOUBLE_EQ(decision.top[0].score, 0.75);
  EXPECT_DOUBLE_EQ(decision.top[1].score, 0.5);
}

}  // namespace
}  // namespace drover::router
