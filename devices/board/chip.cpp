#include "devices/board/chip.h"

#include <algorithm>
#include <cmath>

#include "devices/operation/power.h"

namespace drover::devices {
namespace {

/// NVML: the hardware slowdown cuts the clock by a factor of two or more.
constexpr double slowdown_factor = 0.5;
/// Exponent of the air speed in the heat transfer of fins (turbulent flow along a plate).
constexpr double air_exponent = 0.8;
/// Time before the start for which the sensors are filled: at least any sensor's window.
constexpr Duration sensor_past = std::chrono::minutes(2);

bool same(const Activity& a, const Activity& b) {
  return a.step.tensor_activity == b.step.tensor_activity &&
         a.step.memory_activity == b.step.memory_activity &&
         a.step.link_activity == b.step.link_activity && a.step.duty_cycle == b.step.duty_cycle &&
         a.step.waiting == b.step.waiting && a.context_open == b.context_open &&
         a.memory_used_bytes == b.memory_used_bytes;
}

}  // namespace

Activity idle_activity() {
  Activity activity;
  activity.step.duty_cycle = 0;
  return activity;
}

Chip::Chip(const DeviceSpec& spec, const Variation& variation, double inlet_c, Instant start,
           double sensor_phase)
    : spec_(&spec),
      variation_(variation),
      activity_(idle_activity()),
      cap_w_(spec.power.tdp_w),
      inlet_c_(inlet_c),
      temperature_step_from_(start),
      fan_step_from_(start),
      power_since_(start),
      thermal_since_(start),
      interval_since_(start),
      sensor_(spec, sensor_phase) {
  cooling_ = cooling();
  update_power(start);
  // At the start the host has been idle for long: all temperatures are in steady state.
  thermal_ = ThermalTransient(cooling_, steady_state(cooling_, inlet_c, power_w_), inlet_c,
                              power_w_, spec_->thermal.memory);
  sensor_.enter(start - sensor_past, start, truth());
}

/// More air lowers the resistance and the time constant of the sink.
Cooling Chip::cooling() const {
  const double air = airflow_ * (1 + fan_steps_ * spec_->thermal.fan_step_share);
  const double factor = air == 1 ? 1 : std::pow(air, -air_exponent);
  const Cooling& usual = spec_->thermal.cooling;
  const double slowest_s = 1.5 * usual.die_s;  // the closed form needs distinct constants
  return {usual.die_k_per_w * variation_.cooling, usual.die_s,
          usual.sink_k_per_w * variation_.cooling * factor,
          std::max(usual.sink_s * factor, slowest_s)};
}

Sensor::Truth Chip::truth() const {
  if (!running()) return {power_w_, false, 0, 0, 0};
  const Step& step = activity_.step;
  return {power_w_, true, step.duty_cycle, step.tensor_activity, step.memory_activity};
}

/// Counts the interval until now; call before any change.
void Chip::end_interval(Instant now) {
  if (now == interval_since_) return;
  sensor_.enter(interval_since_, now, truth());
  throttle_times_ = throttle_times(now);
  interval_since_ = now;
}

bool Chip::running() const {
  return !shut_down_ && activity_.context_open && activity_.step.duty_cycle > 0;
}

/// Power of this device's leakage beyond its spec.
double Chip::static_excess_w() const {
  return (variation_.leakage - 1) * static_power_w(spec_->power, activity_.context_open);
}

bool Chip::update_power(Instant now) {
  double watts = 0;
  if (!shut_down_) {
    Step step = at_clock(activity_.step, clock_share_ / activity_clock_share_);
    if (!activity_.context_open) step = idle_activity().step;  // no work without a context
    watts =
        devices::power_w(*spec_, step, activity_.context_open, clock_share_) + static_excess_w();
  }
  if (watts == power_w_) return false;
  energy_j_ = energy_j(now);
  power_since_ = now;
  power_w_ = watts;
  restart_thermal(now);
  return true;
}

void Chip::restart_thermal(Instant now) {
  const Temperatures temperatures = thermal_.at(to_seconds(now - thermal_since_));
  thermal_ = ThermalTransient(cooling_, temperatures, inlet_c_, power_w_, spec_->thermal.memory);
  thermal_since_ = now;
}

Chip::Outcome Chip::set_activity(Instant now, const Activity& activity, bool may_raise_clock) {
  if (shut_down_ || (activity_clock_share_ == clock_share_ && same(activity, activity_))) return {};
  end_interval(now);
  activity_ = activity;
  activity_clock_share_ = clock_share_;
  return limit_power(now, may_raise_clock);
}

Chip::Outcome Chip::set_power_cap(Instant now, double cap_w) {
  end_interval(now);
  cap_w_ = std::clamp(cap_w, spec_->power.cap_min_w, spec_->power.tdp_w);
  return limit_power(now, true);
}

void Chip::set_inlet(Instant now, double inlet_c) {
  if (inlet_c == inlet_c_) return;
  inlet_c_ = inlet_c;
  restart_thermal(now);
}

Chip::Outcome Chip::set_clock_limit(Instant now, double share) {
  end_interval(now);
  clock_limit_ = share;
  return limit_power(now, true);
}

void Chip::set_airflow(Instant now, double share) {
  if (share == airflow_) return;
  airflow_ = share;
  cooling_ = cooling();
  restart_thermal(now);
}

int Chip::power_target() const {
  if (!running()) return 0;
  const Step nominal = at_clock(activity_.step, 1 / activity_clock_share_);
  return steps_down_under_cap(*spec_, nominal, activity_.context_open, cap_w_ - static_excess_w());
}

Chip::Outcome Chip::limit_power(Instant now, bool may_raise_clock) {
  const int target = power_target();
  power_steps_ = may_raise_clock ? target : std::max(target, power_steps_);
  return set_clock(now);
}

/// Sets the clock that all controllers allow, and the power at it.
Chip::Outcome Chip::set_clock(Instant now) {
  const double before = clock_share_;
  const double wanted = clock_share_of(spec_->clock, std::max(power_steps_, temperature_steps_)) *
                        (hw_slowdown_ ? slowdown_factor : 1);
  clock_share_ = std::min(wanted, clock_limit_);
  return {update_power(now), clock_share_ != before};
}

double Chip::pace() const { return shut_down_ ? 0 : clock_share_ * variation_.speed; }

double Chip::energy_j(Instant now) const {
  return energy_j_ + power_w_ * to_seconds(now - power_since_);
}

double Chip::temperature_c(Instant now) const {
  return thermal_.die().at(to_seconds(now - thermal_since_));
}

double Chip::memory_temperature_c(Instant now) const {
  return thermal_.memory().at(to_seconds(now - thermal_since_));
}

ThrottleTimes Chip::throttle_times(Instant now) const {
  const std::uint32_t bits = throttle_bits();
  const Duration more = now - interval_since_;
  ThrottleTimes sum = throttle_times_;
  if (bits & throttle_sw_power_cap) sum.power += more;
  if (bits & (throttle_sw_thermal_slowdown | throttle_hw_thermal_slowdown)) sum.thermal += more;
  if (bits & throttle_hw_power_brake) sum.board_limit += more;
  return sum;
}

std::uint32_t Chip::throttle_bits() const {
  std::uint32_t bits = 0;
  if (!running()) bits |= throttle_gpu_idle;
  // Only while the power cap is the lowest limit of the clock.
  if (power_steps_ > 0 && power_steps_ >= temperature_steps_ && !hw_slowdown_ &&
      clock_share_of(spec_->clock, power_steps_) <= clock_limit_) {
    bits |= throttle_sw_power_cap;
  }
  if (clock_limit_ < 1) bits |= throttle_hw_slowdown | throttle_hw_power_brake;
  if (temperature_steps_ > 0) bits |= throttle_sw_thermal_slowdown;
  if (hw_slowdown_) bits |= throttle_hw_slowdown | throttle_hw_thermal_slowdown;
  return bits;
}

double Chip::clock_mhz() const {
  if (shut_down_) return 0;
  // Without a context a device runs at its slowest clock; it wakes at once.
  const double parked = std::min(spec_->clock.min_share, clock_limit_);
  const double share = activity_.context_open ? clock_share_ : parked;
  return spec_->clock.nominal_mhz * share;
}

Sample Chip::reading(Instant now) const {
  Sample sample;
  const bool on = running();
  sample[Metric::utilization] = on ? activity_.step.duty_cycle : 0;
  sample[Metric::tensor_activity] = on ? activity_.step.tensor_activity : 0;
  sample[Metric::memory_activity] = on ? activity_.step.memory_activity : 0;
  sample[Metric::memory_used] = activity_.memory_used_bytes;
  sample[Metric::memory_total] = spec_->memory.bytes;
  sample[Metric::power] = power_w_;
  sample[Metric::power_cap] = cap_w_;
  sample[Metric::temperature] = temperature_c(now);
  sample[Metric::clock] = clock_mhz();
  sample[Metric::throttle] = throttle_bits();
  sample[Metric::energy] = energy_j(now);
  // Other boards with HBM have a memory sensor too, but there are no logs to fit a model to.
  if (spec_->thermal.memory_max_c < memory_limit_unknown_c) {
    sample[Metric::memory_temperature] = memory_temperature_c(now);
  }
  if (spec_->device_class == DeviceClass::gpu) {
    const ThrottleTimes held = throttle_times(now);
    sample[Metric::power_violation] = to_seconds(held.power);
    sample[Metric::thermal_violation] = to_seconds(held.thermal);
    sample[Metric::board_limit_violation] = to_seconds(held.board_limit);
  }
  return sample;
}

Sample Chip::published(Instant now) const {
  return sensor_.published(now, interval_since_, truth(), reading(now));
}

}  // namespace drover::devices
