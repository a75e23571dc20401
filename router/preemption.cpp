#include "router/preemption.h"

#include <algorithm>
#include <tuple>
#include <utility>

#include "router/decide_candidates.h"

namespace drover::router {
namespace {

/// A holder as one group sees it.
struct Claim {
  const Holder* holder = nullptr;
  std::vector<std::size_t> offsets;  // of its devices in the group
};

/// Whom to choose first: the less important, cheaper, newer one.
bool goes_first(const Claim& a, const Claim& b) {
  const auto key = [](const Claim& claim) {
    const Holder& holder = *claim.holder;
    return std::tuple(holder.priority, holder.lost_device_s, -holder.since.time_since_epoch(),
                      ~holder.number);
  };
  return key(a) < key(b);
}

/// The smaller, the better the set of those that go.
using Price = std::tuple<std::size_t, int, double, Duration>;

Price price_of(const std::vector<const Claim*>& chosen) {
  int priority = -128;
  double lost_device_s = 0;
  Instant oldest = never;
  for (const Claim* claim : chosen) {
    priority = std::max(priority, claim->holder->priority);
    lost_device_s += claim->holder->lost_device_s;
    oldest = std::min(oldest, claim->holder->since);
  }
  return {chosen.size(), priority, lost_device_s, -oldest.time_since_epoch()};
}

struct Group {
  const GroupEntry* entry = nullptr;
  std::vector<bool> free;       // by place in the group
  std::vector<bool> reachable;  // free, or a claim's
  std::vector<Claim> claims;    // that who goes first stands first
};

Group look_at(const Roster& roster, GroupIndex index, std::span<const Holder> holders) {
  Group group;
  group.entry = &roster.groups()[index];
  const DeviceColumns& columns = roster.devices();
  const DeviceIndex first = group.entry->first;
  const std::size_t count = group.entry->group.count;
  for (std::size_t offset = 0; offset < count; ++offset) {
    group.free.push_back(is_free(columns, first + static_cast<DeviceIndex>(offset)));
  }
  group.reachable = group.free;
  for (const Holder& holder : holders) {
    Claim claim{&holder, {}};
    for (const DeviceIndex device : holder.devices) {
      if (device < first || device >= first + count) continue;
      const bool open =
          (columns.condition[device] & condition_barred) == 0 && columns.replicas[device] == 0;
      if (!open) continue;
      claim.offsets.push_back(device - first);
      group.reachable[device - first] = true;
    }
    if (!claim.offsets.empty()) group.claims.push_back(std::move(claim));
  }
  std::sort(group.claims.begin(), group.claims.end(), goes_first);
  return group;
}

/// Those that hold a device of the block.
std::vector<const Claim*> in_block(const Group& group, std::size_t begin, std::size_t end) {
  std::vector<const Claim*> chosen;
  for (const Claim& claim : group.claims) {
    const bool inside =
        std::any_of(claim.offsets.begin(), claim.offsets.end(),
                    [&](std::size_t offset) { return offset >= begin && offset < end; });
    if (inside) chosen.push_back(&claim);
  }
  return chosen;
}

/// As few as can free so many, and of such sets the one whose members go first. The largest tell
/// how few suffice; then each place of the set goes to the first with whom it can still be
/// completed.
std::vector<const Claim*> fewest(const Group& group, std::size_t missing) {
  std::vector<std::size_t> sizes;
  for (const Claim& claim : group.claims) sizes.push_back(claim.offsets.size());
  std::sort(sizes.rbegin(), sizes.rend());
  std::size_t left = 0, sum = 0;
  while (left < sizes.size() && sum < missing) sum += sizes[left++];
  std::vector<const Claim*> chosen;
  if (sum < missing) return chosen;
  std::vector<const Claim*> open;
  for (const Claim& claim : group.claims) open.push_back(&claim);
  while (missing > 0) {
    --left;
    const auto completes = [&](const Claim* claim) {
      std::vector<std::size_t> others;
      for (const Claim* other : open) {
        if (other != claim) others.push_back(other->offsets.size());
      }
      std::sort(others.rbegin(), others.rend());
      std::size_t freed = claim->offsets.size();
      for (std::size_t at = 0; at < std::min(left, others.size()); ++at) freed += others[at];
      return freed >= missing;
    };
    const auto next = std::find_if(open.begin(), open.end(), completes);
    DROVER_REQUIRE(next != open.end());
    missing -= std::min(missing, (*next)->offsets.size());
    chosen.push_back(*next);
    open.erase(next);
  }
  return chosen;
}

struct Offer {
  Price price;
  Eviction eviction;
};

void consider(std::optional<Offer>& best, GroupIndex index, const std::vector<const Claim*>& chosen,
              std::vector<std::uint16_t> devices) {
  if (devices.empty() || chosen.empty()) return;
  const Price price = price_of(chosen);
  if (best && best->price <= price) return;
  best = Offer{price, {index, std::move(devices), {}}};
  for (const Claim* claim : chosen) best->eviction.jobs.push_back(claim->holder->job);
}

std::vector<std::uint16_t> devices_with(const Group& group, int count,
                                        const std::vector<const Claim*>& chosen) {
  std::vector<bool> fits = group.free;
  for (const Claim* claim : chosen) {
    for (const std::size_t offset : claim->offsets) fits[offset] = true;
  }
  return lowest_devices(*group.entry, count, fits);
}

}  // namespace

bool may_be_preempted(const JobRecord& record, const Preempt& preempt, int priority,
                      std::uint32_t attempts_max) {
  if (record.state != JobState::running || record.lease.devices() == 0) return false;
  if (record.job.priority >= priority || !record.cancelled.empty()) return false;
  if (record.attempt - record.excused >= attempts_max) return false;
  if (record.preempted >= preempted_max) return false;
  const auto& classes = preempt.classes;
  return preempt.trainings ||
         std::find(classes.begin(), classes.end(), record.work_class) != classes.end();
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

std::optional<Eviction> cheapest_eviction(const Roster& roster, std::span<const GroupIndex> groups,
                                          int count, std::span<const Holder> holders) {
  std::optional<Offer> best;
  const auto wanted = static_cast<std::size_t>(count);
  for (const GroupIndex index : groups) {
    const Group group = look_at(roster, index, holders);
    const std::size_t size = group.free.size();
    if (count < 1 || wanted > size) continue;
    // Slices start at multiples of their size; switched links join any devices.
    for (std::size_t begin = 0; begin + wanted <= size; begin += wanted) {
      const auto* reachable = &group.reachable;
      bool whole = true;
      for (std::size_t at = begin; at < begin + wanted; ++at) whole = whole && (*reachable)[at];
      if (!whole) continue;
      const std::vector<const Claim*> chosen = in_block(group, begin, begin + wanted);
      consider(best, index, chosen, devices_with(group, count, chosen));
    }
    if (group.entry->spec->device_class == DeviceClass::tpu) continue;
    const auto free =
        static_cast<std::size_t>(std::count(group.free.begin(), group.free.end(), true));
    const std::vector<const Claim*> chosen = fewest(group, wanted - std::min(free, wanted));
    consider(best, index, chosen, devices_with(group, count, chosen));
  }
  if (!best) return std::nullopt;
  return std::move(best->eviction);
}

}  // namespace drover::router
