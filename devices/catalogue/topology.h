// How devices of one model are connected: the links inside a domain, the network between hosts, and
// the torus of TPU chips. Facts and achieved shares are in the sections `[links]` and `[network]`
// of a device or its generation.
#pragma once

#include <array>
#include <optional>

#include "devices/catalogue/spec.h"

namespace drover::devices {

enum class LinkKind {
  host,      // through the host's PCIe only
  pair,      // a bridge connects two devices; others are reached through the host
  mesh,      // every device has separate links to the others
  switched,  // every device reaches every other at its full rate
  torus,     // TPU: two links per axis, to the neighbours
};

/// The links of one device inside its domain.
struct LinkSpec {
  LinkKind kind = LinkKind::host;
  double bandwidth = 0;       // bytes/s, one direction, all links of one device together
  int domain = 1;             // devices connected by these links
  int peers = 0;              // mesh: neighbours with separate links
  double host_bandwidth = 0;  // bytes/s, one direction, PCIe between device and host
  int axes = 0;               // torus
  double axis_link = 0;       // torus: bytes/s of one link, one direction
  int wrap_axis = 1;          // torus: an axis of this length, or a multiple, is a ring
  CollectiveConstants collectives;
};
LinkSpec links_of(const DeviceSpec& device);

/// The network of a cluster built for training: one NIC per device.
NetworkSpec network_of(const DeviceSpec& device);
/// The network of rented hosts whose devices share a few NICs, if measured; else as `network_of`.
NetworkSpec cloud_network_of(const DeviceSpec& device);

/// The most nearly cubic torus with this number of chips; axes in ascending order, unused ones are
/// 1.
struct TorusShape {
  std::array<int, 3> lengths = {1, 1, 1};
  std::array<bool, 3> joined = {false, false, false};  // the axis is a ring
};
/// REQUIRES chips >= 1 and links with 1 to 3 axes.
TorusShape torus_of(const LinkSpec& links, int chips);

/// Bytes/s in one direction per device of a group within a domain, as the hardware allows (not as a
/// library achieves). Groups that the links do not connect use the host's PCIe.
double group_bandwidth(const LinkSpec& links, int devices);

/// Whether the links connect a group of this size.
bool joined_by_links(const LinkSpec& links, int devices);

/// Devices of a group on one host (TPU: in one slice; racks with switches: in a rack). `given`
/// applies when the links do not extend beyond a host; none: the usual number.
int devices_per_host(const DeviceSpec& device, int devices, std::optional<int> given);

}  // namespace drover::devices
