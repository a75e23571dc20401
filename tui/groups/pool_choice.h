// A pool that the keys left and right choose; Enter shows its devices.
#pragma once

#include <algorithm>
#include <optional>
#include <string>
#include <vector>

#include "tui/tables/list_viewport.h"

namespace drover::tui {

/// The index of the chosen pool; -1: none of them.
inline int pool_index(const std::vector<std::string>& pools,
                      const std::optional<std::string>& chosen) {
  return index_where(pools, [&](const std::string& pool) { return pool == chosen; });
}

/// Chooses the next pool or the one before; without a choice the first or the last one.
inline void step_pool(const std::vector<std::string>& pools, int step,
                      std::optional<std::string>& chosen) {
  if (pools.empty()) return;
  const int last = static_cast<int>(pools.size()) - 1;
  const int from = pool_index(pools, chosen);
  const int to = from < 0 ? (step > 0 ? 0 : last) : std::clamp(from + step, 0, last);
  chosen = pools[static_cast<std::size_t>(to)];
}

}  // namespace drover::tui
