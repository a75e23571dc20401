// Real devices on the screen: a GPU with processes and partitions, a TPU that does not say all, a
// board in no catalogue, beside an emulated fleet.
#include <gtest/gtest.h>

#include "tests/tui/golden_screen.h"
#include "tests/tui/sample_fleet.h"

namespace drover::tui {
namespace {

constexpr double gibibyte = 1024.0 * 1024.0 * 1024.0;
constexpr int sampled_seconds = 40;

constexpr const char* gpu_text = R"(class = "gpu"
real = true
name = "NVIDIA A100 SXM4 80GB"
[peak_tflops]
bf16 = 312
[clock]
nominal_mhz = 1410
boost_mhz = 1410
[thermal]
max_c = 85
[memory]
capacity_gib = 80
bandwidth_gb_s = 2039
[power]
tdp_w = 400
idle_w = 55
[price]
usd_per_h = 3.43
)";
constexpr const char* tpu_text = R"(class = "tpu"
real = true
name = "Google TPU v5e"
[peak_tflops]
bf16 = 197
[memory]
capacity_gib = 16
bandwidth_gb_s = 819
[price]
usd_per_h = 1.2
)";
constexpr const char* unlisted_text = R"(class = "gpu"
real = true
name = "NVIDIA RTX A4000"
[memory]
capacity_gib = 16
)";

HostChanged host_of(const std::string& name, std::vector<SpecText> specs) {
  HostChanged host;
  host.registration.host = name;
  host.registration.specs = std::move(specs);
  std::uint16_t number = 0;
  for (const SpecText& spec : host.registration.specs) {
    host.registration.groups.push_back({number, number, 1, spec.id, "", 0});
    ++number;
  }
  host.since = SampleFleet::start;
  return host;
}

Board gpu_board() {
  Board board;
  board.name = "NVIDIA A100-SXM4-80GB";
  board.uuid = "GPU-c2f76b33-7953-256e-8f33-1343419b1a1c";
  board.bus = "0000:31:00.0";
  board.driver = "NVIDIA 580.105.08";
  board.read_by = "NVML";
  board.power_cap_min_w = 100;
  board.power_cap_max_w = board.power_cap_default_w = 400;
  board.clock_max_mhz = 1'410;
  board.pcie_generation_max = 4;
  board.pcie_lanes_max = 16;
  board.missing = {{static_cast<std::uint8_t>(Metric::fan), "the driver answers: not supported"}};
  board.processes = {
      {4'711, "alice", "python3 train.py --config large.yaml", "alice", 41.5 * gibibyte, 0.83},
      {99, "", "lab/llm-7f9c/server", "lab", 20 * gibibyte, {}},
      {812'345, "bob", "ollama", "bob", 0.5 * gibibyte, 0.0}};
  board.processes_known = true;
  board.processes_left_out = 2;
  board.partitions = {
      {7, "1g.10gb", "MIG-0a1b2c3d-aaaa-bbbb-cccc-1343419b1a1c", 2 * gibibyte, 9.5 * gibibyte, 0.4},
      {8, "3g.40gb", "", {}, 39 * gibibyte, {}}};
  return board;
}

Board tpu_board() {
  Board board;
  board.name = "TPU v5e";
  board.bus = "0000:00:05.0";
  board.read_by = "libtpu";
  const std::string neither = "Google publishes neither power nor temperature for a TPU VM";
  for (const Metric metric : {Metric::power, Metric::temperature}) {
    board.missing.push_back({static_cast<std::uint8_t>(metric), neither});
  }
  board.missing.push_back(
      {static_cast<std::uint8_t>(Metric::clock), "Google does not publish it for a TPU VM"});
  return board;
}

Sample gpu_sample() {
  Sample sample;
  sample[Metric::utilization] = 0.97;
  sample[Metric::tensor_activity] = 0.12;
  sample[Metric::memory_activity] = 0.81;
  sample[Metric::memory_used] = 62 * gibibyte;
  sample[Metric::memory_total] = 80 * gibibyte;
  sample[Metric::power] = 248;
  sample[Metric::power_cap] = 250;
  sample[Metric::temperature] = 93;
  sample[Metric::memory_temperature] = 88;
  sample[Metric::clock] = 705;
  sample[Metric::throttle] =
      throttle_hw_slowdown | throttle_hw_thermal_slowdown | throttle_sw_power_cap;
  sample[Metric::energy] = 3.2e9;
  sample[Metric::memory_clock] = 1'593;
  sample[Metric::pcie_sent] = 12.5e6;
  sample[Metric::pcie_received] = 1.1e9;
  sample[Metric::link_sent] = sample[Metric::link_received] = 22e9;
  sample[Metric::pcie_generation] = 3;
  sample[Metric::pcie_lanes] = 16;
  sample[Metric::ecc_corrected] = 17;
  sample[Metric::ecc_uncorrected] = 0;
  sample[Metric::xid] = 94;
  sample[Metric::busiest_cpu_core] = 0.41;
  return sample;
}

Sample tpu_sample() {
  Sample sample;
  sample[Metric::utilization] = 0.64;
  sample[Metric::memory_used] = 9 * gibibyte;
  sample[Metric::memory_total] = 16 * gibibyte;
  return sample;
}

/// The sample fleet, and beside it node-7 with two real GPUs, one in no catalogue, and a TPU VM.
std::unique_ptr<Dashboard> mixed_fleet(SampleFleet& fleet, Size size, const std::string& view,
                                       const std::string& device = "", bool ascii = false) {
  DashboardOptions options;
  options.settings.start.view = view;
  options.ascii = ascii;
  options.device = device;
  options.connected_to = "tcp://127.0.0.1:7700";
  auto dashboard = std::make_unique<Dashboard>(options, size, SampleFleet::start);
  feed_snapshot(*dashboard, fleet, SampleFleet::start);
  const auto tell = [&](Message body, int second) {
    const Instant at = SampleFleet::start + std::chrono::seconds(second);
    dashboard->receive(at, publish_peer, fleet.published(std::move(body), at));
  };
  tell(host_of("node-7", {{"a100-sxm-80gb", gpu_text}, {"nvidia-rtx-a4000", unlisted_text}}), 0);
  tell(host_of("tpu-vm", {{"tpu-v5e", tpu_text}}), 0);
  tell(BoardChanged{"node-7", gpu_board()}, 0);
  tell(BoardChanged{"tpu-vm", tpu_board()}, 0);
  for (int second = 0; second < sampled_seconds; ++second) {
    const Instant at = SampleFleet::start + std::chrono::seconds(second);
    for (const Envelope& batch : fleet.samples(second)) {
      dashboard->receive(at, publish_peer, batch);
    }
    Sample gpu = gpu_sample();
    gpu[Metric::power] += 3 * (second % 2);
    Sample unlisted;
    unlisted.device = 1;
    unlisted[Metric::utilization] = 0.05;
    for (auto& [host, rows] : std::vector<std::pair<std::string, std::vector<Sample>>>{
             {"node-7", {gpu, unlisted}}, {"tpu-vm", {tpu_sample()}}}) {
      const auto number = static_cast<std::uint64_t>(second) + 1;
      dashboard->receive(at, publish_peer,
                         {host, number, at, pack(host, rows, SampleSteps::of_drivers)});
    }
    dashboard->tick(at);
  }
  (void)dashboard->take_effects();
  dashboard->draw(SampleFleet::after_40s);
  return dashboard;
}

void press(Dashboard& dashboard, const std::vector<const char*>& keys) {
  for (const char* key : keys) dashboard.press(SampleFleet::after_40s, {key});
}

std::string shown(Dashboard& dashboard) { return dashboard.draw(SampleFleet::after_40s).to_text(); }

struct RealScenario {
  const char* name;
  const char* view;
  const char* device;
  std::vector<const char*> keys;
};

TEST(RealDevices, LookAsReviewed) {
  for (const RealScenario& scenario : std::vector<RealScenario>{
           {"real-mixed", "devices", "", {"G"}},
           {"real-gpu", "device", "node-7/0", {}},
           {"real-gpu-end", "device", "node-7/0", {"G"}},
           {"real-tpu", "device", "tpu-vm/0", {}},
           {"real-users", "users", "", {"j", "j"}},
           {"real-tpu-power", "device", "tpu-vm/0", {"l", "l", "l", "Enter"}},
       }) {
    for (const Size size : {Size{80, 24}, Size{120, 40}, Size{200, 60}}) {
      SampleFleet fleet;
      const auto dashboard = mixed_fleet(fleet, size, scenario.view, scenario.device);
      press(*dashboard, scenario.keys);
      const Canvas& canvas = dashboard->draw(SampleFleet::after_40s);
      expect_whole_rows(canvas);
      expect_screen(std::string(scenario.name) + "-" + std::to_string(size.columns),
                    styled_text(canvas));
    }
  }
}

TEST(RealDevices, AreMarkedAndCountedBesideEmulatedOnes) {
  SampleFleet fleet;
  const auto dashboard = mixed_fleet(fleet, {120, 60}, "devices");
  const std::string text = shown(*dashboard);
  EXPECT_NE(text.find(", 3 real (=)"), std::string::npos) << text;
  EXPECT_NE(line_with(text, "node-7/0").find("=a100-sxm-80"), std::string::npos) << text;
  const std::string emulated = line_with(text, "gpu-b/0");
  EXPECT_NE(emulated.find(" a100-sxm-80gb"), std::string::npos) << text;
  EXPECT_EQ(emulated.find('='), std::string::npos) << text;
  // What the driver says, not the id that was made of it.
  EXPECT_NE(line_with(text, "node-7/1").find("=NVIDIA RTX"), std::string::npos) << text;
}

TEST(RealDevices, WhoseNameNobodySaysHaveNone) {
  SampleFleet fleet;
  const auto dashboard = mixed_fleet(fleet, {120, 120}, "device", "node-8/0");
  const char* const nameless = "class = \"gpu\"\nreal = true\nname = \"unknown-gpu\"\n";
  dashboard->receive(SampleFleet::after_40s, publish_peer,
                     fleet.published(host_of("node-8", {{"unknown-gpu", nameless}})));
  const std::string text = shown(*dashboard);
  EXPECT_NE(text.find("Device node-8/0, unknown-gpu, real"), std::string::npos) << text;
  EXPECT_NE(line_with(text, " name  ").find("N/A"), std::string::npos) << text;
}

TEST(RealDevices, HaveNoRequestsInTheFleetView) {
  SampleFleet fleet;
  const auto dashboard = mixed_fleet(fleet, {120, 40}, "fleet", "node-7/0");
  const std::string text = shown(*dashboard);
  ASSERT_NE(text.find("Device node-7/0"), std::string::npos) << text;
  EXPECT_EQ(text.find("N/A running"), std::string::npos) << text;
}

TEST(RealDevices, OpenAMissingValueToReadTheMakersReasonInFull) {
  SampleFleet fleet;
  for (const Size size : {Size{80, 24}, Size{200, 60}}) {
    const auto dashboard = mixed_fleet(fleet, size, "device", "tpu-vm/0");
    press(*dashboard, {"l", "l", "l", "Enter"});
    std::string words;
    for (const char letter : shown(*dashboard)) {
      if (letter != '\n' || !words.ends_with(' ')) words += letter == '\n' ? ' ' : letter;
      if (words.ends_with("  ")) words.pop_back();
    }
    EXPECT_NE(words.find("N/A power: Google publishes neither power nor temperature for a TPU VM"),
              std::string::npos)
        << words;
  }
}

TEST(RealDevices, SayOfOtherMissingValuesWhoDoesNotReportThem) {
  SampleFleet fleet;
  const auto dashboard = mixed_fleet(fleet, {120, 40}, "device", "tpu-vm/0");
  press(*dashboard, {"l", "l", "l", "l", "l", "Enter"});  // PCIe
  EXPECT_NE(shown(*dashboard).find("pcie sent: libtpu does not report it"), std::string::npos)
      << shown(*dashboard);
  press(*dashboard, {"Esc", "h", "h", "h", "h", "h", "Enter"});
  EXPECT_NE(shown(*dashboard).find("CPU core: N/A"), std::string::npos) << shown(*dashboard);
}

TEST(RealDevices, OfAnEmulatedDeviceAMissingValueIsExplainedToo) {
  SampleFleet fleet;
  const auto dashboard = mixed_fleet(fleet, {120, 40}, "device", "gpu-b/0");
  press(*dashboard, {"l", "l", "l", "l", "Enter"});  // temperature
  EXPECT_NE(shown(*dashboard).find("memory temperature: this board has no sensor for it"),
            std::string::npos)
      << shown(*dashboard);
}

TEST(RealDevices, ShowWhatSlowsThemDown) {
  SampleFleet fleet;
  const auto dashboard = mixed_fleet(fleet, {120, 120}, "device", "node-7/0");
  const std::string text = shown(*dashboard);
  EXPECT_NE(line_with(text, "reporting").find("slow: hw thermal"), std::string::npos) << text;
  EXPECT_NE(text.find("Why is it slow?"), std::string::npos) << text;
  EXPECT_NE(text.find("signal: throttle reason hw thermal, 93C, clock 705 of 1410 MHz"),
            std::string::npos)
      << text;
  EXPECT_NE(text.find("no fault: a power cap below the usual 400W was set for it"),
            std::string::npos)
      << text;
  EXPECT_LT(text.find("hw thermal: "), text.find("chosen limit: ")) << text;
}

TEST(RealDevices, WithoutACauseHaveNoPanelOfCauses) {
  SampleFleet fleet;
  const auto dashboard = mixed_fleet(fleet, {120, 120}, "device", "tpu-vm/0");
  EXPECT_EQ(shown(*dashboard).find("Why is it slow?"), std::string::npos) << shown(*dashboard);
}

TEST(RealDevices, AreShownInAsciiOnly) {
  SampleFleet fleet;
  for (const char* device : {"node-7/0", "tpu-vm/0"}) {
    const auto dashboard = mixed_fleet(fleet, {120, 120}, "device", device, true);
    for (const char letter : shown(*dashboard)) {
      ASSERT_TRUE(letter == '\n' || (letter >= 0x20 && letter < 0x7F)) << device;
    }
  }
}

TEST(RealDevices, ListTheirProcessesAndHowManyAreLeftOut) {
  SampleFleet fleet;
  const auto dashboard = mixed_fleet(fleet, {120, 120}, "device", "node-7/0");
  const std::string text = shown(*dashboard);
  EXPECT_NE(text.find("Processes 5"), std::string::npos) << text;
  EXPECT_NE(text.find("2 with less memory left out"), std::string::npos) << text;
  const std::string alice = line_with(text, "alice");
  for (const char* part : {"4711", "python3 train.py", "41.5G", "83%"}) {
    EXPECT_NE(alice.find(part), std::string::npos) << part << ": " << alice;
  }
  EXPECT_LT(text.find("4711"), text.find("llm-7f9c")) << text;
  EXPECT_NE(text.find("MIG instances"), std::string::npos) << text;
}

}  // namespace
}  // namespace drover::tui
