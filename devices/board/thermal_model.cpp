#include "devices/board/thermal_model.h"

#include <algorithm>
#include <cmath>

namespace drover::devices {
namespace {

/// Bisection steps: a fixed number, so that the same state gives bit-identical results.
constexpr int halvings = 60;
/// Time constants of the sink after which the curve has converged in every digit.
constexpr double curve_end = 48;

}  // namespace

double TemperatureCurve::slow_decay(double seconds) const { return std::exp(-seconds / slow_s_); }

double TemperatureCurve::fast_decay(double seconds) const { return std::exp(-seconds / fast_s_); }

double TemperatureCurve::at(double seconds) const {
  return with(slow_decay(seconds), fast_decay(seconds));
}

double TemperatureCurve::upper_bound_c() const {
  return end_c_ + std::max(slow_k_, 0.0) + std::max(fast_k_, 0.0);
}

double TemperatureCurve::lower_bound_c() const {
  return end_c_ + std::min(slow_k_, 0.0) + std::min(fast_k_, 0.0);
}

std::optional<double> TemperatureCurve::reaches(double level_c, double from_s) const {
  if (upper_bound_c() < level_c) return std::nullopt;
  return first_crossing(level_c, 1, from_s);
}

std::optional<double> TemperatureCurve::falls_to(double level_c, double from_s) const {
  if (lower_bound_c() > level_c) return std::nullopt;
  return first_crossing(level_c, -1, from_s);
}

/// With sign -1 the curve is negated, so that one search serves both directions.
std::optional<double> TemperatureCurve::first_crossing(double level_c, double sign,
                                                       double from_s) const {
  const auto above = [&](double seconds) { return sign * (at(seconds) - level_c) >= 0; };
  if (above(from_s)) return from_s;
  // The curve turns at most once, where slow/slow_s * e^(-t/slow_s) = -fast/fast_s * e^(-t/fast_s).
  double high = from_s + curve_end * slow_s_;
  const double ratio = -(fast_k_ * slow_s_) / (slow_k_ * fast_s_);
  if (std::isfinite(ratio) && ratio > 1) {
    const double turn = std::log(ratio) / (1 / fast_s_ - 1 / slow_s_);
    if (turn > from_s && above(turn)) high = std::min(high, turn);
  }
  if (!above(high)) return std::nullopt;
  double low = from_s;
  for (int i = 0; i < halvings; ++i) {
    const double middle = (low + high) / 2;
    (above(middle) ? high : low) = middle;
  }
  return high;
}

ThermalTransient::ThermalTransient(const Cooling& cooling, const Temperatures& start,
                                   double inlet_c, double power_w,
                                   const MemoryThermalCoupling& memory) {
  const Temperatures end = steady_state(cooling, inlet_c, power_w);
  const double fast_s = cooling.die_s, slow_s = cooling.sink_s;
  const double sink_k = start.sink_c - end.sink_c;
  const double slow_k = sink_k * slow_s / (slow_s - fast_s);
  const double fast_k = start.die_c - end.die_c - slow_k;
  sink_ = TemperatureCurve(end.sink_c, sink_k, slow_s, 0, fast_s);
  die_ = TemperatureCurve(end.die_c, slow_k, slow_s, fast_k, fast_s);
  memory_ =
      TemperatureCurve(inlet_c + memory.offset_k + memory.sink_share * (end.sink_c - inlet_c) +
                           memory.die_share * (end.die_c - end.sink_c),
                       memory.sink_share * sink_k + memory.die_share * (slow_k - sink_k), slow_s,
                       memory.die_share * fast_k, fast_s);
}

Temperatures ThermalTransient::at(double seconds) const {
  const double slow = die_.slow_decay(seconds), fast = die_.fast_decay(seconds);
  return {die_.with(slow, fast), sink_.with(slow, fast)};
}

Temperatures steady_state(const Cooling& cooling, double inlet_c, double power_w) {
  const double sink_c = inlet_c + cooling.sink_k_per_w * power_w;
  return {sink_c + cooling.die_k_per_w * power_w, sink_c};
}

std::vector<ModelledTemperatures> replay_temperatures(const DeviceSpec::Thermal& thermal,
                                                      double inlet_c, double die_start_c,
                                                      std::span<const PowerLogEntry> log) {
  std::vector<ModelledTemperatures> modelled;
  if (log.empty()) return modelled;
  const Cooling& cooling = thermal.cooling;
  Temperatures state{die_start_c, die_start_c - cooling.die_k_per_w * log.front().power_w};
  for (std::size_t i = 0; i < log.size(); ++i) {
    const ThermalTransient course(cooling, state, inlet_c, log[i].power_w, thermal.memory);
    modelled.push_back({state.die_c, course.memory().at(0)});
    if (i + 1 < log.size()) state = course.at(log[i + 1].t_s - log[i].t_s);
  }
  return modelled;
}

double inlet_for_steady_state(const Cooling& cooling, double die_c, double power_w) {
  return die_c - steady_state(cooling, 0, power_w).die_c;
}

}  // namespace drover::devices
