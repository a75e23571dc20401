// Voltage as a function of frequency, read from an H100 PCIe board: 675 mV up to 1125 MHz, from
// there nearly linear to 850 mV at 1755 MHz (95 points; the fit leaves 5 mV RMS, at most 15 mV):
//
//   V / V_knee = 1 + slope * max(0, f / f_knee - 1)
//
// Sustained work starts at the boost clock. If that exceeds the mean power that the limit allows
// (devices/operation/power.cpp), the clock is the one with that power. The controller alternates
// between two hardware steps around it, so the mean clock is between them.
#include "devices/operation/clock.h"

#include <algorithm>
#include <cmath>

#include "devices/operation/power.h"

namespace drover::devices {
namespace {

constexpr std::size_t matrix = static_cast<std::size_t>(TimeComponent::matrix);
constexpr std::size_t attention = static_cast<std::size_t>(TimeComponent::attention);

/// Voltage relative to that at the knee.
double over_knee(const DeviceSpec::Clock& clock, double mhz) {
  return 1 + clock.voltage_slope * std::max(0.0, mhz / clock.knee_mhz - 1);
}

}  // namespace

double memory_rate(const DeviceSpec& device, double clock_share) {
  return device.memory.bandwidth * std::min(1.0, clock_share / device.clock.memory_share);
}

double switching_share(const DeviceSpec& device, double clock_share) {
  const DeviceSpec::Clock& clock = device.clock;
  const double mhz = clock_share * clock.nominal_mhz;
  const double reference =
      device.power.reference_mhz > 0 ? device.power.reference_mhz : clock.nominal_mhz;
  const double voltage = over_knee(clock, mhz) / over_knee(clock, reference);
  return mhz / reference * voltage * voltage;
}

double boost_share(const DeviceSpec::Clock& clock) {
  return std::max(1.0, clock.boost_mhz / clock.nominal_mhz);
}

int clock_steps(const DeviceSpec::Clock& clock) {
  return static_cast<int>(std::floor((1 - clock.min_share) / clock.step_share + 1e-9));
}

double clock_share_of(const DeviceSpec::Clock& clock, int steps_down) {
  return 1 - steps_down * clock.step_share;
}

double clock_bound(const Step& step) {
  double sum = 0;
  for (const double part : step.parts) sum += part;
  return sum > 0 ? (step.parts[matrix] + step.parts[attention]) / sum : 1;
}

Step at_clock(const Step& step, double ratio) {
  const double bound = clock_bound(step);
  const double pace = 1 / ((1 - bound) + bound / ratio);
  Step moved = step;
  moved.seconds /= pace;
  moved.parts[matrix] /= ratio;
  moved.parts[attention] /= ratio;
  moved.tensor_activity *= pace;
  moved.memory_activity *= pace;
  moved.link_activity *= pace;
  moved.waiting *= pace;
  return moved;
}

PowerLimitedStep power_limited_step(const DeviceSpec& device, std::optional<double> limit_w,
                                    const std::function<Step(double)>& step_at) {
  const double limit = std::min(limit_w.value_or(device.power.tdp_w), device.power.tdp_w);
  const double boost = boost_share(device.clock);
  PowerLimitedStep found{step_at(boost), boost, 0};
  const double free_w = power_w(device, found.step, true, boost);
  const double left_w = limited_power_w(device.power, free_w, limit);
  // Each round assumes that the step of the last round scales with the clock. The second round
  // starts so close that deviations do not matter.
  for (int round = 0; round < 2 && left_w < free_w; ++round) {
    const double share = clock_share_at(device, found.step, found.clock_share, left_w);
    if (share == found.clock_share) break;
    found.step = step_at(share);
    found.clock_share = share;
  }
  found.power_w = power_w(device, found.step, true, found.clock_share);
  return found;
}

}  // namespace drover::devices
