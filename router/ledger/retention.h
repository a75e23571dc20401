// How long a ledger keeps jobs that ended.
#pragma once

#include <chrono>
#include <cstddef>

#include "fleet/base/time.h"

namespace drover::router {

/// How much of the past a ledger keeps; see router/ledger/ledger_compaction.h.
struct Retention {
  Duration ended_for = std::chrono::hours(7 * 24);  // fleet time
  std::size_t ended_jobs = 100'000;
  std::size_t ids = 4'000'000;
  bool operator==(const Retention&) const = default;
};

}  // namespace drover::router
