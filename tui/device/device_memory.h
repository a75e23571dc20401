// The use of a device's memory: weights, the KV cache by tenant, a training job, and the rest.
#pragma once

#include <string>
#include <vector>

#include "tui/canvas/draw_region.h"
#include "tui/model/model.h"

namespace drover::tui {

/// Tenants of a replica with a line of their own, largest first; the others share one line.
inline constexpr std::size_t tenant_lines_max = 5;

struct MemoryOwner {
  enum class Kind : std::uint8_t { weights, tenant, cache_free, training, other };
  Kind kind = Kind::other;
  std::string name;  // "chat: 7 requests"
  double bytes = 0;
};

struct MemoryUse {
  std::vector<MemoryOwner> owners;  // in the order of the screen
  double used = absent;             // as the driver reports
  double total = absent;
};

/// The memory of the device's replicas and jobs as agents report it; what the driver counts beyond
/// that is `other`.
MemoryUse memory_use_of(const Model& model, DeviceTable::Row row);

/// Heading, bar, and a line for each owner.
int memory_rows(const MemoryUse& use);
void draw_memory(DrawRegion region, const MemoryUse& use);

}  // namespace drover::tui
