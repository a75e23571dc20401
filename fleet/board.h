// What a real device says about itself besides its samples: what it is, what cannot be read of it
// and why, and who uses it. Emulated devices have no such description.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace drover {

/// A metric that the device does not report, and why: "the driver answers: not supported".
struct MissingMetric {
  std::uint8_t metric = 0;  // a Metric; unknown ones are ignored
  std::string why;
  bool operator==(const MissingMetric&) const = default;
};

/// A process on a device, or a container where only that is known.
struct DeviceProcess {
  std::uint64_t pid = 0;  // 0: not known
  std::string user;       // its login name or number; empty: not known
  std::string name;       // its command, or "namespace/pod/container"; empty: not known
  std::string tenant;     // whose work it is: the namespace, else the user; empty: not known
  std::optional<double> memory_bytes;  // of the device
  std::optional<double> share;         // of the device's time, 0..1
  bool operator==(const DeviceProcess&) const = default;
};

/// A part of a device with memory and units of its own: a MIG instance.
struct DevicePartition {
  std::uint32_t number = 0;  // the maker's id of the instance
  std::string profile;       // "1g.10gb"
  std::string uuid;          // empty: not known
  std::optional<double> memory_used_bytes;
  std::optional<double> memory_total_bytes;
  std::optional<double> utilization;  // 0..1
  bool operator==(const DevicePartition&) const = default;
};

inline constexpr std::size_t device_processes_max = 64;   // the ones with the most memory
inline constexpr std::size_t device_partitions_max = 16;  // NVIDIA has at most 7

/// Texts that are not known are empty.
struct Board {
  std::uint16_t device = 0;  // its index on the host
  std::string name;          // the model, as its driver or exporter says: "NVIDIA L4"
  std::string uuid;          // the maker's identity of the board
  std::string bus;           // PCI address: "0000:31:00.0"
  std::string driver;        // and its version: "NVIDIA 580.105.08"
  std::string read_by;       // how it is read: "NVML", "amdgpu", "http://node-7:9400/metrics"
  std::optional<double> power_cap_min_w;  // range of power caps that the driver accepts
  std::optional<double> power_cap_max_w;
  std::optional<double> power_cap_default_w;
  std::optional<double> power_cap_before_w;  // the cap to restore; absent: Drover has set none
  std::optional<double> clock_max_mhz;
  std::optional<double> slowdown_c;       // the temperature at which it throttles
  std::uint16_t pcie_generation_max = 0;  // of board and slot together; 0: not known
  std::uint16_t pcie_lanes_max = 0;
  std::vector<MissingMetric> missing;    // in the order of Metric
  std::vector<DeviceProcess> processes;  // most memory first
  bool processes_known = false;          // the list is complete, also when it is empty
  std::uint32_t processes_left_out = 0;  // beyond device_processes_max
  std::vector<DevicePartition> partitions;
  bool operator==(const Board&) const = default;
};

/// Sorts by memory, the most first, and keeps device_processes_max of them. `complete`: these are
/// all, also when there is none.
void set_processes(Board& board, std::vector<DeviceProcess> processes, bool complete);

/// 4 for a lane of 16 GT/s; 0: not known.
std::uint16_t pcie_generation(double gigatransfers_per_s);

/// From an agent: what a real device says about itself. Sent after each Register, and when it
/// changes, at most once a reading; changes to processes and partitions alone at most every 5 s.
struct BoardReport {
  Board board;
  bool operator==(const BoardReport&) const = default;
};

/// The same, published.
struct BoardChanged {
  std::string host;
  Board board;
  bool operator==(const BoardChanged&) const = default;
};

/// From an agent that reads another host: that host does not answer. The router counts it as lost
/// until it registers again.
struct HostUnreachable {
  std::string why;  // "connection refused"
  bool operator==(const HostUnreachable&) const = default;
};

}  // namespace drover
