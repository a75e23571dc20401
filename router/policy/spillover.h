// How load flows over ordered tiers when capacity fails: Envoy's priority levels and its panic
// threshold (docs: arch_overview/upstream/load_balancing/priority, panic_threshold), in units of
// capacity instead of hosts. Pure arithmetic.
//
//   health(p) = min(100, floor(100 * overprovision * healthy(p) / reference(p)))
//   sum       = min(100, health of all tiers)
//   load(p)   = min(100 - loads before p, round(100 * health(p) / sum))
//
// Envoy's reference is the tier's own total, which is right where every tier could carry all the
// load. Where tiers are unequal, the first tier's total is the measure: a tier takes no more than
// what its own capacity is worth of the first one's.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

namespace drover::router {

/// Of one tier, in any unit that all tiers share: tokens/s, jobs/h, devices of one kind.
struct TierCapacity {
  double healthy = 0;  // REQUIRED: 0 <= healthy <= total
  double total = 0;    // 0: the tier has nothing; it gets no load
};

/// What a tier with too little healthy capacity does while all tiers together have too little.
enum class PanicAction : std::uint8_t { use_all, fail };

struct Panic {
  double below = 0.5;  // healthy share of a tier's capacity; 0: never
  PanicAction action = PanicAction::use_all;
};

enum class TierReference : std::uint8_t { own_total, first_total };

struct Spillover {
  double overprovision = 1.4;  // Envoy's default: full load down to 1 / 1.4 of the capacity
  TierReference reference = TierReference::own_total;
  Panic panic;
};

/// Where a tier's load may go: to what is healthy, to everything, nowhere (it fails at once).
enum class TierUse : std::uint8_t { healthy, all, none };

struct TierLoad {
  int percent = 0;
  TierUse use = TierUse::healthy;
};

/// Less than `below` of the tier's capacity is healthy. An empty tier is in no panic.
bool below_panic(TierCapacity tier, const Panic& panic);

/// One row per tier, in order. The percents add up to 100; what rounding leaves goes to the first
/// tier with any health. Panic is looked at only where all tiers together have too little health.
/// With nothing healthy at all everything goes to the first tier that has capacity, in panic, or,
/// where the threshold is 0, nowhere: then the percents are 0.
std::vector<TierLoad> spill(std::span<const TierCapacity> tiers, const Spillover& rules);

}  // namespace drover::router
