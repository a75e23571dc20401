// What an agent's devices look like to readers of NVML.
#include "agents/fake_nvml/records.h"

#include <gtest/gtest.h>

#include <set>

#include "tests/agents/agent_harness.h"

namespace drover::fake_nvml {
namespace {

using agents::AgentDialogue;
using agents::fault;
using std::chrono::seconds;

struct Host {
  explicit Host(const std::string& devices, const std::string& replicas = "")
      : settings(agents::settings_of(devices, replicas)), dialogue(settings) {
    dialogue.welcome();
  }
  Records records() { return fake_nvml::records(settings.host, dialogue.agent, dialogue.now); }

  agents::AgentSettings settings;
  AgentDialogue dialogue;
};

std::string text(const auto& field) { return field.data(); }

TEST(NvmlRecords, ShowGpusOfNvidiaInTheOrderOfTheAgent) {
  Host host("mi300x:1,h100-sxm:2,tpu-v5e:1,l4:1");
  EXPECT_EQ(device_count(host.settings, agents::catalogue()), 3u);
  const Records records = host.records();
  ASSERT_EQ(records.devices.size(), 3u);
  EXPECT_EQ(text(records.devices[0].name), "NVIDIA H100 SXM5 80GB");
  EXPECT_EQ(text(records.devices[2].name), "NVIDIA L4");
  // Faults name devices by their index on the host.
  host.dialogue.from_router(fault("xid=31", seconds(9), {4}));
  EXPECT_EQ(host.records().errors[0].device, 2u);
}

TEST(NvmlRecords, IdentitiesDifferAndStayTheSameAfterARestart) {
  const Records first = Host("h100-sxm:8").records();
  const Records again = Host("h100-sxm:8").records();
  std::set<std::string> identities;
  for (std::size_t at = 0; at < first.devices.size(); ++at) {
    EXPECT_EQ(first.devices[at].uuid, again.devices[at].uuid);
    EXPECT_EQ(text(first.devices[at].uuid).size(), 40u);
    identities.insert(text(first.devices[at].uuid));
    identities.insert(text(first.devices[at].serial));
  }
  EXPECT_EQ(identities.size(), 16u);
}

TEST(NvmlRecords, HaveTheSameReadingsAsSamples) {
  Host host("h100-sxm:1", "llama-3.1-8b:0");
  const NvmlDevice device = host.records().devices[0];
  const Sample sample = host.dialogue.agent.published(host.dialogue.now)[0].sample;
  EXPECT_EQ(device.memory_used, static_cast<std::uint64_t>(sample[Metric::memory_used] + 0.5));
  EXPECT_NEAR(device.power_mw, sample[Metric::power] * 1000, 1);
  EXPECT_NEAR(device.temperature_c, sample[Metric::temperature], 0.5);
  EXPECT_NEAR(device.clock_mhz, sample[Metric::clock], 0.5);
  EXPECT_EQ(device.power_limit_mw, 700'000u);
}

TEST(NvmlRecords, ShowTheWorkOnADeviceAsAProcess) {
  Host host("h100-sxm:2,l4:1", "llama-3.1-8b:0-1");
  const Records records = host.records();
  EXPECT_EQ(text(records.devices[0].process.name), "serve llama-3.1-8b");
  EXPECT_GE(records.devices[0].process.pid, pid_base);
  EXPECT_EQ(records.devices[0].process.pid, records.devices[1].process.pid)
      << "one replica on two devices is one process";
  EXPECT_EQ(records.devices[2].process.pid, 0u);
  const Job job = agents::train_job(1, "llama-3.1-8b", 1000, 8, 2048, 8);
  Host trainer("h100-sxm:8");
  trainer.dialogue.from_router(agents::to_devices(job, {0, 1, 2, 3, 4, 5, 6, 7}));
  EXPECT_EQ(text(trainer.records().devices[7].process.name), "train llama-3.1-8b");
}

TEST(NvmlRecords, CountMemoryErrorsAndKeepTheNewestXids) {
  Host host("h100-sxm:2");
  host.dialogue.from_router(fault("ecc", seconds(9), {1}));
  host.dialogue.from_router(fault("xid=94", seconds(9), {1}));
  host.dialogue.from_router(fault("xid=92", seconds(9), {1}));
  host.dialogue.from_router(fault("hang", seconds(9), {1}));  // the driver does not notice it
  Records records = host.records();
  EXPECT_EQ(records.devices[0].ecc_uncorrected, 0u);
  EXPECT_EQ(records.devices[1].ecc_uncorrected, 2u);
  EXPECT_EQ(records.devices[1].ecc_corrected, 1u);
  EXPECT_EQ(records.errors_total, 3u);
  EXPECT_EQ(records.errors[0].xid, 0u) << "of a fault without an Xid";
  EXPECT_EQ(records.errors[1].xid, 94u);
  for (std::uint32_t at = 0; at < errors_kept; ++at) {
    host.dialogue.from_router(fault("xid=13", seconds(9), {0}));
  }
  records = host.records();
  EXPECT_EQ(records.errors_total, errors_kept + 3);
  EXPECT_EQ(records.errors[2].xid, 13u) << "error 66 replaced error 2";
}

TEST(NvmlRecords, ALostDeviceIsMarkedAndReportsXid79) {
  Host host("h100-sxm:2");
  host.dialogue.from_router(fault("lose", seconds(9), {1}));
  const Records records = host.records();
  EXPECT_EQ(records.devices[0].lost, 0u);
  EXPECT_EQ(records.devices[1].lost, 1u);
  EXPECT_EQ(records.errors[0].xid, 79u);
  host.dialogue.pass(seconds(10), seconds(1));
  EXPECT_EQ(host.records().devices[1].lost, 0u);
}

struct Facts {
  const char* device;
  std::uint32_t architecture, compute_major, compute_minor, nvlinks, link_mb_s;
};

// NVIDIA's data sheets and the CUDA C++ Programming Guide.
TEST(NvmlRecords, KnowChipsAndLinksOfEachGeneration) {
  for (const Facts& facts :
       {Facts{"p100-sxm2", 4, 6, 0, 4, 20'000}, Facts{"v100-sxm2-32gb", 5, 7, 0, 6, 25'000},
        Facts{"t4", 6, 7, 5, 0, 0}, Facts{"a100-sxm-80gb", 7, 8, 0, 12, 25'000},
        Facts{"rtx-3090", 7, 8, 6, 4, 14'062}, Facts{"l40s", 8, 8, 9, 0, 0},
        Facts{"h100-sxm", 9, 9, 0, 18, 25'000}, Facts{"b200-sxm", 10, 10, 0, 18, 50'000},
        Facts{"rtx-5090", 10, 12, 0, 0, 0}}) {
    const NvmlDevice device = Host(facts.device).records().devices[0];
    EXPECT_EQ(device.architecture, facts.architecture) << facts.device;
    EXPECT_EQ(device.compute_major, facts.compute_major) << facts.device;
    EXPECT_EQ(device.compute_minor, facts.compute_minor) << facts.device;
    EXPECT_EQ(device.nvlinks, facts.nvlinks) << facts.device;
    EXPECT_EQ(device.nvlink_mb_s, facts.link_mb_s) << facts.device;
  }
}

// A generation without a row, or a smaller chip whose id has changed, would be shown as unknown.
TEST(NvmlRecords, EveryNvidiaDeviceOfTheCatalogueIsKnown) {
  for (const auto& [id, entry] : agents::catalogue().devices()) {
    if (entry.spec.vendor != "nvidia") continue;
    const NvmlDevice device = Host(id).records().devices[0];
    EXPECT_NE(device.architecture, 0xffffffffU) << id;
    EXPECT_GE(device.compute_major, 3u) << id;
    EXPECT_EQ(device.nvlinks > 0, entry.spec.links.bandwidth > 0 && entry.spec.links.domain > 1)
        << id;
  }
}

}  // namespace
}  // namespace drover::fake_nvml
