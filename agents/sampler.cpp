#include "agents/sampler.h"

#include <algorithm>

#include "fleet/base/result.h"

namespace drover::agents {

Sampler::Sampler(Duration every, Duration every_min) : every_(every) {
  DROVER_REQUIRE(every.count() > 0);
  // The first grid point that is at least `every_min` after the last sample.
  stride_ = std::max<std::int64_t>(1, (every_min.count() + every.count() - 1) / every.count());
}

void Sampler::begin(Instant now) {
  if (next_ != never) return;
  const std::int64_t since = now.time_since_epoch().count();
  std::int64_t point = since / every_.count();
  if (since >= 0 || since % every_.count() == 0) ++point;
  next_ = Instant(Duration(point * every_.count()));
}

void Sampler::taken() {
  next_ = saturating_add(next_, every_ * stride_);
  // Skipped points are counted with the sample after them.
  if (!first_) thinned_ += static_cast<std::uint64_t>(stride_ - 1);
  first_ = false;
}

}  // namespace drover::agents
