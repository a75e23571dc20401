#include "fleet/diagnosis/diagnosis.h"

#include <initializer_list>
#include <utility>

#include <gtest/gtest.h>

namespace drover {
namespace {

using enum SlowCause;
using Values = std::initializer_list<std::pair<Metric, double>>;

DeviceEvidence device(Values values) {
  DeviceEvidence evidence;
  for (const auto& [metric, value] : values) evidence.values[metric] = value;
  evidence.clock_max_mhz = 2'000;
  evidence.power_cap_default_w = 350;
  evidence.pcie_generation_max = 4;
  evidence.pcie_lanes_max = 16;
  return evidence;
}

DeviceEvidence with_work(DeviceEvidence evidence) {
  evidence.has_work = true;
  return evidence;
}

DeviceEvidence with_memory_taken(DeviceEvidence evidence) {
  evidence.memory_taken = true;
  return evidence;
}

/// Its throttle reasons include "idle".
DeviceEvidence of_nvml(DeviceEvidence evidence) {
  evidence.tells_idle = true;
  return evidence;
}

DeviceEvidence paused(Pause pause, std::vector<NeighbourEvidence> neighbours = {}) {
  DeviceEvidence evidence = device({});
  evidence.pause = pause;
  evidence.neighbours = std::move(neighbours);
  return evidence;
}

DeviceEvidence beside(DeviceEvidence evidence, std::vector<double> links) {
  for (const double each : links) evidence.neighbours.push_back({"gpu-a/1", absent, each, false});
  return evidence;
}

/// A busy device without traffic to others, while those beside it use their links.
DeviceEvidence silent_links(double pcie_received) {
  return beside(device({{Metric::utilization, 0.9},
                        {Metric::link_sent, 0},
                        {Metric::link_received, 0},
                        {Metric::pcie_sent, 0},
                        {Metric::pcie_received, pcie_received}}),
                {4e9, 4e9, 0});
}

DeviceEvidence injected(const std::string& fault) {
  DeviceEvidence evidence = device({});
  evidence.injected = {fault};
  return evidence;
}

struct Case {
  const char* title;
  DeviceEvidence device;
  SlowCause cause;
  Severity severity;
  const char* signal;
  const char* what = "";  // words that it must have
};

TEST(Diagnosis, NamesTheCauseItsSeverityAndTheReadingThatShowsIt) {
  constexpr auto critical = Severity::critical, warning = Severity::warning, info = Severity::info;
  for (const Case& c : std::initializer_list<Case>{
           {"hardware heat",
            device({{Metric::throttle, 0x48}, {Metric::temperature, 91}, {Metric::clock, 990}}),
            hardware_thermal, critical, "throttle reason hw thermal, 91C, clock 990 of 2000 MHz"},
           {"power brake", device({{Metric::throttle, 0x88}, {Metric::clock, 600}}), power_brake,
            critical, "throttle reason power brake, clock 600 of 2000 MHz", "the power supply"},
           {"hardware slowdown, whose reason the board does not report",
            device({{Metric::throttle, 0x8}}), hardware_slowdown, critical,
            "throttle reason hw slowdown", "heat, a power brake or too high a draw"},
           {"software heat",
            device({{Metric::throttle, 0x20}, {Metric::temperature, 84}, {Metric::clock, 1'500}}),
            software_thermal, warning, "throttle reason thermal, 84C, clock 1500 of 2000 MHz"},
           {"default cap",
            device({{Metric::throttle, 0x4},
                    {Metric::clock, 1'500},
                    {Metric::power, 349},
                    {Metric::power_cap, 350}}),
            power_cap, warning,
            "throttle reason power cap, 349W, cap 350W, clock 1500 of 2000 MHz"},
           {"cap that somebody chose",
            device({{Metric::throttle, 0x4}, {Metric::power, 199}, {Metric::power_cap, 200}}),
            chosen_limit, info, "throttle reason power cap, 199W, cap 200W"},
           {"clock that somebody chose", device({{Metric::throttle, 0x2}, {Metric::clock, 1'200}}),
            chosen_limit, info, "throttle reason applications clocks, clock 1200 of 2000 MHz"},
           {"reset", device({{Metric::xid, 79}}), xid, critical,
            "Xid 79: GPU has fallen off the bus"},
           {"reset that the driver remembers while work runs",
            device({{Metric::xid, 79}, {Metric::utilization, 0.1}}), xid, warning,
            "Xid 79: GPU has fallen off the bus", "but work runs on it"},
           {"failed work", device({{Metric::xid, 31}}), xid, info, "Xid 31: GPU memory page fault"},
           {"other error", device({{Metric::xid, 63}}), xid, warning,
            "Xid 63: row remapping recorded, pending a reset"},
           {"ECC", device({{Metric::ecc_uncorrected, 2}}), ecc, warning,
            "2 uncorrected since the driver was loaded"},
           {"injected", injected("slow-link=0.3"), injected_fault, warning, "slow-link=0.3"},
           {"busy on a parked clock", device({{Metric::utilization, 0.9}, {Metric::clock, 210}}),
            parked_clock, warning,
            "clock 210 of 2000 MHz without a throttle reason, utilization 90%"},
           {"loaded on a parked clock",
            of_nvml(with_memory_taken(device({{Metric::throttle, 0}, {Metric::clock, 210}}))),
            parked_clock, warning,
            "clock 210 of 2000 MHz without a throttle reason, processes hold memory"},
           {"older and narrower link",
            device({{Metric::utilization, 0.9},
                    {Metric::pcie_generation, 3},
                    {Metric::pcie_lanes, 8}}),
            pcie_link, warning, "PCIe generation 3 of 4 x8 of x16 while it is busy"},
           {"narrower link", device({{Metric::utilization, 0.9}, {Metric::pcie_lanes, 4}}),
            pcie_link, warning, "PCIe x4 of x16 while it is busy"},
           {"silent links", silent_links(2e9), device_links, info,
            "0B/s over its links, while 2 of 3 devices beside it use theirs"},
           {"starved",
            with_work(device({{Metric::utilization, 0.2}, {Metric::busiest_cpu_core, 1}})), starved,
            warning, "utilization 20%, busiest CPU core 100%"},
           {"waits for a peer", paused(Pause::peer), peer, warning,
            "its agent reports the pause peer"},
           {"waits for a throttled peer",
            paused(Pause::peer, {{"gpu-b/2", 0x8, absent, true}, {"gpu-b/3", 0, absent, true}}),
            peer, warning, "its agent reports the pause peer; throttled in its gang: gpu-b/2"},
           {"compiles", paused(Pause::compiling), preparing, info,
            "its agent reports the pause compiling"},
           {"prompts", paused(Pause::prefill), preparing, info,
            "its agent reports the pause prefill"},
           {"memory bound",
            device({{Metric::memory_activity, 0.8}, {Metric::tensor_activity, 0.1}}), memory_bound,
            info, "memory bandwidth 80%, tensor activity 10%"},
       }) {
    const std::vector<LikelyCause> causes = likely_causes(c.device);
    ASSERT_EQ(causes.size(), 1u) << c.title;
    EXPECT_EQ(causes.front().cause, c.cause) << c.title;
    EXPECT_EQ(causes.front().severity, c.severity) << c.title;
    EXPECT_EQ(causes.front().signal, c.signal) << c.title;
    EXPECT_EQ(causes.front().what.starts_with("no fault"),
              c.severity == Severity::info && c.cause != xid && c.cause != device_links)
        << c.title;
    EXPECT_NE(causes.front().what.find(c.what), std::string::npos) << causes.front().what;
  }
}

TEST(Diagnosis, HasNoHintWithoutEvidence) {
  struct Quiet {
    const char* title;
    DeviceEvidence device;
  };
  DeviceEvidence unknown_limits = device({{Metric::utilization, 0.9},
                                          {Metric::clock, 210},
                                          {Metric::pcie_generation, 1},
                                          {Metric::pcie_lanes, 1}});
  unknown_limits.clock_max_mhz = absent;
  unknown_limits.pcie_generation_max = unknown_limits.pcie_lanes_max = 0;
  for (const Quiet& c : std::initializer_list<Quiet>{
           {"nothing is known", DeviceEvidence{}},
           {"limits are not known", unknown_limits},
           {"an idle board parks clock and link",
            of_nvml(with_memory_taken(device({{Metric::utilization, 0},
                                              {Metric::throttle, 0x1},
                                              {Metric::clock, 210},
                                              {Metric::pcie_generation, 1}})))},
           {"an idle board whose reasons are not known",
            of_nvml(with_memory_taken(device({{Metric::utilization, 0}, {Metric::clock, 210}})))},
           {"an idle board of a maker that has no reason 'idle'",
            with_memory_taken(
                device({{Metric::utilization, 0}, {Metric::throttle, 0}, {Metric::clock, 210}}))},
           {"a power cap that costs no clock",
            device({{Metric::throttle, 0x4}, {Metric::clock, 2'000}, {Metric::power_cap, 350}})},
           {"a busy board at its clock", device({{Metric::utilization, 0.9},
                                                 {Metric::clock, 1'980},
                                                 {Metric::throttle, 0},
                                                 {Metric::pcie_generation, 4},
                                                 {Metric::pcie_lanes, 16},
                                                 {Metric::xid, 0},
                                                 {Metric::ecc_uncorrected, 0},
                                                 {Metric::busiest_cpu_core, 1},
                                                 {Metric::memory_activity, 0.7},
                                                 {Metric::tensor_activity, 0.6}})},
           {"a saturated core without work on the board",
            device({{Metric::utilization, 0.2}, {Metric::busiest_cpu_core, 1}})},
           {"a process on an idle board, as of a desktop, and a saturated core",
            with_work(device({{Metric::utilization, 0}, {Metric::busiest_cpu_core, 1}}))},
           {"silent links, as those beside it", beside(device({{Metric::utilization, 0.9},
                                                               {Metric::link_sent, 0},
                                                               {Metric::link_received, 0},
                                                               {Metric::pcie_sent, 1e9},
                                                               {Metric::pcie_received, 0}}),
                                                       {0, 0, 5e6})},
           {"silent links and a silent PCIe link: it computes", silent_links(0)},
           {"silent links and a PCIe link that is not known", silent_links(absent)},
           {"links that are not known",
            beside(device({{Metric::utilization, 0.9}}), {4e9, 4e9, 4e9})},
           {"memory without knowing the matrix units", device({{Metric::memory_activity, 0.9}})},
       }) {
    for (const LikelyCause& cause : likely_causes(c.device)) {
      ADD_FAILURE() << c.title << ": " << to_text(cause.cause) << ": " << cause.signal;
    }
  }
}

TEST(Diagnosis, OrdersBySeverityAndThenByLikelihood) {
  DeviceEvidence all = with_work(device({{Metric::throttle, 0x6C},
                                         {Metric::clock, 500},
                                         {Metric::power_cap, 200},
                                         {Metric::xid, 79},
                                         {Metric::utilization, 0.3},
                                         {Metric::busiest_cpu_core, 0.99},
                                         {Metric::ecc_uncorrected, 1},
                                         {Metric::memory_activity, 0.9},
                                         {Metric::tensor_activity, 0}}));
  all.pause = Pause::peer;
  std::vector<SlowCause> order;
  for (const LikelyCause& cause : likely_causes(all)) order.push_back(cause.cause);
  EXPECT_EQ(order, (std::vector<SlowCause>{hardware_thermal, xid, ecc, software_thermal, starved,
                                           peer, memory_bound, chosen_limit}));
}

}  // namespace
}  // namespace drover
