#include <gtest/gtest.h>

#include "tests/agents/agent_harness.h"

namespace drover::agents {
namespace {

TEST(DeviceList, ReadsGroupsWithCountAndTopology) {
  const auto groups = parse_device_list("h100-sxm:8, tpu-v5e:8@2x4,l4", catalogue());
  ASSERT_TRUE(groups.ok()) << groups.error().message;
  const std::vector<GroupRequest> expected{
      {"h100-sxm", 8, ""}, {"tpu-v5e", 8, "2x4"}, {"l4", 1, ""}};
  EXPECT_EQ(*groups, expected);
}

TEST(ReplicaList, ReadsModelsDevicesAndPrecisions) {
  const auto replicas =
      parse_replica_list("llama-3.1-70b:0-3@int8,llama-3.1-8b:4,5,6-7@fp16", catalogue());
  ASSERT_TRUE(replicas.ok()) << replicas.error().message;
  const std::vector<ReplicaRequest> expected{{"llama-3.1-70b", 0, 3, Precision::int8},
                                             {"llama-3.1-8b", 4, 4, std::nullopt},
                                             {"llama-3.1-8b", 5, 5, std::nullopt},
                                             {"llama-3.1-8b", 6, 7, Precision::fp16}};
  EXPECT_EQ(*replicas, expected);
  EXPECT_TRUE(parse_replica_list("", catalogue())->empty());
}

struct BadList {
  const char* text;
  const char* says;
};

TEST(DeviceList, SaysWhatIsWrongAndWhatWasExpected) {
  const std::vector<BadList> cases{
      {"", "empty entry"},
      {"h100-sxm:8,", "empty entry"},
      {"h100-smx:8", "h100-sxm"},  // the nearest known one
      {"h100-sxm:0", "expected 1..4096"},
      {"h100-sxm:eight", "count `eight`"},
      {"h100-sxm:-1", "count `-1`"},
      {"h100-sxm:99999999999", "expected 1..4096"},
      {"h100-sxm:8@2x4", "is a GPU"},
      {"tpu-v5e:8@", "nothing after @"},
      {"tpu-v5e:8@2x", "expected a form such as 2x4"},
      {"tpu-v5e:8@2x2", "is 4 chips, expected 8"},
      {"tpu-v5e:8@99999x99999", "expected a form such as 2x4"},
      {"tpu-v5e:7", "has no slices of 7"},
      {"h100-sxm:4000,h100-sxm:97", "at most 4096"},
      {"\x1b[2J", "^[[2J"},
  };
  for (const BadList& bad : cases) {
    const auto groups = parse_device_list(bad.text, catalogue());
    ASSERT_FALSE(groups.ok()) << bad.text;
    EXPECT_NE(groups.error().message.find(bad.says), std::string::npos)
        << bad.text << " answered: " << groups.error().message;
  }
}

TEST(ReplicaList, SaysWhatIsWrongAndWhatWasExpected) {
  const std::vector<BadList> cases{
      {"llama-3.1-8", "no devices"},
      {"4,5", "no devices"},
      {"llama-3.1-80b:0", "llama-3.1-8"},
      {"llama-3.1-8b:", "expected a number or a range"},
      {"llama-3.1-8b:3-1", "expected a number or a range"},
      {"llama-3.1-8b:0-", "expected a number or a range"},
      {"llama-3.1-8b:0@bf15", "bf16"},
      {"llama-3.1-8b:0,", "no devices"},
      {"llama-3.1-8b:70000", "expected a number or a range"},
  };
  for (const BadList& bad : cases) {
    const auto replicas = parse_replica_list(bad.text, catalogue());
    ASSERT_FALSE(replicas.ok()) << bad.text;
    EXPECT_NE(replicas.error().message.find(bad.says), std::string::npos)
        << bad.text << " answered: " << replicas.error().message;
  }
}

TEST(AgentCheck, NamesImpossibleReplicas) {
  const std::vector<std::tuple<const char*, const char*, const char*>> cases{
      {"h100-sxm:2", "llama-3.1-8b:2", "llama-3.1-8b:2: the host has devices 0-1"},
      {"h100-sxm:1", "llama-3.1-8b:0-3", "llama-3.1-8b:0-3: the host has devices 0"},
      {"h100-sxm:2", "llama-3.1-8b:0,0", "holds another replica"},
      {"h100-sxm:1,l4:1", "llama-3.1-8b:0-1", "in different groups"},
      {"h100-sxm:1", "llama-3.1-70b:0", "memory: llama-3.1-70b in bf16 needs"},
      {"h100-sxm:8", "llama-3.1-70b:0-2", "topology"},
      {"tpu-v5e:8", "llama-3.1-8b:0@fp8", "precision: tpu-v5e does not run fp8"},
      {"h100-sxm:1", "bert-large:0", "cannot be served"},
  };
  for (const auto& [devices, replicas, says] : cases) {
    const Status status = Agent::check(settings_of(devices, replicas), catalogue());
    ASSERT_FALSE(status.ok()) << replicas;
    EXPECT_NE(status.error().message.find(says), std::string::npos) << status.error().message;
  }
}

TEST(AgentCheck, RefusesUnsafeNamesAndOutOfRangeSettings) {
  AgentSettings settings = settings_of("l4", "");
  EXPECT_TRUE(Agent::check(settings, catalogue()).ok());
  settings.rack = "a\x1b[2J";
  EXPECT_FALSE(Agent::check(settings, catalogue()).ok());
  settings.rack = "r";
  settings.labels["team"] = "two words";
  EXPECT_FALSE(Agent::check(settings, catalogue()).ok());
  settings.labels.clear();
  settings.ambient_c = 1000;
  EXPECT_FALSE(Agent::check(settings, catalogue()).ok());
  settings.ambient_c = 22;
  settings.sample_every = Duration(0);
  EXPECT_FALSE(Agent::check(settings, catalogue()).ok());
}

}  // namespace
}  // namespace drover::agents
