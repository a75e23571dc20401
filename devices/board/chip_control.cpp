// The controllers of a chip that follow its temperature, and when they act next.
#include <algorithm>
#include <cmath>

#include "devices/board/chip.h"
#include "devices/operation/power.h"

namespace drover::devices {
namespace {

/// The software limit lets go, and the hardware limit ends, so far below the maximal temperature
/// (assumed; without it the clock would flutter).
constexpr double hysteresis_k = 3;
/// Between two steps of the software limit (assumed: the die settles within seconds).
constexpr Duration temperature_step_every = std::chrono::seconds(1);
/// The fans go back to their usual air so far below where they act, and take their time between two
/// steps (assumed: a step changes the die by less than this, so they do not flutter).
constexpr double fan_hysteresis_k = 8;
constexpr Duration fan_step_every = std::chrono::seconds(2);

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

void Chip::control_temperature(Instant now) {
  const double die_c = temperature_c(now), memory_c = memory_temperature_c(now);
  const bool cool = die_c <= spec_->temperature_max_c - hysteresis_k &&
                    memory_c <= spec_->memory_max_c - hysteresis_k;
  const bool hot = die_c >= spec_->temperature_max_c || memory_c >= spec_->memory_max_c;
  if (die_c >= spec_->temperature_shutdown_c) shut_down_ = true;
  if (die_c >= spec_->temperature_slowdown_c) slowed_ = true;
  if (cool) slowed_ = false;
  if (now < temperature_step_from_) return;
  if (hot && temperature_steps_ < clock_steps(*spec_)) {
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
  const double on_c = spec_->temperature_max_c - spec_->fan_below_max_k;
  const int before = fan_steps_;
  if (die_c >= on_c && fan_steps_ < spec_->fan_steps) {
    ++fan_steps_;
  } else if (die_c <= on_c - fan_hysteresis_k && fan_steps_ > 0) {
    --fan_steps_;
  }
  if (fan_steps_ == before) return;
  fan_step_from_ = now + fan_step_every;
  cooling_ = cooling();
  restart_heat(now);
}

Chip::Outcome Chip::control(Instant now) {
  if (shut_down_) return {};
  end_stretch(now);
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
  // Rounded up, so that at the event the crossing has happened.
  return saturating_add(heat_since_, from_seconds(std::ceil(*seconds * 1e9) * 1e-9) + Duration(1));
}

/// When a temperature asks for less clock than there is now.
Instant Chip::next_limit(Instant now) const {
  const double from_s = to_seconds(now - heat_since_);
  const HeatCurve &die = heat_.die(), &memory = heat_.memory();
  Instant at = crossing(die.reaches(spec_->temperature_shutdown_c, from_s));
  if (!slowed_) at = std::min(at, crossing(die.reaches(spec_->temperature_slowdown_c, from_s)));
  if (temperature_steps_ >= clock_steps(*spec_)) return at;
  const Instant over = std::min(crossing(die.reaches(spec_->temperature_max_c, from_s)),
                                crossing(memory.reaches(spec_->memory_max_c, from_s)));
  return std::min(at, over == never ? never : std::max(over, temperature_step_from_));
}

/// When the temperatures allow more clock than there is now.
Instant Chip::next_release(Instant now) const {
  if (temperature_steps_ == 0 && !slowed_) return never;
  const double from_s = to_seconds(now - heat_since_);
  const Instant cool =
      std::max(crossing(heat_.die().falls_to(spec_->temperature_max_c - hysteresis_k, from_s)),
               crossing(heat_.memory().falls_to(spec_->memory_max_c - hysteresis_k, from_s)));
  if (cool == never) return never;
  return slowed_ ? cool : std::max(cool, temperature_step_from_);
}

Instant Chip::next_fan_step(Instant now) const {
  const double from_s = to_seconds(now - heat_since_);
  const double on_c = spec_->temperature_max_c - spec_->fan_below_max_k;
  Instant at = never;
  if (fan_steps_ < spec_->fan_steps) at = crossing(heat_.die().reaches(on_c, from_s));
  if (fan_steps_ > 0) {
    at = std::min(at, crossing(heat_.die().falls_to(on_c - fan_hysteresis_k, from_s)));
  }
  return at == never ? never : std::max(at, fan_step_from_);
}

Instant Chip::next_control(Instant now) const {
  if (shut_down_) return never;
  const bool usual = temperature_steps_ == 0 && !slowed_ && fan_steps_ == 0;
  const double lowest_c =
      spec_->temperature_max_c - (spec_->fan_steps > 0 ? spec_->fan_below_max_k : 0);
  // The usual case: the whole course stays cool.
  if (usual && heat_.die().upper_bound_c() < lowest_c &&
      heat_.memory().upper_bound_c() < spec_->memory_max_c) {
    return never;
  }
  const Instant at = std::min({next_limit(now), next_release(now), next_fan_step(now)});
  if (at == never) return never;
  return at <= now ? next_control_after(now) : next_control_from(at);
}

}  // namespace drover::devices
