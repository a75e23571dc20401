// How long a ledger keeps ended jobs; see router/ledger/compaction.h.
#pragma once

#include <chrono>
#include <cstddef>

#include "fleet/base/time.h"

namespace drover::router {

struct Retention {
  Duration ended_for = std::chrono::hours(7 * 24);  // fleet time
  std::size_t ended_jobs = 100'000;
  std::size_t ids = 4'000'000;
  bool operator==(const Retention&) const = default;
};

}  // namespace drover::router
