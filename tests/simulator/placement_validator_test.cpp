// What devices cannot run, judged apart from the router: every kind of exclusion is found, and so
// is an assignment that breaks one.
#include <gtest/gtest.h>

#include "fleet/base/text.h"
#include "simulator/placement_validator.h"
#include "tests/simulator/fleet_under_test.h"

namespace drover::simulator {
namespace {

Workload trains(const char* model, std::uint32_t batch, std::uint16_t gang) {
  RandomStream random(1);
  Job job = training(random, model, gang, 10);
  job.work.batch = batch;
  return job.work;
}

std::string judged(const Workload& work, const char* device, Precision precision, int count,
                   bool degraded = false) {
  const devices::Catalogue& catalogue = devices::Catalogue::embedded();
  const auto found =
      placement_violations({&work, &(*catalogue.model(work.model))->spec,
                            &(*catalogue.device(device))->spec, count, precision, 0, degraded});
  std::string all;
  for (const std::string& each : found) all += (all.empty() ? "" : "; ") + each;
  return all;
}

TEST(Exclusions, NameWhateverADeviceLacks) {
  Workload image = trains("resnet-50", 32, 1);
  EXPECT_EQ(judged(image, "k80", Precision::fp32, 1), "");
  EXPECT_EQ(judged(image, "k80", Precision::bf16, 1), "k80 does not run bf16");
  EXPECT_EQ(judged(trains("resnet-50", 2048, 1), "k80", Precision::fp32, 1).substr(0, 4), "")
      << "a batch too large is split";

  image.precisions = {Precision::fp32};
  EXPECT_EQ(judged(image, "h100-sxm", Precision::bf16, 1), "bf16 is none of the job's precisions");
  EXPECT_EQ(judged(image, "h100-sxm", Precision::bf16, 1, true), "") << "the decision declared it";

  Workload three = trains("bert-large", 24, 3);
  EXPECT_EQ(judged(three, "h100-sxm", Precision::bf16, 3), "");
  EXPECT_EQ(judged(three, "tpu-v5e", Precision::bf16, 3), "tpu-v5e has no slices of 3");
  three.ops = {"custom_cuda"};
  EXPECT_EQ(judged(three, "h100-sxm", Precision::bf16, 3), "");
  EXPECT_EQ(judged(three, "tpu-v5e", Precision::bf16, 3),
            "tpu-v5e has no custom_cuda; tpu-v5e has no slices of 3");

  EXPECT_NE(judged(trains("llama-3.1-8b", 8, 1), "k80", Precision::fp32, 1), "") << "no memory";
  Workload long_text = trains("bert-large", 8, 1);
  long_text.sequence = 100'000;
  EXPECT_NE(judged(long_text, "h100-sxm", Precision::bf16, 1).find("100000 tokens"),
            std::string::npos);
  Workload tried = trains("resnet-50", 32, 2);
  tried.throughputs = {{"k80", 2, 0}};
  EXPECT_EQ(judged(tried, "k80", Precision::fp32, 2), "was tried on 2 k80 and does not run");
}

TEST(Exclusions, OfARequestAreThoseOfTheReplicaThatAnswersIt) {
  const std::vector<agents::AgentSettings> hosts = mixed_hosts();
  PlacementValidator book(hosts, devices::Catalogue::embedded());
  RandomStream random(1);
  Assign assign;
  assign.job = chat(random, "llama-3.1-70b");
  assign.replica = 0;
  book.assigned("v5e-1", assign);
  ASSERT_EQ(book.violations().size(), 1U) << "nobody told of the replica";

  Replica replica;
  replica.id = {"v5e-1", 0};
  replica.model = "llama-3.1-70b";
  replica.precision = Precision::int8;
  replica.devices = {0, 1, 2, 3, 4, 5, 6, 7};
  book.published({"router", 1, Instant{}, ReplicaChanged{replica, ""}});
  book.assigned("v5e-1", assign);
  EXPECT_EQ(book.violations().size(), 1U);
  assign.job.work.precisions = {Precision::bf16};
  book.assigned("v5e-1", assign);
  ASSERT_EQ(book.violations().size(), 2U);
  EXPECT_NE(book.violations()[1].find("int8 is none of the job's precisions"), std::string::npos);
  Decision decision;
  decision.job = assign.job.id;
  decision.change = "degraded bf16 -> int8";
  book.published({"router", 2, Instant{}, decision});
  book.assigned("v5e-1", assign);
  EXPECT_EQ(book.violations().size(), 2U) << "declared";
  EXPECT_EQ(book.checked(), 4U);
}

TEST(Exclusions, OfAGangIncludeMissingDevicesAndAWrongDeviceCount) {
  PlacementValidator book(mixed_hosts(), devices::Catalogue::embedded());
  RandomStream random(1);
  Assign assign;
  assign.job = training(random, "bert-large", 4, 10);
  const std::vector<std::vector<std::uint16_t>> places = {
      {0, 1, 2, 3}, {0, 1, 2}, {6, 7, 8, 9}, {}};
  for (const auto& devices : places) {
    assign.devices = devices;
    book.assigned("h100-1", assign);
  }
  ASSERT_EQ(book.violations().size(), 3U);
  EXPECT_NE(book.violations()[0].find("3 devices, it asks for 4"), std::string::npos);
  EXPECT_NE(book.violations()[1].find("no such device"), std::string::npos);
  EXPECT_NE(book.violations()[2].find("no devices"), std::string::npos);
}

TEST(Exclusions, OfAMultiHostGangCoverTheWholeGang) {
  PlacementValidator book(mixed_hosts(), devices::Catalogue::embedded());
  RandomStream random(1);
  Assign assign;
  assign.job = training(random, "bert-large", 16, 10);
  assign.attempt = 1;
  assign.gang = GangLayout{16, 8, {}};
  assign.devices = {0, 1, 2, 3, 4, 5, 6, 7};
  book.assigned("v5e-1", assign);
  book.assigned("v5e-2", assign);
  EXPECT_EQ(book.violations(), std::vector<std::string>{});
  book.assigned("v5e-1", assign);
  ASSERT_EQ(book.violations().size(), 1U);
  EXPECT_NE(book.violations()[0].find("24 devices, it asks for 16"), std::string::npos);
  assign.attempt = 2;
  assign.gang->per_host = 3;
  book.assigned("v5e-1", assign);
  EXPECT_NE(book.violations().back().find("has no slices of 3"), std::string::npos);
}

}  // namespace
}  // namespace drover::simulator
