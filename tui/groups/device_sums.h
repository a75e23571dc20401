// Sums over the devices of a host or of a rack, as the tree of hosts shows them.
#pragma once

#include <cstdint>
#include <vector>

#include "tui/model/model.h"

namespace drover::tui {

/// Devices of hosts that left are in no sum, and those that do not report only in the first counts.
/// NaN: no device reports the value.
struct DeviceSums {
  std::uint32_t hosts = 0;  // that have not left
  std::uint32_t devices = 0;
  std::uint32_t lost = 0;       // their host is lost
  std::uint32_t unhealthy = 0;  // not usable, faulty or stale
  std::uint32_t unpriced = 0;   // not lost, but their price is not known
  std::uint32_t real = 0;
  std::uint32_t reporting = 0;  // with a current sample
  std::uint32_t in_use = 0;     // of those that report
  std::uint32_t throttled = 0;  // of those that report
  double power_w = absent;
  double power_limit_w = 0;  // of those whose power is known
  double memory_bytes = absent, memory_total_bytes = absent;
  double hottest_c = absent;
  double usd_per_h = absent;
  // Requests and training jobs on devices and waiting there. Nobody counts those of real devices.
  double running = absent, queued = absent;

  /// The mean of the devices that report it.
  double load() const { return loads == 0 ? absent : load_sum / loads; }
  /// The used share of the memory.
  double memory_share() const { return memory_bytes / memory_total_bytes; }

  std::vector<std::uint16_t> specs;  // each once: indices in Model::specs()
  double load_sum = 0;
  std::uint32_t loads = 0;
};

/// Adds a device, unless its host has left; its work is added by add_work.
void add_device(DeviceSums& sums, const Model& model, Instant now, DeviceTable::Row row);
void add_work(DeviceSums& sums, std::uint32_t running, std::uint32_t queued);
/// Adds all but the counts of work: a job on two hosts of a rack is one job of the rack.
void add_sums(DeviceSums& sums, const DeviceSums& more);

}  // namespace drover::tui
