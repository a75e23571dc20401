// The policy that a router uses when no other is given: every device of the catalogue is of use.
#include <map>
#include <string>

#include <gtest/gtest.h>

#include "router/lint/policy_file.h"
#include "tests/router/decision_fixture.h"

namespace drover::router {
namespace {

/// One rule and one pool for whatever there is: what devices can do.
constexpr const char* whatever = R"([pool.any]
match = {}
[[rule]]
name = "any"
)";

struct Work {
  const char* what;
  Job (*make)(DecisionFixture& fleet);
};

Job with(Job job, void (*change)(Job& job)) {
  change(job);
  return job;
}

const Work works[] = {
    {"chat, small", [](DecisionFixture& fleet) { return fleet.request(); }},
    {"chat, large", [](DecisionFixture& fleet) { return fleet.request("llama-3.1-70b"); }},
    {"batch",
     [](DecisionFixture& fleet) {
       return with(fleet.request(), [](Job& job) { job.work.kind = WorkKind::batch; });
     }},
    {"training on one", [](DecisionFixture& fleet) { return fleet.training(1, "resnet-50"); }},
    {"training on one in fp32",
     [](DecisionFixture& fleet) {
       return with(fleet.training(1, "resnet-50"),
                   [](Job& job) { job.work.precisions = {Precision::fp32}; });
     }},
    {"training on four", [](DecisionFixture& fleet) { return fleet.training(4, "resnet-50"); }},
};

/// One host with eight devices; requests ask where a replica could be loaded.
bool placed(const std::string& policy, const std::string& device, const Work& work) {
  DecisionFixture fleet(policy);
  fleet.add_host("host", device, 8, device.rfind("tpu-", 0) == 0 ? "2x4" : "");
  Job job = work.make(fleet);
  if (job.work.kind != WorkKind::train) return fleet.decide_replica(job).place.has_value();
  job.work.sequence = 1;
  return fleet.decide(job).place.has_value();
}

TEST(BuiltinPolicy, EachDeviceOfTheCatalogueGetsTheWorkThatItCanRun) {
  const std::string builtin(builtin_policy_text());
  std::map<std::string, int> runs;  // by what
  for (const auto& [id, entry] : devices::Catalogue::embedded().devices()) {
    int of_device = 0;
    for (const Work& work : works) {
      const bool able = placed(whatever, id, work);
      // More it may: it accepts int8, where devices alone take their best precision.
      EXPECT_TRUE(placed(builtin, id, work) || !able) << id << ", " << work.what;
      runs[work.what] += able ? 1 : 0;
      of_device += able ? 1 : 0;
    }
    EXPECT_GT(of_device, 0) << id << " can run nothing of this table";
  }
  for (const Work& work : works) EXPECT_GT(runs[work.what], 20) << work.what;
}

TEST(BuiltinPolicy, EachDeviceOfTheCatalogueIsInOnePool) {
  DecisionFixture fleet{std::string(builtin_policy_text())};
  for (const auto& [id, entry] : devices::Catalogue::embedded().devices()) {
    fleet.add_host("with-" + id, id, 1);
  }
  for (const GroupEntry& group : fleet.fleet_state.groups()) {
    EXPECT_EQ(group.pools.size(), 1U) << group.group.device;
  }
}

}  // namespace
}  // namespace drover::router
