// The temperature controllers of a chip, and when they act next.
#include <algorithm>
#include <cmath>

#include "devices/board/chip.h"
#include "devices/operation/power.h"

namespace drover::devices {
namespace {

/// The software limit is relaxed, and the hardware limit ends, this far below the maximum
/// temperature (assumed; without it the clock would oscillate).
constexpr double hysteresis_k = 3;
/// Time between two steps of the software limit (assumed: the die settles within seconds).
constexpr Duration temperature_step_every = std::chrono::seconds(1);
/// The fans return to the usual air flow this far below their threshold, and wait between two steps
/// (assumed: a step changes the die temperature by less, so that they do not oscillate).
constexpr double fan_hysteresis_k = 8;
constexpr Duration fan_step_every = std::chrono::seconds(2);

}  // namespace

Instant next_control_from(Instant instant) {
  const std::int64_t grid = control_period.count();
  const std::int64_t at = instant.time_since_epoch().count();
  const std::int64_t remainder = ((at % grid) + grid) % grid;
  if (remainder == 0) return instant;
  return saturating_add(instant, Duration(grid - remainder));
}

Instant next_control_after(Instant instant) {
  return next_control_from(saturating_add(instant, Duration(1)));
}

void Chip::control_temperature(Instant now) {
  const double die_c = temperature_c(now), memory_c = memory_temperature_c(now);
  const bool cool = die_c <= spec_->thermal.max_c - hysteresis_k &&
                    memory_c <= spec_->thermal.memory_max_c - hysteresis_k;
  const bool hot = die_c >= spec_->thermal.max_c || memory_c >= spec_->thermal.memory_max_c;
  if (die_c >= spec_->thermal.shutdown_c) shut_down_ = true;
  if (die_c >= spec_->thermal.slowdown_c) hw_slowdown_ = true;
  if (cool) hw_slowdown_ = false;
  if (now < temperature_step_from_) return;
  if (hot && temperature_steps_ < clock_steps(spec_->clock)) {
    ++temperature_steps_;
    temperature_step_from_ = now + temperature_step_every;
  } else if (cool && temperature_steps_ > 0) {
    --temperature_steps_;
    temperature_step_from_ = now + temperature_step_every;
  }
}

void Chip::control_fans(Instant now) {
  if (now < fan_step_from_) return;
  const double die_c = temperature_c(now);
  const double on_c = spec_->thermal.max_c - spec_->thermal.fan_below_max_k;
  const int before = fan_steps_;
  if (die_c >= on_c && fan_steps_ < spec_->thermal.fan_steps) {
    ++fan_steps_;
  } else if (die_c <= on_c - fan_hysteresis_k && fan_steps_ > 0) {
    --fan_steps_;
  }
  if (fan_steps_ == before) return;
  fan_step_from_ = now + fan_step_every;
  cooling_ = cooling();
  restart_thermal(now);
}

Chip::Outcome Chip::control(Instant now) {
  if (shut_down_) return {};
  end_interval(now);
  control_temperature(now);
  control_fans(now);
  if (shut_down_) {
    activity_ = idle_activity();
    power_steps_ = 0;
  }
  const Outcome outcome = set_clock(now);
  return {outcome.power_changed, outcome.pace_changed || shut_down_};
}

Instant Chip::crossing(std::optional<double> seconds) const {
  if (!seconds) return never;
  // Rounded up, so that the crossing has happened at the event.
  return saturating_add(thermal_since_,
                        from_seconds(std::ceil(*seconds * 1e9) * 1e-9) + Duration(1));
}

/// When a temperature requires a lower clock.
Instant Chip::next_limit(Instant now) const {
  const double from_s = to_seconds(now - thermal_since_);
  const TemperatureCurve &die = thermal_.die(), &memory = thermal_.memory();
  Instant at = crossing(die.reaches(spec_->thermal.shutdown_c, from_s));
  if (!hw_slowdown_) at = std::min(at, crossing(die.reaches(spec_->thermal.slowdown_c, from_s)));
  if (temperature_steps_ >= clock_steps(spec_->clock)) return at;
  const Instant over = std::min(crossing(die.reaches(spec_->thermal.max_c, from_s)),
                                crossing(memory.reaches(spec_->thermal.memory_max_c, from_s)));
  return std::min(at, over == never ? never : std::max(over, temperature_step_from_));
}

/// When the temperatures allow a higher clock.
Instant Chip::next_release(Instant now) const {
  if (temperature_steps_ == 0 && !hw_slowdown_) return never;
  const double from_s = to_seconds(now - thermal_since_);
  const Instant cool = std::max(
      crossing(thermal_.die().falls_to(spec_->thermal.max_c - hysteresis_k, from_s)),
      crossing(thermal_.memory().falls_to(spec_->thermal.memory_max_c - hysteresis_k, from_s)));
  if (cool == never) return never;
  return hw_slowdown_ ? cool : std::max(cool, temperature_step_from_);
}

Instant Chip::next_fan_step(Instant now) const {
  const double from_s = to_seconds(now - thermal_since_);
  const double on_c = spec_->thermal.max_c - spec_->thermal.fan_below_max_k;
  Instant at = never;
  if (fan_steps_ < spec_->thermal.fan_steps) at = crossing(thermal_.die().reaches(on_c, from_s));
  if (fan_steps_ > 0) {
    at = std::min(at, crossing(thermal_.die().falls_to(on_c - fan_hysteresis_k, from_s)));
  }
  return at == never ? never : std::max(at, fan_step_from_);
}

Instant Chip::next_control(Instant now) const {
  if (shut_down_) return never;
  const bool usual = temperature_steps_ == 0 && !hw_slowdown_ && fan_steps_ == 0;
  const double lowest_c =
      spec_->thermal.max_c - (spec_->thermal.fan_steps > 0 ? spec_->thermal.fan_below_max_k : 0);
  // The usual case: the temperature stays low.
  if (usual && thermal_.die().upper_bound_c() < lowest_c &&
      thermal_.memory().upper_bound_c() < spec_->thermal.memory_max_c) {
    return never;
  }
  const Instant at = std::min({next_limit(now), next_release(now), next_fan_step(now)});
  if (at == never) return never;
  return at <= now ? next_control_after(now) : next_control_from(at);
}

}  // namespace drover::devices
