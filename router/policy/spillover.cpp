#include "router/policy/spillover.h"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "fleet/base/result.h"

namespace drover::router {
namespace {

constexpr int whole = 100;
// 140 * 0.05 is a little more than 7 in binary, other products are a little less.
constexpr double rounding = 1e-9;

double first_total(std::span<const TierCapacity> tiers) {
  const auto first = std::find_if(tiers.begin(), tiers.end(),
                                  [](const TierCapacity& tier) { return tier.total > 0; });
  return first == tiers.end() ? 0 : first->total;
}

std::vector<int> healths(std::span<const TierCapacity> tiers, const Spillover& rules) {
  const double first = first_total(tiers);
  std::vector<int> healths;
  for (const TierCapacity& tier : tiers) {
    DROVER_REQUIRE(tier.healthy >= 0 && tier.healthy <= tier.total);
    const double reference = rules.reference == TierReference::own_total ? tier.total : first;
    const double share = tier.total > 0 ? rules.overprovision * tier.healthy / reference : 0;
    healths.push_back(static_cast<int>(std::floor(whole * std::min(1.0, share) + rounding)));
  }
  return healths;
}

TierUse use_in_panic(const Panic& panic) {
  return panic.action == PanicAction::use_all ? TierUse::all : TierUse::none;
}

/// Nothing is healthy.
void load_the_dead(std::span<const TierCapacity> tiers, const Panic& panic,
                   std::vector<TierLoad>& loads) {
  bool placed = panic.below <= 0;
  for (std::size_t tier = 0; tier < tiers.size(); ++tier) {
    if (tiers[tier].total > 0 && !placed) {
      loads[tier].percent = whole;
      placed = true;
    }
  }
}

void load_the_healthy(const std::vector<int>& healths, int sum, std::vector<TierLoad>& loads) {
  int left = whole;
  for (std::size_t tier = 0; tier < healths.size(); ++tier) {
    const double exact = static_cast<double>(whole) * healths[tier] / sum;
    loads[tier].percent = std::min(left, static_cast<int>(std::lround(exact)));
    left -= loads[tier].percent;
  }
  const auto first =
      std::find_if(healths.begin(), healths.end(), [](int health) { return health > 0; });
  loads[static_cast<std::size_t>(first - healths.begin())].percent += left;
}

}  // namespace

bool below_panic(TierCapacity tier, const Panic& panic) {
  return tier.total > 0 && tier.healthy < panic.below * tier.total;
}

std::vector<TierLoad> spill(std::span<const TierCapacity> tiers, const Spillover& rules) {
  std::vector<TierLoad> loads(tiers.size());
  const std::vector<int> health = healths(tiers, rules);
  const int sum = std::min(whole, std::accumulate(health.begin(), health.end(), 0));
  if (sum == 0) {
    load_the_dead(tiers, rules.panic, loads);
  } else {
    load_the_healthy(health, sum, loads);
  }
  if (sum == whole) return loads;
  for (std::size_t tier = 0; tier < tiers.size(); ++tier) {
    if (below_panic(tiers[tier], rules.panic)) loads[tier].use = use_in_panic(rules.panic);
  }
  return loads;
}

}  // namespace drover::router
