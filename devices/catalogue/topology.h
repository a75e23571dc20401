// How devices of one kind reach each other: the links inside a domain, the network between hosts,
// and the torus that a group of TPU chips forms. Facts and achieved shares come from the
// `[links]` and `[network]` sections of a device or its generation.
#pragma once

#include <array>
#include <optional>

#include "devices/catalogue/spec.h"

namespace drover::devices {

enum class LinkKind {
  host,      // through the host's PCIe only
  pair,      // a bridge joins two devices; others are reached through the host
  mesh,      // every device has links of its own to the others
  switched,  // every device reaches every other at its full rate
  torus,     // TPU: two links per axis, to the neighbours
};

/// The links of one device inside its domain, and what a communication library reaches over them.
/// A collective moves by the faster of two ways: the quick one (small packets that carry their own
/// flags) and the ring of large pipelined buffers.
struct LinkSpec {
  LinkKind kind = LinkKind::host;
  double bandwidth = 0;       // bytes/s, one direction, all links of one device together
  int domain = 1;             // devices that reach each other by these links
  int peers = 0;              // mesh: neighbours with links of their own
  double host_bandwidth = 0;  // bytes/s, one direction, PCIe between device and host
  int axes = 0;               // torus
  double axis_link = 0;       // torus: bytes/s of one link, one direction
  int wrap_axis = 1;          // torus: an axis of so many, or a multiple, has its ends joined

  double ring_share = 0.7;  // of the bandwidth
  double ring_start_s = 20e-6;
  double ring_step_s = 1.2e-6;
  double quick_share = 0.44;
  double quick_start_s = 8e-6;
  double quick_step_s = 1.5e-6;
  // Steps that add (scatter) take longer than the mean of an all-reduce's, steps that copy (gather)
  // by as much less.
  double adding_step_share = 0.26;  // of a step's start
  double adding_share = 0.056;      // of its bytes' time
  double copy_bandwidth = 1e12;     // bytes/s at which a device moves its own part
  double reduce_copy_share = 1;     // of that copy which an all-reduce needs
  double peer_share = 0.64;         // of the host's bandwidth, device to device
  double peer_step_s = 5.7e-6;

  // Switches that add in flight (NVLink SHARP); a share of 0: they do not.
  double switch_share = 0;
  double switch_start_s = 0;
  double switch_quick_share = 0;
  double switch_quick_start_s = 0;

  // One device to one other: the rate of a channel; a library opens 32 for all peers together.
  double channel_bandwidth = 20e9;
  double message_start_s = 8e-6;
  double message_bandwidth = 0;  // where one device to another is known to be slower; 0: is not
};
LinkSpec links_of(const DeviceSpec& device);

/// What joins hosts: network cards that the devices of a host share.
struct NetworkSpec {
  double card_bandwidth = 0;  // bytes/s, one direction, of one card
  int cards = 0;              // of a host; 0: one for every device
  double share = 0.9;         // achieved
  double crowded_share = 1;   // of that, once more devices than cards send
  double start_s = 8e-6;      // for every doubling of the number of hosts, there, and again back
  double local_step_s = 0;    // ring: for every further device of a host
  double quick_step_s = 0;    // quick: the same
};
/// A cluster built for training: a card for every device.
NetworkSpec network_of(const DeviceSpec& device);
/// Rented hosts that share a few cards, where they were measured; else as `network_of`.
NetworkSpec cloud_network_of(const DeviceSpec& device);

/// The squarest torus of so many chips; axes in ascending order, unused ones are 1.
struct TorusShape {
  std::array<int, 3> lengths = {1, 1, 1};
  std::array<bool, 3> joined = {false, false, false};  // the ends of the axis
};
/// REQUIRES chips >= 1 and links with 1 to 3 axes.
TorusShape torus_of(const LinkSpec& links, int chips);

/// Bytes/s in one direction that one device of a group within a domain reaches, as its links allow
/// (not what a library makes of them). Groups that the links do not join go through the host.
double reach(const LinkSpec& links, int devices);

/// Whether the links themselves join such a group.
bool joined_by_links(const LinkSpec& links, int devices);

/// How many of a group stand on one host (TPU: in one slice; racks joined by switches: in a rack).
/// `given` counts where the links do not reach beyond a host; empty: as many as usual.
int devices_per_host(const DeviceSpec& device, int devices, std::optional<int> given);

}  // namespace drover::devices
