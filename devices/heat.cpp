#include "devices/heat.h"

#include <algorithm>
#include <cmath>

namespace drover::devices {
namespace {

/// Halvings of an interval: always as many, so that the same state gives the same bits.
constexpr int halvings = 60;
/// Time constants of the sink after which the course has ended in every digit.
constexpr double course_end = 48;

}  // namespace

HeatCourse::HeatCourse(const Cooling& cooling, const Temperatures& start, double inlet_c,
                       double power_w)
    : die_s_(cooling.die_s),
      sink_s_(cooling.sink_s),
      sink_end_c_(inlet_c + cooling.sink_k_per_w * power_w),
      sink_gap_c_(start.sink_c - sink_end_c_),
      die_end_c_(sink_end_c_ + cooling.die_k_per_w * power_w),
      slow_c_(sink_gap_c_ * sink_s_ / (sink_s_ - die_s_)),
      fast_c_(start.die_c - die_end_c_ - slow_c_) {}

Temperatures HeatCourse::at(double seconds) const {
  const double slow = std::exp(-seconds / sink_s_);
  const double fast = std::exp(-seconds / die_s_);
  return {die_end_c_ + slow_c_ * slow + fast_c_ * fast, sink_end_c_ + sink_gap_c_ * slow};
}

double HeatCourse::die_at(double seconds) const { return at(seconds).die_c; }

double HeatCourse::die_upper_bound_c() const {
  return die_end_c_ + std::max(slow_c_, 0.0) + std::max(fast_c_, 0.0);
}

double HeatCourse::die_lower_bound_c() const {
  return die_end_c_ + std::min(slow_c_, 0.0) + std::min(fast_c_, 0.0);
}

std::optional<double> HeatCourse::reaches(double level_c, double from_s) const {
  if (die_upper_bound_c() < level_c) return std::nullopt;
  return first_crossing(level_c, 1, from_s);
}

std::optional<double> HeatCourse::falls_to(double level_c, double from_s) const {
  if (die_lower_bound_c() > level_c) return std::nullopt;
  return first_crossing(level_c, -1, from_s);
}

/// With sign -1 the course is turned upside down, so one search serves both directions.
std::optional<double> HeatCourse::first_crossing(double level_c, double sign, double from_s) const {
  const auto above = [&](double seconds) { return sign * (die_at(seconds) - level_c) >= 0; };
  if (above(from_s)) return from_s;
  // The course turns at most once, where slow/sink_s * e^(-t/sink_s) = -fast/die_s * e^(-t/die_s).
  double high = from_s + course_end * sink_s_;
  const double ratio = -(fast_c_ * sink_s_) / (slow_c_ * die_s_);
  if (std::isfinite(ratio) && ratio > 1) {
    const double turn = std::log(ratio) / (1 / die_s_ - 1 / sink_s_);
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

}  // namespace drover::devices
