#include "devices/board/chip.h"

#include <algorithm>
#include <cmath>

#include "devices/operation/power.h"

namespace drover::devices {
namespace {

/// NVML: the hardware slowdown cuts the clock by a factor of two or more.
constexpr double slowdown_factor = 0.5;
/// Heat that fins give to air grows with its speed to this power (turbulent flow along a plate).
constexpr double air_exponent = 0.8;
/// What was there before a host was seen: as long as any sensor's window.
constexpr Duration sensor_past = std::chrono::minutes(2);

bool same(const Activity& a, const Activity& b) {
  return a.step.matrix_activity == b.step.matrix_activity &&
         a.step.memory_activity == b.step.memory_activity &&
         a.step.link_activity == b.step.link_activity && a.step.duty == b.step.duty &&
         a.step.waiting == b.step.waiting && a.context_open == b.context_open &&
         a.memory_used_bytes == b.memory_used_bytes;
}

}  // namespace

Activity idle_activity() {
  Activity activity;
  activity.step.duty = 0;
  return activity;
}

Chip::Chip(const DeviceSpec& spec, const Variation& variation, double inlet_c, Instant start,
           double sensor_phase)
    : spec_(&spec),
      variation_(variation),
      memory_{spec.memory_offset_k, spec.memory_sink_share, spec.memory_die_share},
      activity_(idle_activity()),
      cap_w_(spec.tdp_w),
      inlet_c_(inlet_c),
      temperature_step_from_(start),
      fan_step_from_(start),
      power_since_(start),
      heat_since_(start),
      stretch_since_(start),
      sensor_(spec, sensor_phase) {
  cooling_ = cooling();
  update_power(start);
  // A host that is just seen has idled long: everything at its idle temperature.
  heat_ = HeatCourse(cooling_, settled(cooling_, inlet_c, power_w_), inlet_c, power_w_, memory_);
  sensor_.enter(start - sensor_past, start, truth());
}

/// More air takes more heat from the sink, and the sink follows sooner.
Cooling Chip::cooling() const {
  const double air = airflow_ * (1 + fan_steps_ * spec_->fan_step_share);
  const double factor = air == 1 ? 1 : std::pow(air, -air_exponent);
  const double slowest_s = 1.5 * spec_->die_time_s;  // the closed form needs two time constants
  return {spec_->die_resistance * variation_.cooling, spec_->die_time_s,
          spec_->sink_resistance * variation_.cooling * factor,
          std::max(spec_->sink_time_s * factor, slowest_s)};
}

Sensor::Truth Chip::truth() const {
  if (!running()) return {power_w_, false, 0, 0, 0};
  const Step& step = activity_.step;
  return {power_w_, true, step.duty, step.matrix_activity, step.memory_activity};
}

/// Before anything changes: what lasted until now is counted.
void Chip::end_stretch(Instant now) {
  if (now == stretch_since_) return;
  sensor_.enter(stretch_since_, now, truth());
  violations_ = violations(now);
  stretch_since_ = now;
}

bool Chip::running() const {
  return !shut_down_ && activity_.context_open && activity_.step.duty > 0;
}

/// What this device's leakage draws beyond its spec.
double Chip::static_excess_w() const {
  return (variation_.leakage - 1) * static_power_w(*spec_, activity_.context_open);
}

bool Chip::update_power(Instant now) {
  double watts = 0;
  if (!shut_down_) {
    Step step = at_clock(activity_.step, clock_share_ / told_share_);
    if (!activity_.context_open) step = idle_activity().step;  // nothing runs without a context
    watts =
        devices::power_w(*spec_, step, activity_.context_open, clock_share_) + static_excess_w();
  }
  if (watts == power_w_) return false;
  energy_j_ = energy_j(now);
  power_since_ = now;
  power_w_ = watts;
  restart_heat(now);
  return true;
}

void Chip::restart_heat(Instant now) {
  const Temperatures temperatures = heat_.at(to_seconds(now - heat_since_));
  heat_ = HeatCourse(cooling_, temperatures, inlet_c_, power_w_, memory_);
  heat_since_ = now;
}

Chip::Outcome Chip::set_activity(Instant now, const Activity& activity, bool may_rise) {
  if (shut_down_ || (told_share_ == clock_share_ && same(activity, activity_))) return {};
  end_stretch(now);
  activity_ = activity;
  told_share_ = clock_share_;
  return limit_power(now, may_rise);
}

Chip::Outcome Chip::set_power_cap(Instant now, double cap_w) {
  end_stretch(now);
  cap_w_ = std::clamp(cap_w, spec_->power_cap_min_w, spec_->tdp_w);
  return limit_power(now, true);
}

void Chip::set_inlet(Instant now, double inlet_c) {
  if (inlet_c == inlet_c_) return;
  inlet_c_ = inlet_c;
  restart_heat(now);
}

Chip::Outcome Chip::set_clock_limit(Instant now, double share) {
  end_stretch(now);
  clock_limit_ = share;
  return limit_power(now, true);
}

void Chip::set_airflow(Instant now, double share) {
  if (share == airflow_) return;
  airflow_ = share;
  cooling_ = cooling();
  restart_heat(now);
}

int Chip::power_target() const {
  if (!running()) return 0;
  const Step nominal = at_clock(activity_.step, 1 / told_share_);
  return steps_down_under_cap(*spec_, nominal, activity_.context_open, cap_w_ - static_excess_w());
}

Chip::Outcome Chip::limit_power(Instant now, bool may_rise) {
  const int target = power_target();
  power_steps_ = may_rise ? target : std::max(target, power_steps_);
  return set_clock(now);
}

/// The clock that all controllers allow together, and the power drawn at it.
Chip::Outcome Chip::set_clock(Instant now) {
  const double before = clock_share_;
  const double wanted = clock_share_of(*spec_, std::max(power_steps_, temperature_steps_)) *
                        (slowed_ ? slowdown_factor : 1);
  clock_share_ = std::min(wanted, clock_limit_);
  return {update_power(now), clock_share_ != before};
}

double Chip::pace() const { return shut_down_ ? 0 : clock_share_ * variation_.speed; }

double Chip::energy_j(Instant now) const {
  return energy_j_ + power_w_ * to_seconds(now - power_since_);
}

double Chip::temperature_c(Instant now) const {
  return heat_.die().at(to_seconds(now - heat_since_));
}

double Chip::memory_temperature_c(Instant now) const {
  return heat_.memory().at(to_seconds(now - heat_since_));
}

Violations Chip::violations(Instant now) const {
  const std::uint32_t bits = throttle_bits();
  const Duration more = now - stretch_since_;
  Violations sum = violations_;
  if (bits & throttle_power_cap) sum.power += more;
  if (bits & (throttle_thermal_software | throttle_thermal_hardware)) sum.thermal += more;
  if (bits & throttle_power_brake) sum.board_limit += more;
  return sum;
}

std::uint32_t Chip::throttle_bits() const {
  std::uint32_t bits = 0;
  if (!running()) bits |= throttle_idle;
  // Only while the cap is what holds the clock down.
  if (power_steps_ > 0 && power_steps_ >= temperature_steps_ && !slowed_ &&
      clock_share_of(*spec_, power_steps_) <= clock_limit_) {
    bits |= throttle_power_cap;
  }
  if (clock_limit_ < 1) bits |= throttle_hardware_slowdown | throttle_power_brake;
  if (temperature_steps_ > 0) bits |= throttle_thermal_software;
  if (slowed_) bits |= throttle_hardware_slowdown | throttle_thermal_hardware;
  return bits;
}

double Chip::clock_mhz() const {
  if (shut_down_) return 0;
  // Without a context a device parks at its slowest clock; it wakes at once.
  const double parked = std::min(spec_->clock_min_share, clock_limit_);
  const double share = activity_.context_open ? clock_share_ : parked;
  return spec_->clock_mhz * share;
}

Sample Chip::reading(Instant now) const {
  Sample sample;
  const bool on = running();
  sample[Metric::utilization] = on ? activity_.step.duty : 0;
  sample[Metric::matrix_activity] = on ? activity_.step.matrix_activity : 0;
  sample[Metric::memory_activity] = on ? activity_.step.memory_activity : 0;
  sample[Metric::memory_used] = activity_.memory_used_bytes;
  sample[Metric::memory_total] = spec_->memory_bytes;
  sample[Metric::power] = power_w_;
  sample[Metric::power_cap] = cap_w_;
  sample[Metric::temperature] = temperature_c(now);
  sample[Metric::clock] = clock_mhz();
  sample[Metric::throttle] = throttle_bits();
  sample[Metric::energy] = energy_j(now);
  if (spec_->tells_memory_temperature()) {
    sample[Metric::memory_temperature] = memory_temperature_c(now);
  }
  if (spec_->device_class == DeviceClass::gpu) {
    const Violations held = violations(now);
    sample[Metric::power_violation] = to_seconds(held.power);
    sample[Metric::thermal_violation] = to_seconds(held.thermal);
    sample[Metric::board_violation] = to_seconds(held.board_limit);
  }
  return sample;
}

Sample Chip::published(Instant now) const {
  return sensor_.published(now, stretch_since_, truth(), reading(now));
}

}  // namespace drover::devices
