#include "router/history/recent_history.h"

#include <algorithm>
#include <cmath>
#include <functional>
#include <limits>
#include <optional>
#include <utility>

#include "router/jobs/accounting.h"

namespace drover::router {
namespace {

constexpr std::uint16_t unknown = std::numeric_limits<std::uint16_t>::max();

/// A kept metric: `unknown` excepted, a value is `least + step * number`.
struct KeptMetric {
  Metric metric;
  double least, step;
};
constexpr std::array kept_metrics = {
    KeptMetric{Metric::utilization, 0, 1e-4},
    KeptMetric{Metric::power, 0, 0.1},
    KeptMetric{Metric::temperature, -100, 0.1},
    KeptMetric{Metric::memory_used, 0, 16.0 * 1024 * 1024},
};

std::uint16_t packed(const KeptMetric& kept, double value) {
  if (std::isnan(value)) return unknown;
  return static_cast<std::uint16_t>(
      std::clamp(std::round((value - kept.least) / kept.step), 0.0, unknown - 1.0));
}

double unpacked(const KeptMetric& kept, std::uint16_t number) {
  return number == unknown ? absent : kept.least + kept.step * number;
}

std::int64_t bin_number(Instant at, Duration bin) {
  const Duration since = at.time_since_epoch();
  return since / bin - (since % bin < Duration::zero() ? 1 : 0);
}

/// The counts and sums of a summary, without its lists.
Summary only_totals(const Summary& summary) {
  Summary totals;
  totals.finished = summary.finished;
  totals.queued = summary.queued;
  totals.running = summary.running;
  totals.power_w = summary.power_w;
  totals.spend_usd_per_h = summary.spend_usd_per_h;
  totals.budget_usd_per_h = summary.budget_usd_per_h;
  return totals;
}

double if_any(double value) { return value > 0 ? value : absent; }

}  // namespace

void RecentHistory::record(Instant now, const Summary& totals) {
  if (bin_wall_s_ == fine_bin_wall_s && fleet_state.devices().size() > finely_kept_devices_max) {
    widen_bins();
  }
  const std::int64_t number = bin_number(now, bin());
  if (!moments_.empty() && number <= moments_.back().bin) return;
  forget_replaced_devices();
  Moment moment;
  moment.bin = number;
  moment.totals = only_totals(totals);
  add_fleet(moment);
  add_pools(moment, totals);
  add_readings(moment);
  moments_.push_back(std::move(moment));
  const auto kept = static_cast<std::int64_t>(bins_max());
  while (moments_.front().bin <= number - kept) moments_.pop_front();
}

/// The bins stay long when the fleet shrinks, so that what they hold need not be dropped.
void RecentHistory::widen_bins() {
  bin_wall_s_ = coarse_bin_wall_s;
  constexpr int times = coarse_bin_wall_s / fine_bin_wall_s;
  std::erase_if(moments_, [](const Moment& moment) { return moment.bin % times != 0; });
  for (Moment& moment : moments_) moment.bin /= times;
}

/// Rows of forgotten hosts are used again for others.
void RecentHistory::forget_replaced_devices() {
  const DeviceColumns& columns = fleet_state.devices();
  const std::size_t count = std::min(columns.size(), coarsely_kept_devices_max);
  owners_.resize(std::max(owners_.size(), count));
  std::vector<std::size_t> hosts;
  for (const HostEntry& host : fleet_state.hosts()) {
    hosts.push_back(std::hash<std::string>{}(host.registration.host) | 1);
  }
  for (DeviceIndex device = 0; device < count; ++device) {
    const std::size_t owner = columns.host[device] < hosts.size() ? hosts[columns.host[device]] : 0;
    const std::size_t before = std::exchange(owners_[device], owner);
    if (before == owner || before == 0) continue;
    for (Moment& moment : moments_) {
      if (device < moment.readings.size()) moment.readings[device].fill(unknown);
    }
  }
}

void RecentHistory::add_fleet(Moment& moment) const {
  const DeviceColumns& columns = fleet_state.devices();
  double utilization = 0, cap_w = 0, usd_per_h = 0;
  std::size_t loaded = 0;
  for (const HostEntry& host : fleet_state.hosts()) {
    if (host.forgotten || is_gone(host.health)) continue;
    for (const GroupIndex group : host.groups) {
      const GroupEntry& entry = fleet_state.groups()[group];
      usd_per_h += price_usd_per_h(fleet_state, policy, group) * entry.group.count;
    }
    for (const DeviceIndex device : host.devices) {
      const double load = reading(columns, device, Metric::utilization);
      if (!std::isnan(load)) {
        utilization += load;
        ++loaded;
      }
      if (!std::isnan(reading(columns, device, Metric::power))) {
        moment.power_w = moment.totals.power_w;  // of one device or more
      }
      const double cap = reading(columns, device, Metric::power_cap);
      cap_w += std::isnan(cap) ? fleet_state.group_of_device(device).spec->power.tdp_w : cap;
    }
  }
  if (loaded > 0) moment.utilization = utilization / static_cast<double>(loaded);
  if (cap_w > 0) moment.power_share = moment.power_w / cap_w;
  moment.usd_per_h = if_any(usd_per_h);
  moment.power_cap_w = policy.limits.site_power_cap_w;
}

std::size_t RecentHistory::pool_place(const std::string& name) {
  const auto known = std::find(pools_.begin(), pools_.end(), name);
  if (known == pools_.end() && pools_.size() < kept_pools_max) {
    pools_.push_back(name);
    return pools_.size() - 1;
  }
  return static_cast<std::size_t>(known - pools_.begin());
}

void RecentHistory::add_pools(Moment& moment, const Summary& totals) {
  if (std::isnan(moment.power_w)) return;
  for (const PoolReport& pool : totals.pools) {
    const std::size_t place = pool_place(pool.name);
    if (place >= pools_.size()) continue;
    moment.pools.resize(std::max(moment.pools.size(), place + 1));
    moment.pools[place] = {static_cast<float>(pool.power_w), static_cast<float>(pool.power_cap_w)};
  }
}

void RecentHistory::add_readings(Moment& moment) const {
  const DeviceColumns& columns = fleet_state.devices();
  Readings none;
  none.fill(unknown);
  moment.readings.assign(std::min(columns.size(), coarsely_kept_devices_max), none);
  for (const HostEntry& host : fleet_state.hosts()) {
    if (host.forgotten || is_gone(host.health)) continue;
    for (const DeviceIndex device : host.devices) {
      if (device >= moment.readings.size() || columns.sampled[device] == Instant{}) continue;
      for (std::size_t i = 0; i < metrics; ++i) {
        moment.readings[device][i] =
            packed(kept_metrics[i], reading(columns, device, kept_metrics[i].metric));
      }
    }
  }
}

/// `value_of(moment, before)` in each bin; `before`: the moment before it, or null.
template <typename Value>
HistorySeries RecentHistory::series(std::string name, std::string pool,
                                    const Value& value_of) const {
  HistorySeries series{std::move(name), std::move(pool), {}};
  const Moment* before = nullptr;
  for (const Moment& moment : moments_) {
    const std::int64_t skipped = before == nullptr ? 0 : moment.bin - before->bin - 1;
    for (std::int64_t i = 0; i < skipped; ++i) append_history_value(series.values, absent);
    append_history_value(series.values, value_of(moment, before));
    before = &moment;
  }
  return series;
}

std::vector<HistorySeries> RecentHistory::series_of_fleet() const {
  std::vector<HistorySeries> all;
  const auto add = [&](std::string name, auto value_of) {
    all.push_back(series(std::move(name), "", [&](const Moment& moment, const Moment*) {
      return static_cast<double>(value_of(moment));
    }));
  };
  add("utilization", [](const Moment& moment) { return moment.utilization; });
  add("power_share", [](const Moment& moment) { return moment.power_share; });
  add("power_w", [](const Moment& moment) { return moment.power_w; });
  add("usd_per_h", [](const Moment& moment) { return moment.usd_per_h; });
  add("spend_usd_per_h", [](const Moment& moment) { return moment.totals.spend_usd_per_h; });
  add("budget_usd_per_h",
      [](const Moment& moment) { return if_any(moment.totals.budget_usd_per_h); });
  add("power_cap_w", [](const Moment& moment) { return if_any(moment.power_cap_w); });
  add("queued", [](const Moment& moment) { return moment.totals.queued; });
  add("running", [](const Moment& moment) { return moment.totals.running; });
  all.push_back(series("finished_per_s", "", [&](const Moment& moment, const Moment* before) {
    if (before == nullptr || moment.totals.finished < before->totals.finished) return absent;
    return static_cast<double>(moment.totals.finished - before->totals.finished) /
           static_cast<double>((moment.bin - before->bin) * bin_wall_s_);
  }));
  for (std::size_t place = 0; place < pools_.size(); ++place) {
    all.push_back(series("power_w", pools_[place], [&](const Moment& moment, const Moment*) {
      return place < moment.pools.size() ? double{moment.pools[place].power_w} : absent;
    }));
    all.push_back(series("power_cap_w", pools_[place], [&](const Moment& moment, const Moment*) {
      return place < moment.pools.size() ? if_any(moment.pools[place].cap_w) : absent;
    }));
  }
  return all;
}

std::vector<HistorySeries> RecentHistory::series_of_device(DeviceIndex device) const {
  std::vector<HistorySeries> all;
  for (std::size_t i = 0; i < metrics; ++i) {
    const KeptMetric& kept = kept_metrics[i];
    all.push_back(
        series(std::string(facts(kept.metric).name), "", [&](const Moment& moment, const Moment*) {
          return device < moment.readings.size() ? unpacked(kept, moment.readings[device][i])
                                                 : absent;
        }));
  }
  return all;
}

void RecentHistory::handle(Instant now, const Caller& caller, const HistoryRequest& request) {
  HistoryReply reply{request.host, request.device, {}, {}, {}};
  const auto host = fleet_state.find_host(request.host);
  std::optional<DeviceIndex> device;
  if (host) {
    for (const DeviceIndex index : fleet_state.hosts()[*host].devices) {
      if (fleet_state.devices().number[index] == request.device) device = index;
    }
  }
  if (!moments_.empty() && (device || request.host.empty())) {
    reply.begin = Instant(moments_.front().bin * bin());
    reply.bin = bin();
    reply.series = device ? series_of_device(*device) : series_of_fleet();
  }
  outbox.send(now, caller.peer, std::move(reply));
}

std::size_t RecentHistory::bytes() const {
  std::size_t bytes = owners_.capacity() * sizeof(std::size_t);
  for (const Moment& moment : moments_) bytes += moment.readings.capacity() * sizeof(Readings);
  return bytes;
}

}  // namespace drover::router
