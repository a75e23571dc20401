// Unused pools, settings of pools without effect, and pools that share devices.
#include <algorithm>
#include <set>

#include "router/lint/job_set.h"
#include "router/lint/lint.h"

namespace drover::router {
namespace {

using toml_file::Table;

/// The pools that a rule lists or a fallback names.
std::set<std::string> used_pools(const Policy& policy) {
  std::set<std::string> used;
  for (const Rule& rule : policy.rules) {
    used.insert(rule.pools.begin(), rule.pools.end());
    for (const Fallback& fallback : rule.fallbacks) used.insert(fallback.to);
  }
  return used;
}

void lint_shares(Lint& lint, const Table& table) {
  const std::vector<Pool>& pools = lint.policy().pools;
  double sum = 0;
  for (const Pool& pool : pools) sum += pool.max_share;
  if (sum >= 1 || pools.empty() || lint.is_unread("pool")) return;
  lint.warn(table, "max_share",
            "the max_share of all pools adds up to {:g} of the running jobs: the fleet "
            "never runs more than a few jobs at once",
            sum);
}

bool known_device_fits(const PoolMatch& match, const devices::DeviceSpec& spec) {
  PoolMatch device;
  device.device_class = match.device_class;
  device.model = match.model;
  Group group;
  group.device = spec.id;
  return matches(device, Register{}, group, spec.name, spec.device_class);
}

/// Whether the pool takes the device on any host: no other key restricts it.
bool surely_takes(const Pool& pool, const devices::DeviceSpec& spec) {
  const PoolMatch& match = pool.match;
  const bool any_host =
      match.rack.empty() && match.host.empty() && match.site.empty() && match.labels.empty();
  return !match.rest && any_host && known_device_fits(match, spec);
}

/// Whether some known device may be in the pool.
bool can_hold(const Policy& policy, const PoolMatch& match, const devices::Catalogue& known) {
  const auto& devices = known.devices();
  return std::ranges::any_of(devices, [&](const auto& device) {
    const devices::DeviceSpec& spec = device.second.spec;
    if (!known_device_fits(match, spec)) return false;
    return !match.rest || std::ranges::none_of(policy.pools, [&](const Pool& pool) {
      return surely_takes(pool, spec);
    });
  });
}

/// Whether one surely covers the other: then both match what the narrower matches.
bool share_texts(const std::string& first, const std::string& second) {
  if (first.empty() || second.empty()) return true;
  return covers_glob(first, second) || covers_glob(second, first);
}

bool share_slots(const PoolMatch& first, const PoolMatch& second) {
  const bool labels = std::ranges::all_of(first.labels, [&](const auto& label) {
    const auto other = second.labels.find(label.first);
    return other == second.labels.end() || share_texts(label.second, other->second);
  });
  return labels && share_texts(first.rack, second.rack) && share_texts(first.host, second.host) &&
         share_texts(first.site, second.site);
}

bool same_prices(const Prices& a, const Prices& b) {
  return a.on_demand_usd_per_h == b.on_demand_usd_per_h &&
         a.reserved_usd_per_h == b.reserved_usd_per_h && a.spot_usd_per_h == b.spot_usd_per_h &&
         a.purchase_usd == b.purchase_usd && a.years == b.years &&
         a.energy_usd_per_kwh == b.energy_usd_per_kwh && a.pue == b.pue;
}

/// A known device that may be in both; empty: none found.
std::string shared_device(const PoolMatch& first, const PoolMatch& second,
                          const devices::Catalogue& known) {
  if (first.rest != second.rest || !share_slots(first, second)) return "";
  for (const auto& [id, entry] : known.devices()) {
    if (known_device_fits(first, entry.spec) && known_device_fits(second, entry.spec)) return id;
  }
  return "";
}

}  // namespace

void lint_pools(Lint& lint, Table file) {
  auto tables = file.table("pool");
  const std::set<std::string> used = used_pools(lint.policy());
  for (const Pool& pool : lint.policy().pools) {
    auto table = tables->table(pool.name);
    if (!table) continue;
    if (&pool == &lint.policy().pools.front()) lint_shares(lint, *table);
    if (used.count(pool.name) == 0 && !lint.is_unread("rule")) {
      lint.warn(*tables, pool.name, "is in no rule and no fallback: nothing ever runs there");
    }
    if (pool.prices.spot_usd_per_h && pool.prices.reclaim_per_h <= 0) {
      lint.warn(*table, "price_per_hour",
                "a spot price without reclaim_per_hour: work counts as never reclaimed");
    }
  }
}

void lint_devices(Lint& lint, Table file, const devices::Catalogue& known) {
  auto tables = file.table("pool");
  const std::vector<Pool>& pools = lint.policy().pools;
  for (std::size_t index = 0; index < pools.size(); ++index) {
    const Pool& pool = pools[index];
    auto table = tables->table(pool.name);
    if (!table || (pool.match.rest && lint.is_unread("pool"))) continue;
    if (!can_hold(lint.policy(), pool.match, known)) {
      lint.warn(*table, "match", "{}",
                pool.match.rest
                    ? "the other pools leave no device of the catalogue that this one matches"
                    : "no device of the catalogue is in this pool");
    }
    for (std::size_t before = 0; before < index; ++before) {
      const Pool& other = pools[before];
      if (lint.is_unread("pool." + other.name)) continue;
      if (same_prices(other.prices, pool.prices)) continue;
      const std::string device = shared_device(other.match, pool.match, known);
      if (device.empty()) continue;
      lint.warn(*table, "match", "a device such as {} is in pool \"{}\" too, at another price",
                device, other.name);
      break;
    }
  }
}

}  // namespace drover::router
