// amdgpu's file gpu_metrics: a binary table that the board's firmware fills. Its beginning says how
// long it is and which revision of the layout it has. Revisions are not extensions of each other,
// so the fields of unknown ones are not read.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string_view>

#include "fleet/base/result.h"

namespace drover::agents {

inline constexpr std::size_t gpu_metrics_bytes_max = 16 << 10;  // revision 1.8 has 3.9 kB

/// Of counters that count only while a limit is in force, in ticks of `ticks`.
struct ThrottleTicks {
  std::uint32_t ticks = 0;
  std::uint32_t external = 0;   // PROCHOT: something on the board asks for lower clocks
  std::uint32_t power = 0;      // PPT: the power cap
  std::uint32_t chip = 0;       // the chip is hot
  std::uint32_t regulator = 0;  // a voltage regulator is hot
  std::uint32_t memory = 0;     // the memory is hot
};

/// A field that the revision lacks, or that the firmware does not fill, has no value.
struct GpuMetrics {
  int content_revision = 0;             // of format 1
  std::optional<std::uint64_t> energy;  // a counter; since 1.4 in 2^-16 J (15.259 uJ)
  std::optional<double> temperature_c;  // of the hottest point
  std::optional<double> memory_temperature_c;
  std::optional<double> pcie_lanes;
  std::optional<double> pcie_gt_s;               // GT/s of each lane
  std::optional<std::uint64_t> throttle_status;  // bits as in throttle_of_status
  std::optional<ThrottleTicks> throttle_ticks;
  std::optional<double> link_read_bytes;  // by Infinity Fabric, since the driver started
  std::optional<double> link_written_bytes;
};

/// The error says what is wrong with the table: "has revision 2.3, which is not known".
Result<GpuMetrics> parse_gpu_metrics(std::string_view bytes);

/// Bits of Throttle for the status of revision 1.3, in which bits mean the same on all boards.
/// Limits of currents have no counterpart.
std::uint32_t throttle_of_status(std::uint64_t status);

}  // namespace drover::agents
