#include "tui/diagrams/host_topology.h"

#include <algorithm>
#include <cstdlib>

#include <fmt/format.h>

#include "fleet/base/text.h"

namespace drover::tui {
namespace {

std::string pcie_text(int generation, int lanes) {
  if (generation <= 0) return {};
  return lanes > 0 ? fmt::format("PCIe {} x{}", generation, lanes)
                   : fmt::format("PCIe {}", generation);
}

std::string link_name_of(const SpecRow& spec) {
  if (spec.device_class == DeviceClass::tpu) return "ICI";
  if (spec.vendor == "nvidia" || spec.name.starts_with("NVIDIA")) return "NVLink";
  if (spec.vendor == "amd" || spec.name.starts_with("AMD")) return "Infinity Fabric";
  return "links";
}

Fabric fabric_of_spec(const SpecRow& spec, const Group& group) {
  if (!group.topology.empty()) return Fabric::torus;
  const SpecLinks& links = spec.links;
  if (links.bandwidth_bytes_per_s <= 0 || links.domain < 2) return Fabric::none;
  if (links.domain == 2) return Fabric::pairs;
  return links.peers > 0 ? Fabric::mesh : Fabric::switched;
}

TopologyDevice device_of(const Model& model, DeviceTable::Row row) {
  TopologyDevice device;
  device.index = model.devices().index(row);
  device.utilization = model.reading(row, Metric::utilization);
  device.temperature_c = model.reading(row, Metric::temperature);
  device.sent_bytes_per_s = model.reading(row, Metric::link_sent);
  device.received_bytes_per_s = model.reading(row, Metric::link_received);
  if (const Board* const board = model.board_of(row)) {
    device.bus = board->bus;
    if (board->numa_node) device.numa_node = *board->numa_node;
  }
  return device;
}

FabricGroup group_of(const Model& model, DeviceTable::Row row, const Group& group) {
  const SpecRow& spec = model.spec_of(row);
  FabricGroup fabric;
  fabric.kind = spec.kind();
  fabric.device_class = spec.device_class;
  fabric.link_name = link_name_of(spec);
  fabric.real = spec.real;
  fabric.pcie = pcie_text(spec.links.pcie_generation, spec.links.pcie_lanes);
  fabric.bytes_per_s = spec.links.bandwidth_bytes_per_s;
  fabric.fabric = spec.real ? Fabric::unknown : fabric_of_spec(spec, group);
  if (const auto lengths = torus_lengths(group.topology, group.count)) {
    fabric.lengths = *lengths;
    for (std::size_t axis = 0; axis < lengths->size(); ++axis) {
      const int wrap = spec.links.wrap_axis;
      fabric.rings[axis] = fabric.lengths[axis] > 1 && wrap > 0 && fabric.lengths[axis] % wrap == 0;
    }
  } else if (fabric.fabric == Fabric::torus) {
    fabric.fabric = Fabric::unknown;
  }
  return fabric;
}

/// Links in a row between two chips.
int torus_distance(const FabricGroup& group, int one, int other) {
  const auto a = torus_place(group.lengths, one), b = torus_place(group.lengths, other);
  int sum = 0;
  for (std::size_t axis = 0; axis < a.size(); ++axis) {
    const int apart = std::abs(a[axis] - b[axis]);
    sum += group.rings[axis] ? std::min(apart, group.lengths[axis] - apart) : apart;
  }
  return sum;
}

/// What connects two devices of a group, by their places in it.
DevicePair pair_in_group(const FabricGroup& group, int one, int other) {
  switch (group.fabric) {
    case Fabric::pairs:
      return {one / 2 == other / 2 ? LinkPath::links : LinkPath::pcie, 0};
    case Fabric::mesh:
    case Fabric::switched:
      return {LinkPath::links, 0};
    case Fabric::torus:
      return {LinkPath::links, torus_distance(group, one, other)};
    case Fabric::none:
      return {LinkPath::pcie, 0};
    case Fabric::unknown:
      return {};
  }
  return {};
}

void add_pairs_of_specs(HostTopology& host) {
  const std::size_t count = host.devices.size();
  host.pairs.assign(count * count, {LinkPath::pcie, 0});
  for (const FabricGroup& group : host.groups) {
    for (std::size_t i = 0; i < group.devices.size(); ++i) {
      for (std::size_t j = 0; j < group.devices.size(); ++j) {
        host.pair(group.devices[i], group.devices[j]) =
            pair_in_group(group, static_cast<int>(i), static_cast<int>(j));
      }
      if (!group.real) continue;
      for (std::size_t other = 0; other < count; ++other) {
        if (host.pair(group.devices[i], other).path == LinkPath::pcie) {
          host.pair(group.devices[i], other) = {};
        }
      }
    }
  }
  for (std::size_t i = 0; i < count; ++i) host.pair(i, i) = {LinkPath::self, 0};
}

/// The devices of a host by the PCI addresses of their boards, and what the boards say.
struct HostBoards {
  std::vector<const Board*> boards;  // in the order of the devices; null: there is none

  std::optional<std::size_t> at(const std::string& bus) const {
    for (std::size_t i = 0; i < boards.size() && !bus.empty(); ++i) {
      if (boards[i] != nullptr && boards[i]->bus == bus) return i;
    }
    return std::nullopt;
  }
};

LinkPath path_of(PciePath path) {
  switch (path) {
    case PciePath::board:
    case PciePath::one_switch:
      return LinkPath::one_switch;
    case PciePath::switches:
      return LinkPath::switches;
    case PciePath::host_bridge:
      return LinkPath::host_bridge;
    case PciePath::numa_node:
      return LinkPath::numa_node;
    case PciePath::between_nodes:
      return LinkPath::between_nodes;
    case PciePath::unknown:
      break;
  }
  return LinkPath::unknown;
}

std::string peer_text(const HostTopology& host, const HostBoards& of, const DeviceLink& link) {
  if (link.end == LinkEnd::link_switch) return "a switch";
  if (link.end == LinkEnd::processor) return "the processor";
  const auto peer = of.at(link.peer);
  return peer ? device_label(host, *peer) : printable(link.peer);
}

int active_links(const Board& board, LinkEnd end) {
  return static_cast<int>(std::ranges::count_if(
      board.links, [&](const DeviceLink& link) { return link.active && link.end == end; }));
}

/// What the driver says of the paths and links of one device.
void add_board(HostTopology& host, const HostBoards& of, std::size_t device) {
  const Board& board = *of.boards[device];
  for (const DevicePath& path : board.paths) {
    if (const auto peer = of.at(path.peer)) host.pair(device, *peer) = {path_of(path.path), 0};
  }
  const int to_switch = active_links(board, LinkEnd::link_switch);
  for (std::size_t other = 0; other < host.devices.size(); ++other) {
    if (other == device || of.boards[other] == nullptr) continue;
    const Board& peer = *of.boards[other];
    const auto direct =
        static_cast<int>(std::ranges::count_if(board.links, [&](const DeviceLink& link) {
          return link.active && of.at(link.peer) == other;
        }));
    const int links = direct + std::min(to_switch, active_links(peer, LinkEnd::link_switch));
    if (links > 0) host.pair(device, other) = {LinkPath::links, links};
  }
  for (const DeviceLink& link : board.links) {
    LinkStatus status{link.number, link.active, peer_text(host, of, link), link.bytes_per_s, {}};
    if (link.errors) status.errors = static_cast<std::uint64_t>(std::max(0.0, *link.errors));
    host.devices[device].links.push_back(std::move(status));
  }
}

/// Unknown unless every driver of the group tells its links.
Fabric fabric_of_boards(const HostTopology& host, const HostBoards& of, const FabricGroup& group) {
  std::size_t peers_most = 0;
  bool through_switch = false;
  for (const std::size_t device : group.devices) {
    const Board* const board = of.boards[device];
    if (board == nullptr || !board->links_known) return Fabric::unknown;
    through_switch |= active_links(*board, LinkEnd::link_switch) > 0;
    std::size_t peers = 0;
    for (const std::size_t other : group.devices) {
      if (other != device && host.pair(device, other).path == LinkPath::links) ++peers;
    }
    peers_most = std::max(peers_most, peers);
  }
  if (through_switch) return Fabric::switched;
  return peers_most == 0 ? Fabric::none : peers_most == 1 ? Fabric::pairs : Fabric::mesh;
}

double link_rate_of(const TopologyDevice& device) {
  double sum = 0;
  for (const LinkStatus& link : device.links) {
    if (link.active) sum += link.bytes_per_s.value_or(0);
  }
  return sum;
}

void add_boards(HostTopology& host, const HostBoards& of) {
  for (std::size_t device = 0; device < host.devices.size(); ++device) {
    if (of.boards[device] != nullptr) add_board(host, of, device);
  }
  for (FabricGroup& group : host.groups) {
    if (!group.real) continue;
    group.fabric = fabric_of_boards(host, of, group);
    group.bytes_per_s = 0;
    for (const std::size_t device : group.devices) {
      group.bytes_per_s = std::max(group.bytes_per_s, link_rate_of(host.devices[device]));
    }
  }
}

}  // namespace

std::optional<std::array<int, 3>> torus_lengths(std::string_view topology, int chips) {
  if (topology.empty()) return std::nullopt;
  std::vector<int> sides;
  for (const std::string& side : split(topology, 'x')) {
    const bool number = !side.empty() && side.size() <= 4 && std::ranges::all_of(side, is_digit);
    if (!number || std::atoi(side.c_str()) < 1) return std::nullopt;
    sides.push_back(std::atoi(side.c_str()));
  }
  if (sides.size() > 3) return std::nullopt;
  std::array<int, 3> lengths = {1, 1, 1};
  std::copy(sides.rbegin(), sides.rend(), lengths.begin());
  // Each side has at most four digits, so that the product fits.
  std::int64_t product = 1;
  for (const int length : lengths) product *= length;
  if (product != chips) return std::nullopt;
  return lengths;
}

const FabricGroup* group_with(const HostTopology& host, std::size_t device) {
  for (const FabricGroup& group : host.groups) {
    if (std::ranges::find(group.devices, device) != group.devices.end()) return &group;
  }
  return nullptr;
}

std::string device_label(const HostTopology& host, std::size_t device) {
  const FabricGroup* const group = group_with(host, device);
  const bool tpu = group != nullptr && group->device_class == DeviceClass::tpu;
  return fmt::format("{}{}", tpu ? "TPU" : "GPU", host.devices[device].index);
}

std::string link_rate_text(double bytes_per_s) {
  const double gigabytes = bytes_per_s / 1e9;
  return gigabytes < 10 ? fmt::format("{:.1f}GB/s", gigabytes)
                        : fmt::format("{:.0f}GB/s", gigabytes);
}

std::array<int, 3> torus_place(const std::array<int, 3>& lengths, int chip) {
  return {chip % lengths[0], chip / lengths[0] % lengths[1], chip / lengths[0] / lengths[1]};
}

std::optional<HostTopology> topology_of(const Model& model, const std::string& host) {
  const HostRow* const row = model.find_host(host);
  if (row == nullptr) return std::nullopt;
  HostTopology topology;
  topology.host = host;
  std::vector<DeviceTable::Row> rows;
  for (DeviceTable::Row i = row->first; i < row->end(); ++i) rows.push_back(i);
  std::ranges::sort(rows, {}, [&](DeviceTable::Row i) { return model.devices().index(i); });
  if (rows.size() > topology_devices_max) {
    topology.left_out = rows.size() - topology_devices_max;
    rows.resize(topology_devices_max);
  }
  for (const Group& group : row->reported.registration.groups) {
    std::optional<FabricGroup> fabric;
    for (std::size_t place = 0; place < rows.size(); ++place) {
      if (model.devices().group(rows[place]) != group.number) continue;
      if (!fabric) fabric = group_of(model, rows[place], group);
      fabric->devices.push_back(place);
    }
    if (!fabric) continue;
    fabric->left_out = std::max(0, group.count - static_cast<int>(fabric->devices.size()));
    topology.groups.push_back(std::move(*fabric));
  }
  for (const DeviceTable::Row device : rows) topology.devices.push_back(device_of(model, device));
  add_pairs_of_specs(topology);
  HostBoards boards;
  for (const DeviceTable::Row device : rows) boards.boards.push_back(model.board_of(device));
  add_boards(topology, boards);
  return topology;
}

}  // namespace drover::tui
