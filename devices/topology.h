// How devices of one kind reach each other: the links inside a domain, the network between hosts,
// and the torus that a group of TPU chips forms. Facts and achieved shares come from the
// `[links]` and `[network]` sections of a device or its generation.
#pragma once

#include <array>
#include <optional>
#include <string>
#include <string_view>

namespace drover::devices {

enum class LinkKind {
  host,      // through the host's PCIe only
  pair,      // a bridge joins two devices; others are reached through the host
  mesh,      // every device of the domain has links of its own to every other
  switched,  // every device reaches every other at its full rate
  torus,     // TPU: 2 links per axis to the neighbours
};

std::optional<LinkKind> parse_link_kind(std::string_view name);
std::string_view to_text(LinkKind kind);

/// The links of one device inside its domain.
struct LinkSpec {
  LinkKind kind = LinkKind::host;
  double bandwidth = 0;       // bytes/s, one direction, all links of one device together
  int domain = 1;             // devices that reach each other by these links
  double host_bandwidth = 0;  // bytes/s, one direction, PCIe between device and host

  // Torus: the axes of a full pod, and the shortest axis whose ends are joined.
  int axes = 0;
  int wrap_min = 0;

  // What a communication library reaches. A message moves by the faster of two ways: the quick one
  // (few, small packets that carry their own flags) and the bulk one (large pipelined buffers).
  double bulk_share = 0.7;  // of the bandwidth
  double bulk_start_s = 20e-6;
  double bulk_step_s = 1.2e-6;  // for every step of the ring
  double quick_share = 0.44;
  double quick_start_s = 8e-6;
  double quick_step_s = 1.5e-6;
  // Steps that add (scatter) take longer than the mean of an all-reduce's, steps that copy (gather)
  // by as much less.
  double adding_step_share = 0.26;  // of a step's start
  double adding_share = 0.056;      // of its bytes' time
  double copy_bandwidth = 1e12;     // bytes/s at which a device moves its own part
  double reduce_copy_share = 1;     // of that copy which an all-reduce needs
  double host_share = 0.64;         // of the host's bandwidth, device to device
  double host_step_s = 5.7e-6;

  // Switches that add in flight (NVLink SHARP); a share of 0: they do not.
  double switch_bulk_share = 0;
  double switch_bulk_start_s = 0;
  double switch_quick_share = 0;
  double switch_quick_start_s = 0;

  // One device to one other: the rate of a channel; a library opens 32 for all peers together.
  double channel_bandwidth = 20e9;
  double message_start_s = 8e-6;
  double message_bandwidth = 0;  // where one device to another is known to be slower; 0: is not
};

/// What joins hosts: network cards that the devices of a host share.
struct NetworkSpec {
  double card_bandwidth = 0;         // bytes/s, one direction, of one card
  int cards = 0;                     // of a host; 0: hosts are not joined
  double share = 0.9;                // achieved
  double shared_share = 1;           // of that, once more devices than cards send
  double start_s = 30e-6;            // for every doubling of the number of hosts, there and back
  double local_step_s = 4e-6;        // bulk: for every further device of a host
  double local_quick_step_s = 2e-6;  // quick: the same
};

/// The squarest torus of so many chips; axes in ascending order, unused ones are 1.
struct Torus {
  std::array<int, 3> shape = {1, 1, 1};
  std::array<bool, 3> wraps = {false, false, false};
};
/// REQUIRES chips >= 1 and a link specification with 1 to 3 axes.
Torus torus_of(const LinkSpec& links, int chips);

/// Bytes/s in one direction that one device of a group within a domain reaches, as its links allow
/// (not what a library makes of them). Groups that the links do not join go through the host.
double reach(const LinkSpec& links, int devices);

/// Whether the links themselves join such a group.
bool joined_by_links(const LinkSpec& links, int devices);

}  // namespace drover::devices
