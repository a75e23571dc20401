// One step of work on a device: its time by component, the activity of each unit, where it runs,
// and what it needs of the memory.
//
// Each part of a step has its own roofline: matrix work at the achievable rate after padding to the
// hardware's tiles, memory traffic at the achievable bandwidth, collectives on the links, launches.
// Compute time scales with the clock; memory and link time do not.
#pragma once

#include <array>
#include <cstdint>
#include <string_view>

#include "devices/catalogue/spec.h"
#include "fleet/workload.h"

namespace drover::devices {

/// The components of a step's time.
enum class TimeComponent : std::uint8_t {
  matrix,       // products on the matrix units
  attention,    // scores and weighted sums
  memory,       // element-wise work; weights and caches when bounded by memory
  collectives,  // exposed time of links and network
  launch,       // kernel launches and host time between them
  bubble,       // filling and draining of a pipeline
  optimizer,
  host,  // engine or framework, per step and per request; data loading
};
inline constexpr std::size_t part_count = 8;
std::string_view to_text(TimeComponent part);

/// The time of one step and the activity of each unit of every device, at one clock. Activities are
/// achieved rates over datasheet peaks, averaged over the step.
struct Step {
  double seconds = 0;
  double tensor_activity = 0;
  double memory_activity = 0;
  double link_activity = 0;
  double duty_cycle = 1;  // share of the step in which the device runs anything
  double waiting = 0;     // share of the step in which the device waits for the other devices
  std::array<double, part_count> parts{};  // of `seconds`, by TimeComponent; their sum is `seconds`
};

/// The devices of one replica or gang.
struct Placement {
  const DeviceSpec* device = nullptr;
  int devices = 1;
  Precision precision = Precision::bf16;  // of the weights
  double link_share = 1;  // available share of the interconnect's bandwidth, when it is degraded
  int per_host = 0;       // multi-host gang: devices of its largest part; 0: as the links connect
};

/// Bytes on one device, by purpose.
struct MemoryUse {
  double weights = 0;
  double states = 0;  // gradients and optimiser
  double activations = 0;
  double cache = 0;     // KV
  double reserved = 0;  // driver, context, libraries
  double total() const { return weights + states + activations + cache + reserved; }
};

struct TrainingShape {
  std::uint32_t batch = 1;     // samples per optimiser step over the gang
  std::uint32_t sequence = 1;  // tokens per sample; images: 1
};

}  // namespace drover::devices
