#include "router/jobs/victim_selection.h"

#include <algorithm>
#include <map>
#include <tuple>
#include <utility>

#include "fleet/base/search.h"
#include "router/decision/candidates.h"
#include "router/fleet_state/multi_host_gang.h"

namespace drover::router {
namespace {

/// A victim as seen by one placement.
struct Claim {
  const PreemptionVictim* victim = nullptr;
  std::vector<std::size_t> offsets;  // of its devices in the placement
};

/// Order of choice: the less important, cheaper, newer victim first.
bool goes_first(const Claim& a, const Claim& b) {
  const auto key = [](const Claim& claim) {
    const PreemptionVictim& victim = *claim.victim;
    return std::tuple(victim.priority, victim.lost_device_s, -victim.since.time_since_epoch(),
                      ~victim.number);
  };
  return key(a) < key(b);
}

/// Cost of a set of victims; smaller is better.
using Price = std::tuple<std::size_t, int, double, Duration>;

Price price_of(const std::vector<const Claim*>& chosen) {
  int priority = -128;
  double lost_device_s = 0;
  Instant oldest = never;
  for (const Claim* claim : chosen) {
    priority = std::max(priority, claim->victim->priority);
    lost_device_s += claim->victim->lost_device_s;
    oldest = std::min(oldest, claim->victim->since);
  }
  return {chosen.size(), priority, lost_device_s, -oldest.time_since_epoch()};
}

/// The devices of a placement, group by group.
struct GangSite {
  std::vector<bool> free;       // by offset
  std::vector<bool> reachable;  // free, or held by a claim
  std::vector<Claim> claims;    // in order of choice
};

using VictimsByGroup = std::map<GroupIndex, std::vector<const PreemptionVictim*>>;

VictimsByGroup by_group(const FleetState& fleet_state, std::span<const PreemptionVictim> victims) {
  VictimsByGroup found;
  for (const PreemptionVictim& victim : victims) {
    for (const DeviceIndex device : victim.devices) {
      auto& of_group = found[fleet_state.devices().group[device]];
      if (of_group.empty() || of_group.back() != &victim) of_group.push_back(&victim);
    }
  }
  return found;
}

GangSite look_at(const FleetState& fleet_state, const GroupSet& groups,
                 const VictimsByGroup& victims) {
  GangSite site;
  const DeviceColumns& columns = fleet_state.devices();
  std::map<std::uint64_t, Claim> claims;  // by the victim's number
  for (const GroupIndex index : groups) {
    const GroupEntry& group = fleet_state.groups()[index];
    const std::size_t base = site.free.size();
    for (const DeviceIndex device : group.devices()) {
      site.free.push_back(is_free(columns, device));
    }
    const auto here = victims.find(index);
    if (here == victims.end()) continue;
    for (const PreemptionVictim* victim : here->second) {
      for (const DeviceIndex device : victim->devices) {
        if (columns.group[device] != index || is_closed(columns, device)) continue;
        Claim& claim = claims[victim->number];
        claim.victim = victim;
        claim.offsets.push_back(base + device - group.first);
      }
    }
  }
  site.reachable = site.free;
  for (auto& [number, claim] : claims) {
    for (const std::size_t offset : claim.offsets) site.reachable[offset] = true;
    site.claims.push_back(std::move(claim));
  }
  std::ranges::sort(site.claims, goes_first);
  return site;
}

/// Claims that hold a device of the block.
std::vector<const Claim*> in_block(const GangSite& site, std::size_t begin, std::size_t end) {
  std::vector<const Claim*> chosen;
  for (const Claim& claim : site.claims) {
    const bool inside = std::ranges::any_of(
        claim.offsets, [&](std::size_t offset) { return offset >= begin && offset < end; });
    if (inside) chosen.push_back(&claim);
  }
  return chosen;
}

/// Sizes, largest first, and the sums of the largest ones.
struct Sizes {
  std::vector<std::size_t> sorted;
  std::vector<std::size_t> sums{0};  // of the first 0, 1, 2, ..

  explicit Sizes(const std::vector<const Claim*>& claims) {
    for (const Claim* claim : claims) sorted.push_back(claim->offsets.size());
    std::sort(sorted.rbegin(), sorted.rend());
    for (const std::size_t size : sorted) sums.push_back(sums.back() + size);
  }
  /// The most devices that one of this size frees together with `others` of the others.
  std::size_t with(std::size_t size, std::size_t others) const {
    others = std::min(others, sorted.size() - 1);
    const bool among = others > 0 && size >= sorted[others - 1];
    return among ? sums[others + 1] : sums[others] + size;
  }
};

/// The smallest set that frees `missing` devices, and among equal sets the one whose members come
/// first in order. The largest sizes give the size of the set; then each position goes to the
/// first member with which the set can still be completed.
std::vector<const Claim*> fewest(const GangSite& site, std::size_t missing) {
  std::vector<const Claim*> open;
  for (const Claim& claim : site.claims) open.push_back(&claim);
  std::vector<const Claim*> chosen;
  const std::vector<std::size_t> sums = Sizes(open).sums;
  if (sums.back() < missing) return chosen;
  auto left = static_cast<std::size_t>(std::ranges::lower_bound(sums, missing) - sums.begin());
  while (missing > 0) {
    --left;
    const Sizes sizes(open);
    const auto next = std::ranges::find_if(open, [&](const Claim* claim) {
      return sizes.with(claim->offsets.size(), left) >= missing;
    });
    DROVER_REQUIRE(next != open.end());
    missing -= std::min(missing, (*next)->offsets.size());
    chosen.push_back(*next);
    open.erase(next);
  }
  return chosen;
}

struct EvictionOffer {
  Price price;
  PreemptionPlan plan;
};

void consider(std::optional<EvictionOffer>& best, const std::vector<const Claim*>& chosen,
              std::vector<PreemptionPlan::Part> parts) {
  if (parts.empty() || chosen.empty()) return;
  const Price price = price_of(chosen);
  if (best && best->price <= price) return;
  best = EvictionOffer{price, {std::move(parts), {}}};
  for (const Claim* claim : chosen) best->plan.jobs.push_back(claim->victim->job);
}

/// The devices that the job gets once the chosen victims are gone.
std::vector<PreemptionPlan::Part> parts_with(const FleetState& fleet_state, const GroupSet& groups,
                                             const GangSite& site, int count,
                                             const std::vector<const Claim*>& chosen) {
  std::vector<bool> fits = site.free;
  for (const Claim* claim : chosen) {
    for (const std::size_t offset : claim->offsets) fits[offset] = true;
  }
  std::map<GroupIndex, std::vector<bool>> fits_of;
  std::vector<FreeCapacity> capacities;
  auto next = fits.begin();
  for (const GroupIndex index : groups) {
    const auto end = next + fleet_state.groups()[index].group.count;
    const int free = static_cast<int>(std::count(next, end, true));
    fits_of[index].assign(next, end);
    if (free > 0) capacities.push_back({index, free, {}});
    next = end;
  }
  sort_by_capacity(capacities);
  std::vector<PreemptionPlan::Part> parts;
  const MultiHostGang spread = fill(capacities, count);
  if (spread.parts.size() > 1 && !fits_target_text(fleet_state, spread)) return parts;
  for (const MultiHostGang::Part& part : spread.parts) {
    auto devices =
        lowest_devices(fleet_state.groups()[part.group], part.devices, fits_of[part.group]);
    if (devices.empty()) return {};  // not in the required shape
    parts.push_back({part.group, std::move(devices)});
  }
  return parts;
}

/// Slices start at multiples of their size.
void consider_blocks(std::optional<EvictionOffer>& best, const FleetState& fleet_state,
                     const GroupSet& group, const GangSite& site, int count) {
  const auto wanted = static_cast<std::size_t>(count);
  for (std::size_t begin = 0; begin + wanted <= site.free.size(); begin += wanted) {
    bool whole = true;
    for (std::size_t at = begin; at < begin + wanted; ++at) whole = whole && site.reachable[at];
    if (!whole) continue;
    const std::vector<const Claim*> chosen = in_block(site, begin, begin + wanted);
    consider(best, chosen, parts_with(fleet_state, group, site, count, chosen));
  }
}

}  // namespace

bool may_be_preempted(const JobRecord& record, const Preempt& preempt, int priority,
                      std::uint32_t attempts_max) {
  if (record.state != JobState::running || record.lease.devices() == 0) return false;
  if (record.job.priority >= priority || !record.cancelled.empty()) return false;
  if (record.attempt - record.excused >= attempts_max) return false;
  if (record.preempted >= preempted_max) return false;
  return preempt.trainings || contains(preempt.classes, record.work_class);
}

double lost_device_s(const JobRecord& record, Instant now) {
  const double run_s = std::max(0.0, to_seconds(now - record.since));
  const double spent = run_s * static_cast<double>(record.lease.devices());
  const double steps = record.job.work.steps;
  const double done = record.progress * steps - record.lease.from_step;
  if (done <= 0) return spent;
  const double saved = static_cast<double>(record.steps_saved) - record.lease.from_step;
  return spent * std::clamp(1 - saved / done, 0.0, 1.0);
}

std::optional<PreemptionPlan> cheapest_preemption(const FleetState& fleet_state,
                                                  std::span<const GroupSet> places, int count,
                                                  std::span<const PreemptionVictim> victims) {
  std::optional<EvictionOffer> best;
  const auto wanted = static_cast<std::size_t>(std::max(count, 1));
  const VictimsByGroup of_groups = by_group(fleet_state, victims);
  for (const GroupSet& groups : places) {
    if (groups.empty()) continue;
    const GangSite site = look_at(fleet_state, groups, of_groups);
    if (wanted > site.free.size()) continue;
    if (groups.size() == 1) consider_blocks(best, fleet_state, groups, site, count);
    const devices::DeviceSpec& spec = *fleet_state.groups()[groups.front()].spec;
    if (spec.device_class == DeviceClass::tpu) continue;
    // Switched links connect any devices.
    const auto free = static_cast<std::size_t>(std::ranges::count(site.free, true));
    const std::vector<const Claim*> chosen = fewest(site, wanted - std::min(free, wanted));
    consider(best, chosen, parts_with(fleet_state, groups, site, count, chosen));
  }
  if (!best) return std::nullopt;
  return std::move(best->plan);
}

}  // namespace drover::router
