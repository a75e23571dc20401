// Heat of one device as two nodes: the die on its heat sink in the air.
//
//   sink_s * dS/dt = inlet + sink_k_per_w * P - S
//   die_s  * dD/dt = S     + die_k_per_w  * P - D
// With P and inlet constant both follow sums of two exponentials, exact for any interval. (The die
// holds so little heat that what flows into the sink is taken as P at once.)
#pragma once

#include <optional>

namespace drover::devices {

struct Temperatures {
  double die_c = 0;
  double sink_c = 0;
};

/// What a device's cooling does: K/W and s. REQUIRES die_s < sink_s.
struct Cooling {
  double die_k_per_w = 0, die_s = 0;
  double sink_k_per_w = 0, sink_s = 0;
};

/// The course from one state on, at constant power and inlet temperature.
class HeatCourse {
 public:
  HeatCourse() = default;
  HeatCourse(const Cooling& cooling, const Temperatures& start, double inlet_c, double power_w);

  Temperatures at(double seconds) const;
  double die_at(double seconds) const;

  /// No die temperature of the whole course is above (below) these.
  double die_upper_bound_c() const;
  double die_lower_bound_c() const;

  /// First time, not before `from_s`, at which the die is at or above (below) a level.
  std::optional<double> reaches(double level_c, double from_s = 0) const;
  std::optional<double> falls_to(double level_c, double from_s = 0) const;

 private:
  std::optional<double> first_crossing(double level_c, double sign, double from_s) const;

  double die_s_ = 1, sink_s_ = 2;
  double sink_end_c_ = 0, sink_gap_c_ = 0;          // S(t) = end + gap * exp(-t / sink_s)
  double die_end_c_ = 0, slow_c_ = 0, fast_c_ = 0;  // D(t) = end + slow * exp(-t / sink_s)
                                                    //          + fast * exp(-t / die_s)
};

}  // namespace drover::devices
