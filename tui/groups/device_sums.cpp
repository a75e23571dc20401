#include "tui/groups/device_sums.h"

#include <algorithm>
#include <cmath>

namespace drover::tui {
namespace {

void add_if_known(double& sum, double value) {
  if (!std::isnan(value)) sum = std::isnan(sum) ? value : sum + value;
}

void add_spec(std::vector<std::uint16_t>& specs, std::uint16_t spec) {
  if (std::ranges::find(specs, spec) == specs.end()) specs.push_back(spec);
}

void raise_to(double& most, double value) {
  if (!std::isnan(value) && !(most >= value)) most = value;
}

/// What a current sample says.
void add_sample(DeviceSums& sums, const Model& model, DeviceTable::Row row) {
  const DeviceTable& devices = model.devices();
  ++sums.reporting;
  const double load = devices.value(row, Metric::utilization);
  if (!std::isnan(load)) {
    sums.load_sum += load;
    ++sums.loads;
  }
  if (devices.value(row, Metric::running) > 0 || load > idle_share) ++sums.in_use;
  if (is_throttled(devices.value(row, Metric::throttle))) ++sums.throttled;
  const double power_w = devices.value(row, Metric::power);
  add_if_known(sums.power_w, power_w);
  const double cap_w = devices.value(row, Metric::power_cap);
  const double limit_w = std::isnan(cap_w) ? model.spec_of(row).tdp_w : cap_w;
  if (!std::isnan(power_w) && !std::isnan(limit_w)) sums.power_limit_w += limit_w;
  const double used = devices.value(row, Metric::memory_used);
  const double total = devices.value(row, Metric::memory_total);
  if (!std::isnan(used) && !std::isnan(total)) {
    add_if_known(sums.memory_bytes, used);
    add_if_known(sums.memory_total_bytes, total);
  }
  raise_to(sums.hottest_c, devices.value(row, Metric::temperature));
}

}  // namespace

void add_device(DeviceSums& sums, const Model& model, Instant now, DeviceTable::Row row) {
  if (model.host_of(row).reported.health == Health::left) return;
  ++sums.devices;
  if (model.spec_of(row).real) ++sums.real;
  add_spec(sums.specs, model.devices().spec(row));
  if (model.is_gone(row)) {
    ++sums.lost;
    return;
  }
  const double price = model.price_usd_per_h(row);
  add_if_known(sums.usd_per_h, price);
  if (std::isnan(price)) ++sums.unpriced;
  if (!model.spec_of(row).real) add_work(sums, 0, 0);
  const bool stale = model.is_stale(now, row);
  const DeviceCondition condition = standing_of(model, now, row);
  if (!condition.usable || condition.faulty || stale) ++sums.unhealthy;
  if (!stale) add_sample(sums, model, row);
}

void add_work(DeviceSums& sums, std::uint32_t running, std::uint32_t queued) {
  add_if_known(sums.running, running);
  add_if_known(sums.queued, queued);
}

void add_sums(DeviceSums& sums, const DeviceSums& more) {
  sums.hosts += more.hosts;
  sums.devices += more.devices;
  sums.lost += more.lost;
  sums.unhealthy += more.unhealthy;
  sums.unpriced += more.unpriced;
  sums.real += more.real;
  sums.reporting += more.reporting;
  sums.in_use += more.in_use;
  sums.throttled += more.throttled;
  sums.power_limit_w += more.power_limit_w;
  sums.load_sum += more.load_sum;
  sums.loads += more.loads;
  add_if_known(sums.power_w, more.power_w);
  add_if_known(sums.memory_bytes, more.memory_bytes);
  add_if_known(sums.memory_total_bytes, more.memory_total_bytes);
  add_if_known(sums.usd_per_h, more.usd_per_h);
  for (const std::uint16_t spec : more.specs) add_spec(sums.specs, spec);
  raise_to(sums.hottest_c, more.hottest_c);
  if (!std::isnan(more.running)) add_work(sums, 0, 0);
}

}  // namespace drover::tui
