// Thermal model of one device with two nodes: the die, and its heat sink in the air flow.
//
//   sink_s * dS/dt = inlet + sink_k_per_w * P - S
//   die_s  * dD/dt = S     + die_k_per_w  * P - D
// With constant P and inlet both are sums of two exponentials, exact for any interval. (The heat
// capacity of the die is neglected in the flow into the sink, which is P at once.) The memory next
// to the die follows both without delay, plus an offset for its own power:
//   M = inlet + offset_k + sink_share * (S - inlet) + die_share * (D - S)
// Form and constants were fitted to logs of load steps on an H100 PCIe and an H800 SXM
// (docs/devices.md).
#pragma once

#include <optional>
#include <span>
#include <vector>

#include "devices/catalogue/spec.h"

namespace drover::devices {

struct Temperatures {
  double die_c = 0;
  double sink_c = 0;
};

/// T(t) = end + slow * exp(-t / slow_s) + fast * exp(-t / fast_s). REQUIRES fast_s < slow_s.
class TemperatureCurve {
 public:
  TemperatureCurve() = default;
  TemperatureCurve(double end_c, double slow_k, double slow_s, double fast_k, double fast_s)
      : end_c_(end_c), slow_k_(slow_k), slow_s_(slow_s), fast_k_(fast_k), fast_s_(fast_s) {}

  double at(double seconds) const;
  /// The same for a caller that has already computed exp(-t / slow_s) and exp(-t / fast_s).
  double with(double slow, double fast) const { return end_c_ + slow_k_ * slow + fast_k_ * fast; }
  double slow_decay(double seconds) const;
  double fast_decay(double seconds) const;

  /// Bounds of the whole curve.
  double upper_bound_c() const;
  double lower_bound_c() const;

  /// The first time from `from_s` on at which it is at or above (below) a level.
  std::optional<double> reaches(double level_c, double from_s = 0) const;
  std::optional<double> falls_to(double level_c, double from_s = 0) const;

 private:
  std::optional<double> first_crossing(double level_c, double sign, double from_s) const;

  double end_c_ = 0;
  double slow_k_ = 0, slow_s_ = 2;
  double fast_k_ = 0, fast_s_ = 1;
};

/// The temperatures from one state on, at constant power and inlet temperature.
class ThermalTransient {
 public:
  ThermalTransient() = default;
  ThermalTransient(const Cooling& cooling, const Temperatures& start, double inlet_c,
                   double power_w, const MemoryThermalCoupling& memory = {});

  Temperatures at(double seconds) const;
  const TemperatureCurve& die() const { return die_; }
  const TemperatureCurve& memory() const { return memory_; }

 private:
  TemperatureCurve die_, sink_, memory_;
};

/// The temperatures in steady state at this power.
Temperatures steady_state(const Cooling& cooling, double inlet_c, double power_w);

struct PowerLogEntry {
  double t_s = 0;
  double power_w = 0;  // until the next entry
};

struct ModelledTemperatures {
  double die_c = 0;
  double memory_c = 0;
};

/// The temperatures for a log of power, one entry per log entry. `drover validate` compares them
/// with the temperatures in the same log. At the beginning the die has the given temperature and
/// the sink is in steady state with it, which the die reaches within a second. REQUIRES ascending
/// times.
std::vector<ModelledTemperatures> replay_temperatures(const DeviceSpec::Thermal& thermal,
                                                      double inlet_c, double die_start_c,
                                                      std::span<const PowerLogEntry> log);

/// The inlet temperature at which the steady state of this power has this die temperature.
double inlet_for_steady_state(const Cooling& cooling, double die_c, double power_w);

}  // namespace drover::devices
