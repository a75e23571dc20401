// How the devices of one host are connected: by links of their own, such as NVLink or ICI, or over
// PCIe. Of real devices it is what their driver tells, of emulated ones what their spec has.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "tui/canvas/canvas.h"
#include "tui/model/model.h"

namespace drover::tui {

/// What connects two devices, as `nvidia-smi topo -m` distinguishes it.
enum class LinkPath : std::uint8_t {
  self,
  links,          // of their own, or through a switch for such links
  one_switch,     // PIX: one PCIe switch
  switches,       // PXB: several PCIe switches
  host_bridge,    // PHB: the PCIe host bridge of a processor
  numa_node,      // NODE: the host bridges of one NUMA node
  between_nodes,  // SYS: the connection between NUMA nodes
  pcie,           // over PCIe; what it passes is not known
  unknown,
};

struct DevicePair {
  LinkPath path = LinkPath::unknown;
  int links = 0;  // between the two; 0: their number is not known. In a torus: how many in a row
};

/// A link of one device.
struct LinkStatus {
  int number = 0;
  bool active = false;
  std::string peer;                   // "GPU2", "a switch"; empty: not known
  std::optional<double> bytes_per_s;  // one direction
  std::optional<std::uint64_t> errors;
};

struct TopologyDevice {
  std::uint16_t index = 0;
  double utilization = absent, temperature_c = absent;
  double sent_bytes_per_s = absent, received_bytes_per_s = absent;  // over its links
  std::string bus;                                                  // PCI address; empty: not known
  std::optional<int> numa_node;                                     // none: not known
  std::vector<LinkStatus> links;  // as the driver tells; empty: none, or not known
  // How the other views mark its state; the page sets them before it draws.
  std::string marker;  // one column; empty: it is ok
  CellStyle marker_style = CellStyle::plain, temperature_style = CellStyle::plain;
};

enum class Fabric : std::uint8_t {
  unknown,   // the driver does not tell
  none,      // PCIe only
  pairs,     // a bridge connects two
  mesh,      // each has links to the others
  switched,  // through a switch
  torus,     // TPU: links to the neighbours
};

/// Devices of one kind that are connected with each other.
struct FabricGroup {
  std::vector<std::size_t> devices;  // places in HostTopology::devices
  std::string kind;                  // of device
  DeviceClass device_class = DeviceClass::gpu;
  int left_out = 0;  // more devices of the group, beyond those that are shown of a host
  Fabric fabric = Fabric::unknown;
  std::string link_name;   // "NVLink", "ICI", "links"
  double bytes_per_s = 0;  // of all links of a device, one direction; 0: not known
  std::string pcie;        // "PCIe 5 x16"; empty: not known
  // Of a torus: chips along each axis, the first one varies fastest, and which axes are rings.
  std::array<int, 3> lengths = {1, 1, 1};
  std::array<bool, 3> rings = {false, false, false};
  bool real = false;
};

struct HostTopology {
  std::string host;
  std::vector<TopologyDevice> devices;  // in the order of their indexes
  std::vector<FabricGroup> groups;
  std::vector<DevicePair> pairs;  // a row for each device
  std::size_t left_out = 0;       // more devices, beyond topology_devices_max

  const DevicePair& pair(std::size_t one, std::size_t other) const {
    return pairs[one * devices.size() + other];
  }
  DevicePair& pair(std::size_t one, std::size_t other) {
    return pairs[one * devices.size() + other];
  }
};

/// Devices of a host that are shown at most: a matrix is their square.
inline constexpr std::size_t topology_devices_max = 64;

/// The first devices of a host, up to topology_devices_max. None if there is no such host.
std::optional<HostTopology> topology_of(const Model& model, const std::string& host);

/// "2x4" as lengths of axes, the last one varies fastest and comes first: {4, 2, 1}. None if it is
/// no topology of `chips` chips.
std::optional<std::array<int, 3>> torus_lengths(std::string_view topology, int chips);

/// "GPU0", "TPU3": of a place in HostTopology::devices.
std::string device_label(const HostTopology& host, std::size_t device);
/// The group of a device; null: it is in none.
const FabricGroup* group_with(const HostTopology& host, std::size_t device);

/// "450GB/s": decimal, as makers give the rates of links.
std::string link_rate_text(double bytes_per_s);

/// Where a chip of a torus is on each axis.
std::array<int, 3> torus_place(const std::array<int, 3>& lengths, int chip);

}  // namespace drover::tui
