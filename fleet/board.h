// What a real device says about itself besides its samples: what it is, what cannot be read of it
// and why, and who uses it. Emulated devices have no such description.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
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

/// What is at the other end of a device's own link.
enum class LinkEnd : std::uint8_t { unknown, device, link_switch, processor };
std::string_view to_text(LinkEnd end);

/// A link of a device's own, such as NVLink. What is not known is empty.
struct DeviceLink {
  std::uint8_t number = 0;
  bool active = false;
  LinkEnd end = LinkEnd::unknown;
  std::string peer;                   // PCI address of what is at the other end
  std::optional<double> bytes_per_s;  // one direction
  std::optional<double> errors;       // of transfers, since the driver was loaded
  bool operator==(const DeviceLink&) const = default;
};

/// What the path over PCIe between two devices passes at most, as NVML and nvidia-smi tell it
/// apart.
enum class PciePath : std::uint8_t {
  unknown,
  board,          // both are on one board
  one_switch,     // PIX
  switches,       // PXB
  host_bridge,    // PHB
  numa_node,      // NODE
  between_nodes,  // SYS
};
std::string_view to_text(PciePath path);

/// The path to another device of the host.
struct DevicePath {
  std::string peer;  // its PCI address
  PciePath path = PciePath::unknown;
  bool operator==(const DevicePath&) const = default;
};

inline constexpr std::size_t device_links_max = 64;       // NVLink has at most 18
inline constexpr std::size_t device_paths_max = 63;       // to the other boards of a host
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
  std::optional<std::uint16_t> numa_node;
  std::vector<DeviceLink> links;  // in the order of their numbers
  bool links_known = false;       // the list is complete, also when it is empty
  std::vector<DevicePath> paths;
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
