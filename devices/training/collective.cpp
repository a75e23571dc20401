#include "devices/training/collective.h"

#include <algorithm>
#include <cmath>

namespace drover::devices {

namespace {

/// Share of the bytes that crosses every device's link in a ring, with reduce and gather counted
/// separately (NCCL tests, "Performance": bus bandwidth). A broadcast takes one pass.
double ring_volume(CollectiveKind collective, double devices) {
  const double others = (devices - 1) / devices;
  switch (collective) {
    case CollectiveKind::all_reduce:
      return 2 * others;
    case CollectiveKind::all_gather:
    case CollectiveKind::reduce_scatter:
    case CollectiveKind::all_to_all:
      return others;
    default:
      return 1;
  }
}

/// Passes over the data: an all-reduce is a reduce-scatter and an all-gather.
double passes(CollectiveKind collective) {
  return collective == CollectiveKind::all_reduce ? 2 : 1;
}

/// Above 0 if every step adds, below 0 if every step copies.
double adding(CollectiveKind collective) {
  switch (collective) {
    case CollectiveKind::reduce_scatter:
      return 1;
    case CollectiveKind::all_gather:
    case CollectiveKind::broadcast:
      return -1;
    default:
      return 0;
  }
}

/// Steps of the ring relative to an all-reduce.
double ring_steps(CollectiveKind collective, int devices, const LinkSpec& links) {
  return passes(collective) * (devices - 1) *
         (1 + adding(collective) * links.collectives.adding_step_share);
}

bool is_message(CollectiveKind collective) {
  return collective == CollectiveKind::send_recv || collective == CollectiveKind::exchange;
}

/// The ring protocol with large pipelined buffers; every device also copies or adds its own part.
double bulk_ring_s(CollectiveKind collective, double bytes, int devices, const LinkSpec& links) {
  const bool reduces = collective == CollectiveKind::all_reduce;
  const double copied = bytes / devices * (reduces ? links.collectives.reduce_copy_share : 1.0);
  return links.collectives.ring_start_s +
         links.collectives.ring_step_s * ring_steps(collective, devices, links) +
         bytes * ring_volume(collective, devices) *
             (1 + adding(collective) * links.collectives.adding_share) /
             (group_bandwidth(links, devices) * links.collectives.ring_share) +
         copied / links.collectives.copy_bandwidth;
}

/// The protocol with small packets that carry flags (NCCL's LL128): faster to start, less
/// bandwidth.
double quick_ring_s(CollectiveKind collective, double bytes, int devices, const LinkSpec& links) {
  return links.collectives.ll_start_s +
         links.collectives.ll_step_s * ring_steps(collective, devices, links) +
         bytes * passes(collective) /
             (group_bandwidth(links, devices) * links.collectives.ll_share);
}

/// Reduction in the switch (NVLink SHARP): a device sends its data once and receives its part of
/// the sum by multicast, so a link carries bytes x (1 + 1/n) in each direction.
double switch_reduce_s(double bytes, int devices, const LinkSpec& links) {
  const double carried = bytes * (1 + 1.0 / devices);
  const double bulk =
      links.collectives.nvls_start_s + carried / (links.bandwidth * links.collectives.nvls_share);
  const double quick = links.collectives.nvls_ll_start_s +
                       2 * bytes / (links.bandwidth * links.collectives.nvls_ll_share);
  return std::min(bulk, quick);
}

/// The ring through the hosts' PCIe.
double host_ring_s(CollectiveKind collective, double bytes, int devices, const LinkSpec& links) {
  return links.collectives.ring_start_s +
         links.collectives.peer_step_s * ring_steps(collective, devices, links) +
         bytes * ring_volume(collective, devices) /
             (links.host_bandwidth * links.collectives.peer_share);
}

/// NCCL (enqueue.cc, channels of point-to-point work) shares 32 channels among the peers and uses
/// more of them for a peer when one would carry over 16 MiB.
double message_channels(double bytes, int devices) {
  constexpr double channels_max = 32;
  constexpr double channel_bytes_max = 16.0 * 1024 * 1024;
  return std::clamp(bytes / channel_bytes_max, std::max(1.0, channels_max / devices), channels_max);
}

double message_s(CollectiveKind collective, double bytes, int devices, const LinkSpec& links) {
  if (links.collectives.message_bandwidth > 0)
    return links.collectives.message_start_s + bytes / links.collectives.message_bandwidth;
  const bool both_ways = collective == CollectiveKind::exchange;
  const bool by_links = joined_by_links(links, devices);
  const double wire =
      by_links ? group_bandwidth(links, devices) * (both_ways ? links.collectives.ring_share : 1.0)
               : links.host_bandwidth * links.collectives.peer_share;
  const double channels = message_channels(bytes, both_ways ? devices : 2);
  const double start = links.collectives.message_start_s * (both_ways ? 2 : 1);
  return start + bytes / std::min(wire, channels * links.collectives.channel_bandwidth);
}

/// Seconds within one host or one domain of switches.
double domain_s(CollectiveKind collective, double bytes, int devices, const LinkSpec& links) {
  if (devices < 2) return 0;
  if (is_message(collective)) return message_s(collective, bytes, devices, links);
  if (!joined_by_links(links, devices)) return host_ring_s(collective, bytes, devices, links);
  const double bulk = bulk_ring_s(collective, bytes, devices, links);
  if (collective == CollectiveKind::all_to_all) return bulk;
  double best = std::min(bulk, quick_ring_s(collective, bytes, devices, links));
  const bool adds = links.collectives.nvls_share > 0 && links.collectives.nvls_ll_share > 0;
  if (adds && collective == CollectiveKind::all_reduce && devices > 2) {
    best = std::min(best, switch_reduce_s(bytes, devices, links));
  }
  return best;
}

/// Bytes/s of a host's NICs for one group, and of one NIC.
struct NicRates {
  double all = 0;
  double one = 0;
};

NicRates nic_rates(const CollectiveGroup& group, const NetworkSpec& network) {
  const int sending = std::min(group.per_host, group.devices) * std::max(1, group.groups_at_once);
  const int nics = network.nics > 0 ? static_cast<int>(network.nics) : sending;
  const double rate =
      network.nic_bandwidth * network.share * (sending > nics ? network.contended_share : 1.0);
  const double all = rate * std::min(sending, nics) / std::max(1, group.groups_at_once);
  return {all, std::min(all, network.nic_bandwidth * network.share)};
}

/// Flat rings that enter and leave a host by all its NICs, or by one NIC with less latency.
double network_s(CollectiveKind collective, double bytes, const CollectiveGroup& group,
                 const LinkSpec& links, const NetworkSpec& network) {
  const NicRates nics = nic_rates(group, network);
  const int hosts = group.hosts();
  const double start = network.start_s * 2 * std::ceil(std::log2(hosts));
  if (is_message(collective)) return start / 2 + bytes / nics.one;
  const double further = group.per_host - 1;
  if (collective == CollectiveKind::all_to_all) {
    // Traffic inside the host uses its links; other traffic uses the device's share of the NICs.
    const double leaving = 1 - 1.0 / hosts;
    return start + network.local_step_s * further +
           std::max(bytes * leaving * group.per_host / nics.all,
                    domain_s(collective, bytes / hosts, group.per_host, links));
  }
  const double inside = group.per_host > 1 ? group_bandwidth(links, group.per_host) *
                                                 (joined_by_links(links, group.per_host)
                                                      ? links.collectives.ring_share
                                                      : links.collectives.peer_share)
                                           : nics.all;
  const double bulk = start + network.local_step_s * further +
                      bytes * ring_volume(collective, group.devices) / std::min(nics.all, inside);
  const double quick =
      start + network.ll_step_s * further + bytes * ring_volume(collective, hosts) / nics.one;
  return std::min(bulk, quick);
}

/// Uses the links of a torus axis in both directions; an axis that is not a ring has half the rate.
/// "How to Scale Your Model" (jax-ml), Sharded Matrices: an all-gather takes V/(W x axes), at least
/// the hops; an all-reduce takes twice that.
double torus_s(CollectiveKind collective, double bytes, int chips, const LinkSpec& links) {
  const TorusShape torus = torus_of(links, chips);
  double rate = 0, hops = 0, longest = 0;
  for (std::size_t i = 0; i < torus.lengths.size(); ++i) {
    const double length = torus.lengths[i];
    if (length < 2) continue;
    const double both =
        2 * links.axis_link * links.collectives.ring_share * (torus.joined[i] ? 1.0 : 0.5);
    rate += both;
    hops += torus.joined[i] ? length / 2 : length - 1;
    longest = std::max(longest, length / both);
  }
  const double waiting = links.collectives.ring_step_s * hops * passes(collective);
  const double start = links.collectives.ll_start_s;
  if (is_message(collective)) {
    return start + links.collectives.ring_step_s +
           bytes / (links.axis_link * links.collectives.ring_share);
  }
  if (collective == CollectiveKind::all_to_all) {
    // Every byte crosses a quarter of each ring on average; the longest axis is the bottleneck.
    return start + std::max(waiting, bytes * longest / 4);
  }
  return start + std::max(waiting, bytes * ring_volume(collective, chips) / rate);
}

/// Slices connected by the data-centre network: scatter inside, reduce across, gather inside.
double slices_s(CollectiveKind collective, double bytes, const CollectiveGroup& group,
                const LinkSpec& links, const NetworkSpec& network) {
  const double inside =
      group.per_host > 1 ? torus_s(collective, bytes, group.per_host, links) : 0.0;
  return inside + network_s(collective, bytes / group.per_host,
                            {group.hosts(), 1, group.per_host * group.groups_at_once}, links,
                            network);
}

}  // namespace

double collective_s(CollectiveKind collective, double bytes, const CollectiveGroup& group,
                    const LinkSpec& links, const NetworkSpec& network) {
  if (group.devices < 2) return 0;
  const bool torus = links.kind == LinkKind::torus;
  if (group.hosts() > 1) {
    return torus ? slices_s(collective, bytes, group, links, network)
                 : network_s(collective, bytes, group, links, network);
  }
  return torus ? torus_s(collective, bytes, group.devices, links)
               : domain_s(collective, bytes, group.devices, links);
}

}  // namespace drover::devices
