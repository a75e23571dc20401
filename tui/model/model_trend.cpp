// Sums over the fleet, and their history.
#include <algorithm>
#include <cmath>

#include "tui/model/model.h"

namespace drover::tui {
namespace {

/// The first instant of the grid after `now`.
Instant next_on_grid(Instant now, Duration step) {
  const Duration since = now.time_since_epoch();
  Duration over = since % step;
  if (over < Duration::zero()) over += step;
  return saturating_add(now, step - over);
}

/// Adds to a sum that is NaN until the first known value.
void add_known(double& sum, double value) {
  if (!std::isnan(value)) sum = std::isnan(sum) ? value : sum + value;
}

}  // namespace

void Model::tick(Instant now) {
  if (trend_due_ == never) {
    // The first point is added as soon as there is data, not only on the grid.
    if (in_snapshot_ || (devices_.rows() == 0 && !summary_)) return;
    add_point(now);
    trend_due_ = next_on_grid(now, wall_);
    return;
  }
  if (now < trend_due_) return;
  // After a long silence, add only the points that are still shown.
  const Duration shown = static_cast<Duration::rep>(trend_resolutions.front().points) * wall_;
  if (now - trend_due_ > shown) trend_due_ = next_on_grid(now - shown, wall_);
  for (; trend_due_ <= now; trend_due_ = saturating_add(trend_due_, wall_)) add_point(trend_due_);
}

void Model::add_point(Instant at) {
  TrendPoint point;
  point.at = at;
  for (HostRow& host : hosts_) {
    host.receive_stats.tick(at, wall_);
    add_known(point.samples_per_s, host.receive_stats.rows_per_s());
    add_known(point.messages_per_s, host.receive_stats.batches_per_s());
  }
  const Totals totals = totals_of(*this, at);
  point.utilization = totals.utilization;
  point.power_w = totals.power_w;
  if (totals.power_limit_w > 0) point.power = totals.power_w / totals.power_limit_w;
  if (totals.reporting > 0 && totals.price_known) point.usd_per_h = totals.usd_per_h;
  for (const PoolTotals& pool : pool_totals_of(*this, at)) {
    point.pools.push_back({pool.power_w, pool.own_w, absent});
  }
  point.pools.pop_back();  // of no pool
  point.throttle_time_s = throttle_time_.sum();
  add_caps(point);
  add_sums(point);
  curves_.add(std::move(point));
}

void Model::add_caps(TrendPoint& point) const {
  if (!policy_ || is_silent(point.at)) return;
  if (site_cap_w() > 0) point.site_cap_w = site_cap_w();
  for (const PoolLimits& limits : policy_->pools) {
    const auto pool = std::find(pools_.begin(), pools_.end(), limits.name);
    if (pool == pools_.end() || limits.power_cap_w <= 0) continue;
    point.pools[static_cast<std::size_t>(pool - pools_.begin())].cap_w = limits.power_cap_w;
  }
}

void Model::add_sums(TrendPoint& point) {
  if (!summary_ || is_silent(point.at)) {
    trend_finished_.reset();  // jobs that ended during a silence did not end in the next second
    return;
  }
  point.spend_usd_per_h = summary_->spend_usd_per_h;
  if (summary_->budget_usd_per_h > 0) point.budget_usd_per_h = summary_->budget_usd_per_h;
  point.queued = static_cast<double>(summary_->queued);
  point.running = static_cast<double>(summary_->running);
  const std::uint64_t finished = summary_->finished;
  if (trend_finished_ && finished >= *trend_finished_) {
    point.finished_per_s = static_cast<double>(finished - *trend_finished_) / to_seconds(wall_);
  }
  trend_finished_ = finished;
}

std::optional<ThrottleTimes> Model::recent_throttle_times(Instant now) const {
  const Instant begin = now - rate_span();
  const TrendPoint* from = nullptr;
  for (const TrendPoint& point : trend()) {
    if (std::isnan(point.throttle_time_s.front())) continue;  // from before the model began
    if (from == nullptr || point.at <= begin) from = &point;
  }
  if (from == nullptr || now - from->at < rate_bin()) return std::nullopt;
  ThrottleTimes grown = throttle_time_.sum();
  for (std::size_t i = 0; i < grown.size(); ++i) grown[i] -= from->throttle_time_s[i];
  return grown;
}

namespace {

bool any_counts(const HostRow& host, const RowPredicate& counts) {
  return !counts || host.has_row(counts);
}

void add_hosts(Totals& totals, const Model& model, const RowPredicate& counts) {
  for (const HostRow& host : model.hosts()) {
    if (!any_counts(host, counts)) continue;
    if (host.reported.health == Health::ok) ++totals.hosts_ok;
    if (host.reported.health == Health::suspect) ++totals.hosts_suspect;
    if (host.reported.health == Health::lost) ++totals.hosts_lost;
    if (host.reported.health == Health::left) ++totals.hosts_left;
  }
}

}  // namespace

Totals totals_of(const Model& model, Instant now, const RowPredicate& counts) {
  Totals totals;
  add_hosts(totals, model, counts);
  const DeviceTable& devices = model.devices();
  double utilization = 0;
  std::uint32_t with_utilization = 0;
  const auto add = [](double& sum, double value) {
    if (!std::isnan(value)) sum += value;
  };
  for (DeviceTable::Row row = 0; row < devices.rows(); ++row) {
    if (counts && !counts(row)) continue;
    if (model.host_of(row).reported.health == Health::left) continue;
    const SpecRow& spec = model.spec_of(row);
    ++totals.devices;
    if (spec.real) ++totals.real;

    if (model.is_gone(row)) {
      ++totals.lost;
      continue;
    }
    const double price = model.price_usd_per_h(row);
    if (std::isnan(price)) totals.price_known = false;
    add(totals.usd_per_h, price);
    const double cap = devices.value(row, Metric::power_cap);
    add(totals.power_limit_w, std::isnan(cap) ? spec.tdp_w : cap);
    if (model.is_stale(now, row)) {
      ++totals.stale;
      continue;
    }
    ++totals.reporting;
    const double load = devices.value(row, Metric::utilization);
    if (!std::isnan(load)) {
      utilization += load;
      ++with_utilization;
    }
    if (devices.value(row, Metric::running) > 0 || load > idle_share) ++totals.busy;
    add_known(totals.power_w, devices.value(row, Metric::power));
    add(totals.memory_bytes, devices.value(row, Metric::memory_used));
    add(totals.memory_total_bytes, devices.value(row, Metric::memory_total));
    if (is_throttled(devices.value(row, Metric::throttle))) ++totals.throttled;
    const double temperature = devices.value(row, Metric::temperature);
    if (!std::isnan(temperature) && !(totals.hottest_c >= temperature)) {
      totals.hottest_c = temperature;
    }
  }
  if (with_utilization > 0) totals.utilization = utilization / with_utilization;
  return totals;
}

std::vector<PoolTotals> pool_totals_of(const Model& model, Instant now,
                                       const RowPredicate& counts) {
  std::vector<PoolTotals> pools(model.pools().size() + 1);
  const DeviceTable& devices = model.devices();
  for (DeviceTable::Row row = 0; row < devices.rows(); ++row) {
    if (model.is_gone(row) || (counts && !counts(row))) continue;
    const double price = model.price_usd_per_h(row);
    const bool reports = !model.is_stale(now, row);
    const auto add = [&](PoolTotals& pool) {
      ++pool.devices;
      if (!std::isnan(price)) pool.usd_per_h += price;
      if (!reports) return;
      ++pool.reporting;
      add_known(pool.power_w, devices.value(row, Metric::power));
    };
    const auto numbers = model.pool_numbers_of(row);
    if (reports) {
      add_known((numbers.empty() ? pools.back() : pools[numbers.front()]).own_w,
                devices.value(row, Metric::power));
    }
    if (numbers.empty()) add(pools.back());
    for (const std::uint16_t number : numbers) add(pools[number]);
  }
  return pools;
}

}  // namespace drover::tui
