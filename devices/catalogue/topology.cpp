#include "devices/catalogue/topology.h"

#include <algorithm>
#include <cmath>

#include "fleet/base/result.h"

namespace drover::devices {

namespace {

/// Maximum number of devices in a host without a switch (assumed; 4U servers).
constexpr int host_devices_max = 8;
/// Larger domains are racks, not hosts (NVL72).
constexpr int rack_domain_min = 32;

/// The largest divisor of `number` that is at most its `root`-th root.
int divisor_near_root(int number, int root) {
  auto divisor = static_cast<int>(std::pow(number, 1.0 / root) + 1e-9);
  while (number % divisor != 0) --divisor;
  return divisor;
}

LinkKind kind_of(const DeviceSpec::Links& links) {
  if (links.torus != Torus::none) return LinkKind::torus;
  if (links.bandwidth <= 0 || links.domain < 2) return LinkKind::host;
  if (links.domain == 2) return LinkKind::pair;
  return links.peers > 0 ? LinkKind::mesh : LinkKind::switched;
}

/// Bytes/s of the slot in one direction: 8 GT/s per lane in generation 3 with 128b/130b coding,
/// doubled by each generation (PCI Express base specification).
double slot_bandwidth(const DeviceSpec::Links& links) {
  if (links.pcie_generation == 0) return 2 * links.host_bandwidth;
  const double lane = 8e9 / 8 * 128 / 130 * std::exp2(static_cast<int>(links.pcie_generation) - 3);
  return lane * links.pcie_lanes;
}

}  // namespace

LinkSpec links_of(const DeviceSpec& device) {
  const DeviceSpec::Links& given = device.links;
  LinkSpec links;
  links.kind = kind_of(given);
  links.bandwidth = given.bandwidth / 2;
  links.domain = static_cast<int>(given.domain);
  links.peers = static_cast<int>(given.peers);
  links.host_bandwidth = slot_bandwidth(given);
  links.axes = given.torus == Torus::three_axes ? 3 : 2;
  links.axis_link = given.torus_link_bandwidth > 0 ? given.torus_link_bandwidth
                                                   : given.bandwidth / (4.0 * links.axes);
  links.wrap_axis = static_cast<int>(given.torus_wrap);
  links.collectives = device.collectives;
  return links;
}

NetworkSpec network_of(const DeviceSpec& device) {
  NetworkSpec network;
  network.nic_bandwidth = device.network.bandwidth;
  network.share = device.network.efficiency;
  network.start_s = device.network.latency_s;
  return network;
}

NetworkSpec cloud_network_of(const DeviceSpec& device) {
  const bool measured = device.cloud.nics > 0 && device.cloud.nic_bandwidth > 0;
  return measured ? device.cloud : network_of(device);
}

TorusShape torus_of(const LinkSpec& links, int chips) {
  DROVER_REQUIRE(chips >= 1 && links.axes >= 1 && links.axes <= 3);
  TorusShape torus;
  int left = chips;
  for (int axis = 0; axis < links.axes; ++axis) {
    const int length = divisor_near_root(left, links.axes - axis);
    torus.lengths[static_cast<std::size_t>(axis)] = length;
    left /= length;
  }
  std::ranges::sort(torus.lengths);
  for (std::size_t i = 0; i < torus.lengths.size(); ++i) {
    torus.joined[i] = torus.lengths[i] > 1 && torus.lengths[i] % links.wrap_axis == 0;
  }
  return torus;
}

bool joined_by_links(const LinkSpec& links, int devices) {
  return links.kind != LinkKind::host && devices <= links.domain;
}

double group_bandwidth(const LinkSpec& links, int devices) {
  if (!joined_by_links(links, devices)) return links.host_bandwidth;
  if (links.kind != LinkKind::mesh) return links.bandwidth;
  // A device can use only the links to the members of the group.
  return links.bandwidth * std::min(1.0, static_cast<double>(devices - 1) / links.peers);
}

int devices_per_host(const DeviceSpec& device, int devices, std::optional<int> given) {
  const int domain = static_cast<int>(device.links.domain);
  if (given && domain < rack_domain_min) return std::clamp(*given, 1, devices);
  return std::min(devices, domain > 2 ? domain : host_devices_max);
}

}  // namespace drover::devices
