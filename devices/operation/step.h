// One step of work on a device: what its time goes to, how busy it keeps each part, and where it
// runs.
//
// A roofline per part of a step: matrix work at the achievable rate after padding to the hardware's
// tiles, memory traffic at the achievable bandwidth, collectives on the links, launches. Compute
// stretches with the clock, memory and links do not.
#pragma once

#include <array>
#include <cstdint>
#include <string_view>

#include "devices/catalogue/spec.h"
#include "fleet/workload.h"

namespace drover::devices {

/// What the time of a step goes to.
enum class Part : std::uint8_t {
  matrix,       // products on the matrix units
  attention,    // scores and weighted sums
  memory,       // element-wise work, weights and caches streamed where memory bounds them
  collectives,  // links and network, as far as nothing hides them
  launch,       // kernels and host between them
  bubble,       // a pipeline fills and drains
  optimizer,
  host,  // engine or framework per step, per request; data loading
};
inline constexpr std::size_t part_count = 8;
std::string_view to_text(Part part);

/// Time of one step and how busy it keeps each part of every device of the set, all at one clock.
/// Activities are achieved rate over datasheet peak, averaged over the step.
struct Step {
  double seconds = 0;
  double matrix_activity = 0;
  double memory_activity = 0;
  double link_activity = 0;
  double duty = 1;     // share of the step in which the device runs anything
  double waiting = 0;  // share in which what it runs waits for the other devices
  std::array<double, part_count> parts{};  // of `seconds`, by Part; their sum is `seconds`
};

/// The devices that run one replica or gang together.
struct Placement {
  const DeviceSpec* device = nullptr;
  int devices = 1;
  Precision precision = Precision::bf16;  // of the weights
  double link_share = 1;                  // of the interconnect's bandwidth, when it is degraded
  int per_host = 0;  // a gang over hosts: of its largest part; 0: as many as the links join
};

struct TrainingShape {
  std::uint32_t batch = 1;     // samples per optimiser step over the gang
  std::uint32_t sequence = 1;  // tokens per sample; images: 1
};

}  // namespace drover::devices
