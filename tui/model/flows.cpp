// Counts and rates of placements by preferred and actual pool.
#include <algorithm>

#include "tui/model/model.h"

namespace drover::tui {
namespace {

// A rate needs at least this number of bins.
constexpr int rate_bins_least = 1;

}  // namespace

void Model::count_flow(Instant at, const Decision& decision) {
  const PoolFlowKey key{decision.preferred_pool, decision.pool, decision.fallback_reason};
  if (!flows_.contains(key) && flows_.size() >= flows_max) {
    ++left_out_;
    return;
  }
  flows_since_ = std::min(flows_since_, at);
  PoolFlowCount& count = flows_[key];
  ++count.all;
  count.recent.add(bin_number(at, rate_bin()));
}

double Model::per_min(const PoolFlowCount& count, Instant now) const {
  if (is_silent(now)) return absent;
  const std::int64_t last = bin_number(now, rate_bin());
  const std::int64_t first = last - (SlidingWindowCounter::bins - 1);
  const Instant begin = std::max(Instant(first * rate_bin()), flows_since_);
  if (begin > now || now - begin < rate_bins_least * rate_bin()) return absent;
  return 60 * static_cast<double>(count.recent.sum(first, last)) / to_seconds(now - begin);
}

}  // namespace drover::tui
