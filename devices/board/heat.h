// Heat of one device as two nodes: the die on its heat sink in the air.
//
//   sink_s * dS/dt = inlet + sink_k_per_w * P - S
//   die_s  * dD/dt = S     + die_k_per_w  * P - D
// With P and inlet constant both follow sums of two exponentials, exact for any interval. (The die
// holds so little heat that what flows into the sink is taken as P at once.) The memory beside the
// die follows both at once, on top of what its own power adds:
//   M = inlet + offset_k + sink_share * (S - inlet) + die_share * (D - S)
// Form and numbers: fits to logs of load steps on an H100 PCIe and an H800 SXM (docs/devices.md).
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

/// Where the memory's temperature lies; without a value it is the die's.
struct MemoryHeat {
  double offset_k = 0, sink_share = 1, die_share = 1;
};

/// T(t) = end + slow * exp(-t / slow_s) + fast * exp(-t / fast_s). REQUIRES fast_s < slow_s.
class HeatCurve {
 public:
  HeatCurve() = default;
  HeatCurve(double end_c, double slow_k, double slow_s, double fast_k, double fast_s)
      : end_c_(end_c), slow_k_(slow_k), slow_s_(slow_s), fast_k_(fast_k), fast_s_(fast_s) {}

  double at(double seconds) const;
  /// For a caller that has both decays, exp(-t / slow_s) and exp(-t / fast_s), at hand.
  double with(double slow, double fast) const { return end_c_ + slow_k_ * slow + fast_k_ * fast; }
  double slow_decay(double seconds) const;
  double fast_decay(double seconds) const;

  /// No temperature of the whole curve is above (below) these.
  double upper_bound_c() const;
  double lower_bound_c() const;

  /// First time, not before `from_s`, at which it is at or above (below) a level.
  std::optional<double> reaches(double level_c, double from_s = 0) const;
  std::optional<double> falls_to(double level_c, double from_s = 0) const;

 private:
  std::optional<double> first_crossing(double level_c, double sign, double from_s) const;

  double end_c_ = 0;
  double slow_k_ = 0, slow_s_ = 2;
  double fast_k_ = 0, fast_s_ = 1;
};

/// The course from one state on, at constant power and inlet temperature.
class HeatCourse {
 public:
  HeatCourse() = default;
  HeatCourse(const Cooling& cooling, const Temperatures& start, double inlet_c, double power_w,
             const MemoryHeat& memory = {});

  Temperatures at(double seconds) const;
  const HeatCurve& die() const { return die_; }
  const HeatCurve& memory() const { return memory_; }

 private:
  HeatCurve die_, sink_, memory_;
};

/// Where a device ends up that draws this power for good.
Temperatures settled(const Cooling& cooling, double inlet_c, double power_w);

}  // namespace drover::devices
