// Measured periods, windows and resolutions: an H100 PCIe and an H800 SXM refresh
// power.draw.instant and power.draw.average every 0.1 s, the average ramps over 1 s after a step,
// the resolutions are 0.01 W, 1 C and 15 MHz, and utilization lags the work by up to 1 s. A100 and
// H100 sample only a quarter of the time (arXiv:2312.02741).
#include "devices/board/sensor.h"

#include <algorithm>
#include <cmath>

namespace drover::devices {
namespace {

std::int64_t floor_div(std::int64_t a, std::int64_t b) {
  const std::int64_t quotient = a / b;
  return quotient - (a % b < 0 ? 1 : 0);
}

std::size_t slot(std::int64_t period) {
  return static_cast<std::size_t>(period & (static_cast<std::int64_t>(sensor_periods_max) - 1));
}
static_assert((sensor_periods_max & (sensor_periods_max - 1)) == 0, "slots are taken by mask");

double in_steps(double value, double step) {
  return step > 0 ? std::nearbyint(value / step) * step : value;
}

/// Rounds down, so that the published clock does not exceed the limit that applies.
double down_in_steps(double value, double step) {
  return step > 0 ? std::floor(value / step + 1e-9) * step : value;
}

Duration share_of(Duration whole, double share) {
  return Duration(std::llround(static_cast<double>(whole.count()) * share));
}

}  // namespace

template <std::size_t width>
std::int64_t SampledMeans<width>::period_of(Instant instant) const {
  return floor_div((instant.time_since_epoch() - timing_.phase).count(), timing_.every.count());
}

template <std::size_t width>
double SampledMeans<width>::overlap_s(std::int64_t period, Instant from, Instant until) const {
  const Instant end{timing_.phase + timing_.every * (period + 1)};
  const Duration common = std::min(until, end) - std::max(from, end - timing_.part);
  return common.count() > 0 ? to_seconds(common) : 0;
}

template <std::size_t width>
typename SampledMeans<width>::Rates SampledMeans<width>::amount(std::int64_t period, Instant from,
                                                                Instant until,
                                                                const Rates& rates) const {
  const auto periods = static_cast<std::int64_t>(sensor_periods_max);
  const bool kept = newest_ != INT64_MIN && period <= newest_ && period > newest_ - periods;
  Rates sum = kept ? amounts_[slot(period)] : Rates{};
  const double seconds = overlap_s(period, from, until);
  for (std::size_t i = 0; i < width; ++i) sum[i] += rates[i] * seconds;
  return sum;
}

template <std::size_t width>
void SampledMeans<width>::enter(Instant from, Instant until, const Rates& rates) {
  if (timing_.every.count() == 0 || until <= from) return;
  const std::int64_t last = period_of(until);
  const auto periods = static_cast<std::int64_t>(sensor_periods_max);
  for (std::int64_t period = std::max(period_of(from), last - periods + 1); period <= last;
       ++period) {
    const Rates sum = amount(period, from, until, rates);
    amounts_[slot(period)] = sum;
    newest_ = std::max(newest_, period);
  }
}

template <std::size_t width>
typename SampledMeans<width>::Rates SampledMeans<width>::mean(Instant now, Instant from,
                                                              const Rates& rates) const {
  if (timing_.every.count() == 0) return rates;
  const std::int64_t open = period_of(now);
  Rates total{};
  for (std::int64_t period = open - timing_.count; period < open; ++period) {
    const Rates one = amount(period, from, now, rates);
    for (std::size_t i = 0; i < width; ++i) total[i] += one[i];
  }
  const double seconds = to_seconds(timing_.part) * static_cast<double>(timing_.count);
  for (double& value : total) value /= seconds;
  return total;
}

template class SampledMeans<1>;
template class SampledMeans<3>;

Sensor::Sensor(const DeviceSpec& spec, double phase) : spec_(&spec) {
  const Duration refresh = from_seconds(spec.sensor.power_refresh_s);
  const double periods = spec.sensor.power_refresh_s > 0
                             ? spec.sensor.power_window_s / spec.sensor.power_refresh_s
                             : 1;
  power_ = Power({refresh, share_of(refresh, spec.sensor.power_sampled), share_of(refresh, phase),
                  std::max<std::int64_t>(1, std::llround(periods))});
  const Duration activity = from_seconds(spec.sensor.activity_s);
  activities_ = Activities({activity, activity, share_of(activity, phase), 1});
}

/// NVML's utilization is the time in which a kernel runs, sampled so coarsely that the gaps between
/// the kernels of a step are not visible. A TPU's duty cycle is the time in which its cores
/// compute.
Sensor::Activities::Rates Sensor::activities(const Truth& truth) const {
  const bool any = spec_->device_class == DeviceClass::gpu;
  const double utilization = any ? (truth.resident ? 1 : 0) : truth.duty_cycle;
  return {utilization, truth.tensor_activity, truth.memory_activity};
}

void Sensor::enter(Instant from, Instant until, const Truth& truth) {
  power_.enter(from, until, {truth.power_w});
  activities_.enter(from, until, activities(truth));
}

Sample Sensor::published(Instant now, Instant from, const Truth& truth, const Sample& exact) const {
  Sample sample = exact;
  sample[Metric::power] =
      in_steps(power_.mean(now, from, {truth.power_w})[0], spec_->sensor.power_step_w);
  if (spec_->sensor.activity_s > 0) {
    const auto means = activities_.mean(now, from, activities(truth));
    sample[Metric::utilization] = in_steps(means[0], spec_->sensor.utilization_step);
    sample[Metric::tensor_activity] = means[1];
    sample[Metric::memory_activity] = means[2];
  }
  sample[Metric::temperature] =
      in_steps(exact[Metric::temperature], spec_->sensor.temperature_step_c);
  sample[Metric::memory_temperature] =
      in_steps(exact[Metric::memory_temperature], spec_->sensor.temperature_step_c);
  sample[Metric::clock] = down_in_steps(exact[Metric::clock], spec_->sensor.clock_step_mhz);
  return sample;
}

}  // namespace drover::devices
