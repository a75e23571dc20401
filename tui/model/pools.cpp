// The pools of devices. Groups have few different sets of pools, so a device stores the number of
// its set. Below, the counts and rates of placements by preferred and actual pool.
#include <algorithm>

#include "tui/model/model.h"

namespace drover::tui {
namespace {

constexpr std::size_t pool_sets_max = 4'096;

}  // namespace

std::optional<std::uint16_t> Model::pool_number(const std::string& name) {
  const auto known = std::find(pools_.begin(), pools_.end(), name);
  if (known != pools_.end()) return static_cast<std::uint16_t>(known - pools_.begin());
  if (pools_.size() >= pool_curves_max) {
    ++left_out_;
    return std::nullopt;
  }
  pools_.push_back(name);
  return static_cast<std::uint16_t>(pools_.size() - 1);
}

std::uint16_t Model::pool_set(std::vector<std::uint16_t> pools) {
  const auto known = std::find(pool_sets_.begin(), pool_sets_.end(), pools);
  if (known != pool_sets_.end()) return static_cast<std::uint16_t>(known - pool_sets_.begin());
  if (pool_sets_.size() >= pool_sets_max) {
    ++left_out_;
    return 0;
  }
  pool_sets_.push_back(std::move(pools));
  return static_cast<std::uint16_t>(pool_sets_.size() - 1);
}

std::vector<std::uint16_t> Model::pool_sets_of(const HostChanged& host) {
  std::vector<std::vector<std::uint16_t>> pools(host.registration.groups.size());
  const auto join = [&](std::size_t group, const std::string& name) {
    if (group >= pools.size() || name.empty()) return;
    const auto number = pool_number(name);
    if (number && !std::count(pools[group].begin(), pools[group].end(), *number)) {
      pools[group].push_back(*number);
    }
  };
  for (std::size_t group = 0; group < host.pools.size(); ++group) join(group, host.pools[group]);
  for (const GroupPool& further : host.further_pools) join(further.group, further.pool);
  std::vector<std::uint16_t> sets;
  for (std::vector<std::uint16_t>& own : pools) sets.push_back(pool_set(std::move(own)));
  return sets;
}

std::span<const std::uint16_t> Model::pool_numbers_of(DeviceTable::Row row) const {
  return pool_sets_[devices_.pools(row)];
}

bool Model::is_in_pool(DeviceTable::Row row, std::string_view pool) const {
  const auto numbers = pool_numbers_of(row);
  return std::any_of(numbers.begin(), numbers.end(),
                     [&](std::uint16_t number) { return pools_[number] == pool; });
}

std::string_view Model::first_pool_of(DeviceTable::Row row) const {
  const auto numbers = pool_numbers_of(row);
  return numbers.empty() ? std::string_view() : std::string_view(pools_[numbers.front()]);
}

std::string Model::pools_text(DeviceTable::Row row) const {
  return pool_set_text(devices_.pools(row));
}

std::string Model::pool_set_text(std::size_t set) const {
  std::string text;
  for (const std::uint16_t number : pool_sets_[set]) {
    if (!text.empty()) text += ',';
    text += pools_[number];
  }
  return text;
}

double Model::pool_cap_w(std::string_view pool) const {
  if (!policy_) return 0;
  const auto limits = std::ranges::find(policy_->pools, pool, &PoolLimits::name);
  return limits == policy_->pools.end() ? 0 : limits->power_cap_w;
}

void Model::count_flow(Instant at, const Decision& decision) {
  const PoolFlowKey key{decision.preferred_pool, decision.pool, decision.fallback_reason,
                        fell_back(decision)};
  if (!flows_.contains(key) && flows_.size() >= flows_max) {
    ++left_out_;
    return;
  }
  flows_since_ = std::min(flows_since_, at);
  PoolFlowCount& count = flows_[key];
  ++count.all;
  count.recent.add(bin_number(at, rate_bin()));
}

double Model::per_min(const PoolFlowCount& count, Instant now) const {
  if (is_silent(now)) return absent;
  const std::int64_t last = bin_number(now, rate_bin());
  const std::int64_t first = last - (SlidingWindowCounter::bins - 1);
  const Instant begin = std::max(Instant(first * rate_bin()), flows_since_);
  // A rate needs at least one bin.
  if (begin > now || now - begin < rate_bin()) return absent;
  return 60 * static_cast<double>(count.recent.sum(first, last)) / to_seconds(now - begin);
}

}  // namespace drover::tui
