#include "fleet/recording/format/gaps.h"

#include <algorithm>
#include <iterator>

namespace drover::recording {
namespace {

// The ordinals in the blocks of a fold interleave. Sorted together they are a few runs.
constexpr std::size_t recent_max = 1 << 17;

}  // namespace

void OrdinalGaps::add(std::uint64_t ordinal, Instant arrived) {
  recent_.emplace_back(ordinal, arrived);
  if (recent_.size() >= recent_max) sort_in();
}

void OrdinalGaps::sort_in() {
  std::sort(recent_.begin(), recent_.end());
  for (auto one = recent_.begin(); one != recent_.end();) {
    const std::uint64_t first = one->first;
    Run run{first, one->second, one->second};
    for (++one; one != recent_.end() && one->first <= run.last + 1; ++one) {
      run.last = one->first;
      run.last_arrived = one->second;
    }
    add_run(first, run);
  }
  recent_.clear();
}

// Merges the run with those that it touches or overlaps.
void OrdinalGaps::add_run(std::uint64_t first, const Run& run) {
  auto next = runs_.upper_bound(first);
  auto joined = runs_.end();
  if (next != runs_.begin() && first <= std::prev(next)->second.last + 1) {
    joined = std::prev(next);
    if (run.last > joined->second.last) {
      joined->second.last = run.last;
      joined->second.last_arrived = run.last_arrived;
    }
  } else {
    joined = runs_.emplace_hint(next, first, run);
  }
  while (next != runs_.end() && next->first <= joined->second.last + 1) {
    if (next->second.last > joined->second.last) {
      joined->second.last = next->second.last;
      joined->second.last_arrived = next->second.last_arrived;
    }
    next = runs_.erase(next);
  }
}

bool OrdinalGaps::contains(std::uint64_t ordinal) {
  sort_in();
  const auto behind = runs_.upper_bound(ordinal);
  return behind != runs_.begin() && ordinal <= std::prev(behind)->second.last;
}

std::uint64_t OrdinalGaps::last_ordinal() {
  sort_in();
  return runs_.empty() ? 0 : runs_.rbegin()->second.last;
}

Instant OrdinalGaps::last_arrived() {
  sort_in();
  DROVER_REQUIRE(!runs_.empty());
  return runs_.rbegin()->second.last_arrived;
}

std::vector<OrdinalGaps::Gap> OrdinalGaps::find(Instant begun, Duration near,
                                                std::optional<End> end) {
  sort_in();
  std::vector<Gap> gaps;
  std::uint64_t last = 0;
  Instant since = begun;
  const auto add = [&](std::uint64_t behind, Instant until) {
    const std::uint64_t count = behind - last - 1;
    if (count == 0) return;
    if (!gaps.empty() && since <= saturating_add(gaps.back().missing.until, near)) {
      gaps.back().missing.until = until;
      gaps.back().missing.count += count;
      gaps.back().last = behind - 1;
    } else {
      gaps.push_back({last + 1, behind - 1, {std::min(since, until), until, count}});
    }
  };
  for (const auto& [first, run] : runs_) {
    if (first > 0) add(first, run.first_arrived);
    last = run.last;
    since = run.last_arrived;
  }
  if (end && end->ordinal > last) add(end->ordinal + 1, std::max(since, end->arrived));
  return gaps;
}

}  // namespace drover::recording
