// Why a device may be slow: likely causes, each with the reading that shows it.
//
// There is no hint without evidence: a value that is not known supports none. Sources of the
// thresholds:
// - NVML API reference, clocksEventReasons: a hardware slowdown reduces the clocks by a factor of
//   two or more. So a loaded board below half of its greatest clock without any reason is parked;
//   idle boards report 210 to 345 MHz of 1,410 to 1,980 (nvidia-smi on A100 and H100).
// - DCGM user guide, profiling metrics: about 80 % of the cycles of the memory can be used. That
//   60 % with mostly idle matrix units is "limited by memory" is assumed.
// - PCI Express base specification: the link of an idle device may train down to generation 1. So
//   only that of a busy device is evidence. That half of the time is "busy" is assumed.
// - That a core above 95 % is saturated is assumed: one thread that never waits.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "fleet/actions.h"
#include "fleet/job.h"
#include "fleet/sample/sample.h"

namespace drover {

/// Among causes of the same severity, the more likely one first.
enum class SlowCause : std::uint8_t {
  hardware_thermal,
  power_brake,
  hardware_slowdown,  // of a reason that the board does not report
  xid,
  ecc,
  injected_fault,
  software_thermal,
  power_cap,
  parked_clock,
  pcie_link,
  device_links,
  starved,
  peer,
  preparing,  // loads, compiles or processes prompts
  memory_bound,
  chosen_limit,
};
inline constexpr int slow_cause_count = 16;
/// "hw thermal", "power brake".
std::string_view to_text(SlowCause cause);

struct LikelyCause {
  SlowCause cause = SlowCause::hardware_thermal;
  Severity severity = Severity::warning;  // info: no fault of the device
  std::string what;                       // "the board is too hot: its hardware .."
  std::string signal;                     // "throttle reason hw thermal, 91C"
  bool operator==(const LikelyCause&) const = default;
};

/// A device of the same kind beside it: on its host, or of its gang.
struct NeighbourEvidence {
  std::string device;        // "gpu-a/3"
  double throttle = absent;  // Metric::throttle
  double links = absent;     // Metric::link_sent and link_received together
  bool in_gang = false;
};

/// What is known of a device. NaN and 0 in limits: not known.
struct DeviceEvidence {
  Sample values;
  double clock_max_mhz = absent;
  double power_cap_default_w = absent;  // the cap that nobody chose
  int pcie_generation_max = 0, pcie_lanes_max = 0;
  Pause pause = Pause::none;
  bool has_work = false;              // a job, requests or a process
  bool memory_taken = false;          // by processes
  bool tells_idle = false;            // its throttle reasons include "idle"
  std::vector<std::string> injected;  // faults, as text: "slow-link=0.3"
  std::vector<NeighbourEvidence> neighbours;
};

/// The causes that have evidence, most severe first and then most likely first. Empty: none.
std::vector<LikelyCause> likely_causes(const DeviceEvidence& device);

/// The metrics without which a cause cannot be seen.
std::span<const Metric> slow_cause_metrics();

}  // namespace drover
