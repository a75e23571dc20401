#include "fleet/recording_gaps.h"

#include <algorithm>

namespace drover::recording {
namespace {

constexpr Duration near = std::chrono::minutes(1);  // fleet time

}  // namespace

void PlaceGaps::add(std::uint64_t place, Instant arrived) {
  auto next = runs_.upper_bound(place);
  auto run = runs_.end();
  if (next != runs_.begin()) {
    run = std::prev(next);
    if (place <= run->second.last) return;
    if (place != run->second.last + 1) run = runs_.end();
  }
  if (run == runs_.end()) {
    run = runs_.emplace_hint(next, place, Run{place, arrived, arrived});
  } else {
    run->second.last = place;
    run->second.last_arrived = arrived;
  }
  if (next == runs_.end() || next->first != place + 1) return;
  run->second.last = next->second.last;
  run->second.last_arrived = next->second.last_arrived;
  runs_.erase(next);
}

std::vector<PlaceGaps::Gap> PlaceGaps::find(Instant begun) const {
  std::vector<Gap> gaps;
  std::uint64_t last = 0;
  Instant since = begun;
  for (const auto& [first, run] : runs_) {
    const std::uint64_t count = first - last - 1;
    const Instant until = run.first_arrived;
    if (count > 0 && !gaps.empty() && since <= saturating_add(gaps.back().missing.until, near)) {
      gaps.back().missing.until = until;
      gaps.back().missing.count += count;
    } else if (count > 0) {
      gaps.push_back({last + 1, {std::min(since, until), until, count}});
    }
    last = run.last;
    since = run.last_arrived;
  }
  return gaps;
}

}  // namespace drover::recording
