#include "devices/chip.h"

#include <algorithm>
#include <cmath>

#include "devices/power.h"

namespace drover::devices {
namespace {

/// The software limit lets go, and the hardware limit ends, so far below the maximal temperature
/// (assumed; without it the clock would flutter).
constexpr double hysteresis_k = 3;
/// Between two steps of the software limit (assumed: the die settles within seconds).
constexpr Duration temperature_step_every = std::chrono::seconds(1);
/// NVML: the hardware slowdown cuts the clock by a factor of two or more.
constexpr double slowdown_factor = 0.5;

bool same(const Activity& a, const Activity& b) {
  return a.step.matrix_activity == b.step.matrix_activity &&
         a.step.memory_activity == b.step.memory_activity &&
         a.step.link_activity == b.step.link_activity && a.step.duty == b.step.duty &&
         a.context_open == b.context_open && a.memory_used_bytes == b.memory_used_bytes;
}

Activity idle_activity() {
  Activity activity;
  activity.step.duty = 0;
  return activity;
}

}  // namespace

Instant next_control_from(Instant instant) {
  const std::int64_t grid = control_grid.count();
  const std::int64_t at = instant.time_since_epoch().count();
  const std::int64_t remainder = ((at % grid) + grid) % grid;
  if (remainder == 0) return instant;
  return saturating_add(instant, Duration(grid - remainder));
}

Instant next_control_after(Instant instant) {
  return next_control_from(saturating_add(instant, Duration(1)));
}

Chip::Chip(const DeviceSpec& spec, const Variation& variation, double inlet_c, Instant start)
    : spec_(&spec),
      variation_(variation),
      cooling_{spec.die_resistance * variation.cooling, spec.die_time_s,
               spec.sink_resistance * variation.cooling, spec.sink_time_s},
      activity_(idle_activity()),
      cap_w_(spec.tdp_w),
      inlet_c_(inlet_c),
      temperature_step_from_(start),
      power_since_(start),
      heat_since_(start) {
  update_power(start);
  // A host that is just seen has idled long: everything at its idle temperature.
  const double sink_c = inlet_c + cooling_.sink_k_per_w * power_w_;
  const double die_c = sink_c + cooling_.die_k_per_w * power_w_;
  heat_ = HeatCourse(cooling_, {die_c, sink_c}, inlet_c, power_w_);
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
    Step step = activity_.step;
    step.matrix_activity *= clock_share_ / told_share_;
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
  heat_ = HeatCourse(cooling_, temperatures, inlet_c_, power_w_);
  heat_since_ = now;
}

Chip::Outcome Chip::set_activity(Instant now, const Activity& activity, bool may_rise) {
  if (shut_down_ || (told_share_ == clock_share_ && same(activity, activity_))) return {};
  activity_ = activity;
  told_share_ = clock_share_;
  return limit_power(now, may_rise);
}

Chip::Outcome Chip::set_power_cap(Instant now, double cap_w) {
  cap_w_ = std::clamp(cap_w, spec_->power_cap_min_w, spec_->tdp_w);
  return limit_power(now, true);
}

void Chip::set_inlet(Instant now, double inlet_c) {
  if (inlet_c == inlet_c_) return;
  inlet_c_ = inlet_c;
  restart_heat(now);
}

Chip::Outcome Chip::set_clock_limit(Instant now, double share) {
  clock_limit_ = share;
  return limit_power(now, true);
}

int Chip::power_target() const {
  if (!running()) return 0;
  Step nominal = activity_.step;
  nominal.matrix_activity /= told_share_;
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

void Chip::control_temperature(Instant now, double die_c) {
  const double release_c = spec_->temperature_max_c - hysteresis_k;
  if (die_c >= spec_->temperature_shutdown_c) shut_down_ = true;
  if (die_c >= spec_->temperature_slowdown_c) slowed_ = true;
  if (die_c <= release_c) slowed_ = false;
  if (now < temperature_step_from_) return;
  if (die_c >= spec_->temperature_max_c && temperature_steps_ < clock_steps(*spec_)) {
    ++temperature_steps_;
    temperature_step_from_ = now + temperature_step_every;
  } else if (die_c <= release_c && temperature_steps_ > 0) {
    --temperature_steps_;
    temperature_step_from_ = now + temperature_step_every;
  }
}

Chip::Outcome Chip::control(Instant now) {
  if (shut_down_) return {};
  control_temperature(now, temperature_c(now));
  if (shut_down_) {
    activity_ = idle_activity();
    power_steps_ = 0;
  }
  const Outcome outcome = set_clock(now);
  return {outcome.power_changed, outcome.pace_changed || shut_down_};
}

Instant Chip::crossing(std::optional<double> seconds) const {
  if (!seconds) return never;
  // Rounded up, so that at the event the crossing has happened.
  return saturating_add(heat_since_, from_seconds(std::ceil(*seconds * 1e9) * 1e-9) + Duration(1));
}

Instant Chip::next_temperature_control(Instant now) const {
  const bool limited = temperature_steps_ > 0 || slowed_;
  // The usual case: the whole course stays cool.
  if (!limited && heat_.die_upper_bound_c() < spec_->temperature_max_c) return never;
  const double from_s = to_seconds(now - heat_since_);
  const double die_c = heat_.die_at(from_s);
  const double release_c = spec_->temperature_max_c - hysteresis_k;
  const bool can_step = temperature_steps_ < clock_steps(*spec_);
  Instant at = never;
  if (die_c < spec_->temperature_shutdown_c) {
    at = std::min(at, crossing(heat_.reaches(spec_->temperature_shutdown_c, from_s)));
  } else {
    at = now;
  }
  if (!slowed_) {
    at = std::min(at, die_c < spec_->temperature_slowdown_c
                          ? crossing(heat_.reaches(spec_->temperature_slowdown_c, from_s))
                          : now);
  }
  if (can_step) {
    const Instant over = die_c < spec_->temperature_max_c
                             ? crossing(heat_.reaches(spec_->temperature_max_c, from_s))
                             : now;
    at = std::min(at, over == never ? never : std::max(over, temperature_step_from_));
  }
  if (limited) {
    const Instant cool = die_c > release_c ? crossing(heat_.falls_to(release_c, from_s)) : now;
    const Instant allowed = slowed_ ? cool : std::max(cool, temperature_step_from_);
    at = std::min(at, cool == never ? never : allowed);
  }
  return at;
}

Instant Chip::next_control(Instant now) const {
  if (shut_down_) return never;
  const Instant at = next_temperature_control(now);
  if (at == never) return never;
  return at <= now ? next_control_after(now) : next_control_from(at);
}

double Chip::pace() const { return shut_down_ ? 0 : clock_share_ * variation_.speed; }

double Chip::energy_j(Instant now) const {
  return energy_j_ + power_w_ * to_seconds(now - power_since_);
}

double Chip::temperature_c(Instant now) const {
  return heat_.die_at(to_seconds(now - heat_since_));
}

double Chip::throttle_bits() const {
  std::uint32_t bits = 0;
  if (!running()) bits |= throttle_idle;
  // Only while the cap is what holds the clock down.
  if (power_steps_ > 0 && power_steps_ >= temperature_steps_ && !slowed_ &&
      clock_share_of(*spec_, power_steps_) <= clock_limit_) {
    bits |= throttle_power_cap;
  }
  if (clock_limit_ < 1) bits |= throttle_hardware_slowdown;
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
  return sample;
}

}  // namespace drover::devices
