// Who holds a device's memory: weights, the KV cache by tenant, a training job, and what is left.
#pragma once

#include <string>
#include <vector>

#include "tui/canvas/pen.h"
#include "tui/model/model.h"

namespace drover::tui {

/// So many tenants of a replica have a line of their own, those who hold most; the rest shares one.
inline constexpr std::size_t tenant_lines_max = 5;

struct MemoryOwner {
  enum class Kind : std::uint8_t { weights, tenant, cache_free, training, other };
  Kind kind = Kind::other;
  std::string name;  // "chat: 7 requests"
  double bytes = 0;
};

struct MemoryUse {
  std::vector<MemoryOwner> owners;  // in the order in which they are shown
  double used = absent;             // as its driver tells
  double total = absent;
};

/// What agents tell of replicas and jobs of the device; what its driver counts beyond that is
/// `other`.
MemoryUse memory_use_of(const Model& model, DeviceTable::Row row);

/// Heading, bar, and a line for each owner.
int memory_rows(const MemoryUse& use);
void draw_memory(Pen pen, const MemoryUse& use);

}  // namespace drover::tui
