// Where work went, counted, and how fast it goes there.
#include <algorithm>

#include "tui/model/model.h"

namespace drover::tui {
namespace {

// Over less than so many bins a rate says nothing.
constexpr int rate_bins_least = 1;

std::int64_t bin_of(Instant at, Duration bin) {
  const auto since = at.time_since_epoch();
  return since / bin - (since % bin < Duration::zero() ? 1 : 0);
}

}  // namespace

void Model::count_flow(Instant at, const Decision& decision) {
  const FlowKey key{decision.wanted_pool, decision.pool, decision.fallback_reason};
  if (!flows_.contains(key) && flows_.size() >= flows_max) {
    ++left_out_;
    return;
  }
  flows_since_ = std::min(flows_since_, at);
  FlowCount& count = flows_[key];
  ++count.all;
  count.recent.add(bin_of(at, rate_bin()));
}

double Model::per_min(const FlowCount& count, Instant now) const {
  if (is_silent(now)) return absent;
  const std::int64_t last = bin_of(now, rate_bin());
  const std::int64_t first = last - (RecentCounts::bins - 1);
  const Instant begin = std::max(Instant(first * rate_bin()), flows_since_);
  if (begin > now || now - begin < rate_bins_least * rate_bin()) return absent;
  return 60 * static_cast<double>(count.recent.sum(first, last)) / to_seconds(now - begin);
}

}  // namespace drover::tui
