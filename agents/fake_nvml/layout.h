// The file in which an agent publishes its NVIDIA devices to libdrover-nvml.so on the same machine.
// Both are built from this header; `version` changes whenever a field does.
//
//   FileHeader, NvmlError[errors_kept], NvmlDevice[device_count]
//
// The agent holds a write lock on the whole file (F_OFD_SETLK) as long as it lives: the kernel
// releases it however the agent ends, and readers ask for it. The sequence is odd while the agent
// writes; a reader that sees it odd or changed reads again. All numbers are little-endian, in the
// units of NVML. The file never changes its size, and readers copy out of it (pread), so that no
// damage to it can hurt the program that reads.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <type_traits>

namespace drover::fake_nvml {

inline constexpr std::array<char, 8> file_magic{'D', 'R', 'O', 'V', 'N', 'V', 'M', 'L'};
inline constexpr std::uint32_t file_version = 1;

inline constexpr std::size_t errors_kept = 64;
/// A host of Drover may have more devices; the others are not shown.
inline constexpr std::size_t devices_max = 256;

struct FileHeader {
  std::array<char, 8> magic = file_magic;
  std::uint32_t version = file_version;
  std::uint32_t header_bytes = sizeof(FileHeader);
  std::uint32_t error_bytes = 0;
  std::uint32_t device_bytes = 0;
  std::uint32_t device_count = 0;
  std::uint32_t present = 0;  // 0: the emulated host is away, as after a lost driver
  std::uint64_t sequence = 0;
  std::uint64_t generation = 0;    // of this file: another after each start of an agent
  std::uint64_t published_us = 0;  // when this was written, since 1970
  std::uint64_t errors_total = 0;  // error number N (from 0) is in errors[N % errors_kept]
  std::array<std::uint64_t, 8> unused{};
};

/// One error that the driver has logged.
struct NvmlError {
  std::uint32_t device = 0;  // index of the NvmlDevice
  std::uint32_t xid = 0;     // 0: an uncorrectable memory error without one
};

/// The work on a device. Its process id is above those that Linux gives, so it is never another
/// process of the machine.
struct NvmlProcess {
  std::uint32_t pid = 0;  // 0: none
  std::uint32_t unused = 0;
  std::array<char, 96> name{};
};
inline constexpr std::uint32_t pid_base = 1U << 22U;  // Linux: pid_max is at most this

inline constexpr std::int32_t not_known = INT32_MIN;

struct NvmlDevice {
  std::array<char, 96> name{};
  std::array<char, 48> uuid{};  // "GPU-" and 36 characters
  std::array<char, 32> serial{};
  std::uint32_t lost = 0;          // has fallen off the bus
  std::uint32_t architecture = 0;  // nvmlDeviceArchitecture_t
  std::uint32_t compute_major = 0, compute_minor = 0;
  std::uint32_t brand = 0;  // nvmlBrandType_t
  std::uint32_t has_ecc = 0;
  std::uint32_t multiprocessors = 0;
  std::uint32_t pcie_generation = 0, pcie_lanes = 0;  // 0: not known
  std::uint32_t nvlinks = 0;
  std::uint32_t nvlink_version = 0;
  std::uint32_t nvlink_mb_s = 0;                    // of one link, one direction
  std::uint64_t memory_total = 0, memory_used = 0;  // bytes
  // Shares, in 1/10000.
  std::uint32_t utilization = 0, tensor_activity = 0, memory_activity = 0;
  std::uint32_t power_mw = 0, power_limit_mw = 0;
  std::uint32_t power_limit_min_mw = 0, power_limit_max_mw = 0;  // 0 and 0: it takes no limit
  std::int32_t temperature_c = not_known, memory_temperature_c = not_known;
  std::int32_t shutdown_c = not_known, slowdown_c = not_known;
  std::int32_t memory_max_c = not_known, gpu_max_c = not_known;
  std::uint32_t clock_mhz = 0, clock_max_mhz = 0, clock_nominal_mhz = 0;
  std::uint32_t unused = 0;
  std::uint64_t energy_mj = 0;
  std::uint64_t clock_event_reasons = 0;  // as NVML's bits
  std::uint64_t power_violation_ns = 0, thermal_violation_ns = 0, board_limit_violation_ns = 0;
  std::uint64_t ecc_corrected = 0, ecc_uncorrected = 0;
  NvmlProcess process;
};

static_assert(std::is_trivially_copyable_v<FileHeader> && sizeof(FileHeader) == 128);
static_assert(std::is_trivially_copyable_v<NvmlError> && sizeof(NvmlError) == 8);
static_assert(std::is_trivially_copyable_v<NvmlDevice> && sizeof(NvmlDevice) == 472);

inline constexpr std::size_t errors_at = sizeof(FileHeader);
inline constexpr std::size_t devices_at = errors_at + errors_kept * sizeof(NvmlError);
constexpr std::size_t file_bytes(std::size_t devices) {
  return devices_at + devices * sizeof(NvmlDevice);
}

/// Where agent and library look, unless $DROVER_FAKE_NVML or the option names a file.
inline constexpr const char* path_variable = "DROVER_FAKE_NVML";
inline constexpr const char* file_name = "nvml";

}  // namespace drover::fake_nvml
