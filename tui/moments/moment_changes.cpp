#include "tui/moments/moment_changes.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "fleet/device_state.h"

namespace drover::tui {
namespace {

struct BitChange {
  DeviceBit bit;
  StateChange begins, ends;
};
constexpr std::array<BitChange, 5> bit_changes = {{
    {device_unusable, StateChange::unusable, StateChange::usable},
    {device_throttled, StateChange::throttling, StateChange::not_throttling},
    {device_sampled, StateChange::heard, StateChange::silent},
    {device_faulty, StateChange::faulty, StateChange::repaired},
    {device_drained, StateChange::drained, StateChange::resumed},
}};

/// Compares two moments, `before` being the earlier one.
class MomentComparison {
 public:
  MomentComparison(const MomentSnapshot& before, const MomentSnapshot& after)
      : before_(before), after_(after) {
    changes_.from = before.at;
    changes_.to = after.at;
  }

  MomentChanges result() {
    compare_hosts();
    for (std::size_t i = 0; i < compared_readings.size(); ++i) keep_greatest(i);
    compare_alerts();
    compare_sums();
    return std::move(changes_);
  }

 private:
  void add(StateChange change, const std::string& host) {
    changes_.hosts[static_cast<std::size_t>(change)].push_back(host);
  }

  /// Both lists are in the order of names.
  void compare_hosts() {
    auto old = before_.hosts.begin();
    auto now = after_.hosts.begin();
    while (old != before_.hosts.end() || now != after_.hosts.end()) {
      const bool only_old =
          now == after_.hosts.end() || (old != before_.hosts.end() && old->name < now->name);
      const bool only_now = !only_old && (old == before_.hosts.end() || now->name < old->name);
      if (only_old) {
        if (!is_gone(old->health)) add(StateChange::host_left, old->name);
        ++old;
      } else if (only_now) {
        if (!is_gone(now->health)) add(StateChange::host_joined, now->name);
        ++now;
      } else {
        compare_host(*old++, *now++);
      }
    }
  }

  void compare_host(const MomentHost& old, const MomentHost& now) {
    const bool was_gone = is_gone(old.health), gone = is_gone(now.health);
    if (old.health != Health::lost && now.health == Health::lost) {
      add(StateChange::host_lost, now.name);
    } else if (!was_gone && gone) {
      add(StateChange::host_left, now.name);
    } else if (was_gone && !gone) {
      add(old.health == Health::lost ? StateChange::host_back : StateChange::host_joined, now.name);
    }
    if (was_gone || gone) return;
    std::uint32_t i = old.first, j = now.first;
    while (i < old.end() && j < now.end()) {
      const std::uint16_t one = before_.index[i], other = after_.index[j];
      if (one == other) compare_device(now.name, i, j);
      if (one <= other) ++i;
      if (other <= one) ++j;
    }
  }

  void compare_device(const std::string& host, std::uint32_t i, std::uint32_t j) {
    const unsigned old = before_.bits[i], now = after_.bits[j];
    // Without a current sample nothing is known of throttling.
    const bool sampled = (old & now & device_sampled) != 0;
    for (const BitChange& change : bit_changes) {
      const unsigned bit = change.bit;
      if (((old ^ now) & bit) == 0 || (change.bit == device_throttled && !sampled)) continue;
      const StateChange is = (now & bit) != 0 ? change.begins : change.ends;
      changes_.devices[static_cast<std::size_t>(is)].push_back({host, after_.index[j]});
    }
    for (std::size_t metric = 0; metric < compared_readings.size(); ++metric) {
      const double was = before_.readings[metric][i], is = after_.readings[metric][j];
      // False for NaN.
      if (!(std::abs(is - was) >= compared_readings[metric].least)) continue;
      found_[metric].push_back({&host, after_.index[j], was, is});
    }
  }

  /// The names are made for the few that are kept.
  void keep_greatest(std::size_t metric) {
    std::vector<Found>& all = found_[metric];
    const auto kept = std::min(all.size(), device_changes_max);
    std::partial_sort(all.begin(), all.begin() + static_cast<std::ptrdiff_t>(kept), all.end(),
                      [](const Found& one, const Found& other) {
                        const double a = std::abs(one.after - one.before);
                        const double b = std::abs(other.after - other.before);
                        if (a != b) return a > b;
                        return std::tie(*one.host, one.index) < std::tie(*other.host, other.index);
                      });
    for (std::size_t i = 0; i < kept; ++i) {
      changes_.readings[metric].push_back(
          {{*all[i].host, all[i].index}, all[i].before, all[i].after});
    }
  }

  void compare_alerts() {
    const auto without = [](const std::vector<MomentAlert>& these,
                            const std::vector<MomentAlert>& others) {
      std::vector<MomentAlert> left;
      for (const MomentAlert& alert : these) {
        const auto known = std::ranges::lower_bound(others, alert.key, {}, &MomentAlert::key);
        if (known == others.end() || known->key != alert.key) left.push_back(alert);
      }
      std::ranges::stable_sort(left, std::greater<>{}, &MomentAlert::severity);
      return left;
    };
    changes_.raised = without(after_.alerts, before_.alerts);
    changes_.cleared = without(before_.alerts, after_.alerts);
  }

  void compare_sums() {
    changes_.before = before_.sums;
    changes_.after = after_.sums;
    if (!before_.sums || !after_.sums) return;
    compare_pools(before_.sums->pools, after_.sums->pools);
    // Another ledger begins from zero.
    if (before_.sums->started == after_.sums->started) {
      changes_.counted = counted(*before_.sums, *after_.sums);
    }
  }

  void compare_pools(const std::vector<PoolReport>& old, const std::vector<PoolReport>& now) {
    for (const PoolReport& pool : now) {
      const auto was = std::ranges::find(old, pool.name, &PoolReport::name);
      if (was == old.end()) {
        changes_.pools.push_back({pool.name, std::nullopt, pool});
      } else if (*was != pool) {
        changes_.pools.push_back({pool.name, *was, pool});
      }
    }
    for (const PoolReport& pool : old) {
      if (std::ranges::find(now, pool.name, &PoolReport::name) == now.end()) {
        changes_.pools.push_back({pool.name, pool, std::nullopt});
      }
    }
  }

  static CountedChange counted(const Summary& old, const Summary& now) {
    const auto grown = [](std::uint64_t before, std::uint64_t after) {
      return after > before ? after - before : 0;
    };
    const auto grown_map = [&](const std::map<Reason, std::uint64_t>& before,
                               const std::map<Reason, std::uint64_t>& after) {
      std::map<Reason, std::uint64_t> by_reason;
      for (const auto& [reason, count] : after) {
        const auto was = before.find(reason);
        const std::uint64_t more = grown(was == before.end() ? 0 : was->second, count);
        if (more > 0) by_reason[reason] = more;
      }
      return by_reason;
    };
    CountedChange change;
    change.accepted = grown(old.accepted, now.accepted);
    change.finished = grown(old.finished, now.finished);
    change.failed = grown(old.failed, now.failed);
    change.cancelled = grown(old.cancelled, now.cancelled);
    change.retries = grown(old.retries, now.retries);
    change.preempted = grown(old.preempted, now.preempted);
    change.decisions = grown(old.decisions, now.decisions);
    change.fallbacks = grown_map(old.fallbacks, now.fallbacks);
    change.failures = grown_map(old.failures, now.failures);
    change.energy_j = now.fleet_energy_j - old.fleet_energy_j;
    change.cost_usd = now.fleet_cost_usd - old.fleet_cost_usd;
    return change;
  }

  struct Found {
    const std::string* host;
    std::uint16_t index;
    double before, after;
  };

  const MomentSnapshot& before_;
  const MomentSnapshot& after_;
  MomentChanges changes_;
  std::array<std::vector<Found>, compared_readings.size()> found_;
};

}  // namespace

MomentChanges changes_between(const MomentSnapshot& mark, const MomentSnapshot& other) {
  const bool swapped = other.at < mark.at;
  MomentChanges changes =
      swapped ? MomentComparison(other, mark).result() : MomentComparison(mark, other).result();
  changes.mark_is_later = swapped;
  return changes;
}

}  // namespace drover::tui
