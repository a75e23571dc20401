// A hostile NVML for the tests: a library with NVIDIA's symbols whose boards do what a test says.
//
// The tests open it by its path, as the product does, and change its state through the pointer that
// `fake_nvml_state` returns. A second build of it, without the newer symbols, is an old driver.
#pragma once

#include <chrono>
#include <cstdint>
#include <map>
#include <mutex>
#include <string>
#include <vector>

#include "agents/drivers/nvml/nvml_library.h"

namespace drover::agents {

struct FakePartition {
  unsigned number = 0;
  std::string name;
  std::string uuid;
  nvml::Memory memory{};
};

struct FakeLink {
  bool active = true;
  unsigned end = nvml::link_end_switch;
  unsigned peer_bus = 0xc0;
  std::uint64_t errors = 0;  // of each counter
  bool exists = true;        // false: a gap in the numbers
  bool peer_known = true;
};

struct FakeBoard {
  std::string name = "NVIDIA H100 80GB HBM3";
  std::string uuid;
  unsigned bus = 0;
  /// What functions answer instead of their values, by symbol. Of a field: "field 82"; of
  /// errors of links: "link counter 3".
  std::map<std::string, int> answers;
  /// How long functions take, by symbol.
  std::map<std::string, std::chrono::milliseconds> hangs;
  bool lost = false;
  unsigned persistence = 1;

  nvml::Utilization utilization{50, 30};
  nvml::MemoryVersion2 memory{0, 80'000'000'000, 500'000'000, 39'500'000'000, 40'000'000'000};
  unsigned power_mw = 350'000;
  std::uint64_t energy_mj = 123'456'000;
  unsigned temperature_c = 61;
  unsigned clock_mhz = 1755;
  unsigned memory_clock_mhz = 2619;
  std::uint64_t throttle = 0x4;
  std::uint64_t violations_ns[4] = {2'500'000'000, 1'000'000'000, 0, 500'000'000};
  std::uint64_t ecc_errors[2] = {7, 1};
  unsigned pcie_kb_per_s[2] = {1200, 3400};
  unsigned fan_percent = 45;
  std::map<unsigned, double> fields{{82, 72}, {138, 0}, {139, 0}, {185, 340'000}, {186, 360'000}};
  unsigned cap_mw = 700'000;
  unsigned cap_range_mw[2] = {200'000, 700'000};

  std::vector<nvml::Process> compute;
  std::vector<nvml::Process> graphics;
  std::vector<nvml::ProcessShare> shares;
  std::vector<std::uint64_t> xids;  // that wait to be asked for
  bool late_xids = false;           // the next question about them comes too early
  bool counts_activity = true;
  double tensor_percent = 42;
  double memory_percent = 66;
  double busy_percent = 97;
  std::vector<FakeLink> links;                     // NVLinks; none: the board has none
  unsigned nearest_ancestor = nvml::level_system;  // with every other board
  bool partitioned = false;
  std::vector<FakePartition> partitions;
};

struct FakeNvml {
  std::mutex mutex;  // of all below
  std::vector<FakeBoard> boards;
  std::string driver = "580.105.08";
  int initialize_answer = 0;
  std::chrono::microseconds each_call{0};  // how long every call takes
  int users = 0;                           // nvmlInit less nvmlShutdown
  std::map<std::string, int> calls;        // by symbol
};

extern "C" FakeNvml* fake_nvml_state();

}  // namespace drover::agents
