#include "tui/panels/device_panels.h"

#include <gtest/gtest.h>

#include "tests/tui/sample_fleet.h"

namespace drover::tui {
namespace {

using Kind = MemoryOwner::Kind;
constexpr double gib = 1024.0 * 1024 * 1024;

/// The sample fleet, whose device told last that so much of its memory is used.
class Uses {
 public:
  Model model{std::chrono::seconds(1)};
  SampleFleet fleet;

  MemoryUse of(const DeviceId& device, double used_bytes) {
    for (const Envelope& reported : fleet.state()) model.apply(SampleFleet::start, reported);
    Sample sample;
    sample.device = device.index;
    sample[Metric::memory_used] = used_bytes;
    sample[Metric::memory_total] = 80 * gib;
    model.apply(SampleFleet::start,
                {device.host, 1, SampleFleet::start, pack(device.host, std::vector{sample})});
    return memory_use_of(model, *model.find(device));
  }
};

double bytes_of(const MemoryUse& use, Kind kind) {
  double sum = 0;
  for (const MemoryOwner& owner : use.owners) sum += owner.kind == kind ? owner.bytes : 0;
  return sum;
}

TEST(MemoryUse, IsSplitIntoWeightsCacheByTenantAndUnreported) {
  Uses uses;
  Replica& replica = uses.fleet.replicas.front().replica;
  replica.kv_used_tokens = 202'000;
  replica.running = 26;
  const MemoryUse use = uses.of({"gpu-a", 0}, 50 * gib);
  std::vector<std::string> names;
  for (const MemoryOwner& owner : use.owners) names.push_back(owner.name);
  EXPECT_EQ(names,
            (std::vector<std::string>{"weights of llama-3.1-70b bf16", "KV of chat: 15 requests",
                                      "KV of research: 9 requests", "KV of others: 2 requests",
                                      "KV cache, free", "other: not reported"}));
  EXPECT_EQ(bytes_of(use, Kind::weights), 35.3e9);
  EXPECT_EQ(bytes_of(use, Kind::tenant), 202'000.0 * 20'480);
  EXPECT_EQ(bytes_of(use, Kind::cache_free), 198'000.0 * 20'480);
  EXPECT_NEAR(bytes_of(use, Kind::other), 50 * gib - 35.3e9 - 400'000.0 * 20'480, 1e7);
}

TEST(MemoryUse, OfATrainingJobBelongsToItsTenant) {
  Uses uses;
  const MemoryUse use = uses.of({"gpu-a", 5}, 31 * gib);
  ASSERT_EQ(use.owners.size(), 1u);
  EXPECT_EQ(use.owners[0].name, "research: training of bert-large");
  EXPECT_NEAR(use.owners[0].bytes, 31 * gib, 1e7);
}

TEST(MemoryUse, NamesTheLargestOfManyTenants) {
  Uses uses;
  Replica& replica = uses.fleet.replicas.front().replica;
  replica.tenants.clear();
  for (std::uint32_t i = 0; i < 9; ++i) {
    replica.tenants.push_back({"t" + std::to_string(i), 1, 1000 + 100 * ((i * 5) % 9)});
  }
  replica.kv_used_tokens = 9 * 1000 + 100 * 36;
  replica.running = 9;
  const MemoryUse use = uses.of({"gpu-a", 0}, 0);
  std::string names;
  for (const MemoryOwner& owner : use.owners) {
    if (owner.kind == Kind::tenant) names += owner.name + "; ";
  }
  EXPECT_EQ(names,
            "KV of t1: 1 request; KV of t3: 1 request; KV of t5: 1 request; KV of t7: 1 request; "
            "KV of t8: 1 request; KV of others: 4 requests; ");
  EXPECT_EQ(bytes_of(use, Kind::tenant), 12'600.0 * 20'480) << "of all nine";
}

TEST(MemoryUse, MemoryOfAnAgentThatReportsNoOwnersIsShownAsOther) {
  Uses uses;
  const MemoryUse use = uses.of({"gpu-b", 0}, 40 * gib);
  ASSERT_EQ(use.owners.size(), 1u);
  EXPECT_EQ(use.owners[0].kind, Kind::other);
}

TEST(MemoryUse, UnusedMemoryHasNoOwner) {
  Uses uses;
  EXPECT_TRUE(uses.of({"gpu-b", 7}, 0).owners.empty());
}

}  // namespace
}  // namespace drover::tui
