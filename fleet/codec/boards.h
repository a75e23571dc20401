// The fields of what real devices say about themselves.
#pragma once

#include "fleet/board.h"
#include "fleet/codec/fields.h"

namespace drover::codec {

template <>
inline constexpr auto layout<MissingMetric> = structure("MissingMetric",
                                                        field("metric", &MissingMetric::metric),
                                                        field("why", &MissingMetric::why, as_line));

template <>
inline constexpr auto layout<DeviceProcess> = structure(
    "DeviceProcess", field("pid", &DeviceProcess::pid),
    field("user", &DeviceProcess::user, as_line), field("name", &DeviceProcess::name, as_line),
    field("tenant", &DeviceProcess::tenant, as_line),
    field("memory_bytes", &DeviceProcess::memory_bytes), field("share", &DeviceProcess::share));

template <>
inline constexpr auto layout<DevicePartition> =
    structure("DevicePartition", field("number", &DevicePartition::number),
              field("profile", &DevicePartition::profile, as_line),
              field("uuid", &DevicePartition::uuid, as_line),
              field("memory_used_bytes", &DevicePartition::memory_used_bytes),
              field("memory_total_bytes", &DevicePartition::memory_total_bytes),
              field("utilization", &DevicePartition::utilization));

template <>
inline constexpr Enumeration<LinkEnd> enumeration<LinkEnd>{"LinkEnd", LinkEnd::processor};
template <>
inline constexpr Enumeration<PciePath> enumeration<PciePath>{"PciePath", PciePath::between_nodes};

template <>
inline constexpr auto layout<DeviceLink> = structure(
    "DeviceLink", field("number", &DeviceLink::number), field("active", &DeviceLink::active),
    field("end", &DeviceLink::end), field("peer", &DeviceLink::peer, as_line),
    field("bytes_per_s", &DeviceLink::bytes_per_s), field("errors", &DeviceLink::errors));

template <>
inline constexpr auto layout<DevicePath> = structure("DevicePath",
                                                     field("peer", &DevicePath::peer, as_line),
                                                     field("path", &DevicePath::path));

template <>
inline constexpr auto layout<Board> = structure(
    "Board", field("device", &Board::device), field("name", &Board::name, as_line),
    field("uuid", &Board::uuid, as_line), field("bus", &Board::bus, as_line),
    field("driver", &Board::driver, as_line), field("read_by", &Board::read_by, as_line),
    field("power_cap_min_w", &Board::power_cap_min_w),
    field("power_cap_max_w", &Board::power_cap_max_w),
    field("power_cap_default_w", &Board::power_cap_default_w),
    field("power_cap_before_w", &Board::power_cap_before_w),
    field("clock_max_mhz", &Board::clock_max_mhz), field("slowdown_c", &Board::slowdown_c),
    field("pcie_generation_max", &Board::pcie_generation_max),
    field("pcie_lanes_max", &Board::pcie_lanes_max),
    field("missing", &Board::missing, up_to(missing_metrics_max)),
    field("processes", &Board::processes, up_to(device_processes_max)),
    field("processes_known", &Board::processes_known),
    field("processes_left_out", &Board::processes_left_out),
    field("partitions", &Board::partitions, up_to(device_partitions_max)),
    field("numa_node", &Board::numa_node), field("links", &Board::links, up_to(device_links_max)),
    field("links_known", &Board::links_known),
    field("paths", &Board::paths, up_to(device_paths_max)));

template <>
inline constexpr auto layout<BoardReport> = structure("BoardReport",
                                                      field("board", &BoardReport::board));

template <>
inline constexpr auto layout<BoardChanged> = structure("BoardChanged",
                                                       field("host", &BoardChanged::host, as_name),
                                                       field("board", &BoardChanged::board));

template <>
inline constexpr auto layout<HostUnreachable> =
    structure("HostUnreachable", field("why", &HostUnreachable::why, as_text));

}  // namespace drover::codec
