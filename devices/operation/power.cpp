// The power of a device from its achieved activities.
//
//   P(x) = static + [active * running + matrix * (u / x)^e] * x * v(x)^2
//        + memory * u_memory + link * u_link
//
// running is the share of time in which the device works. A device that waits for the others of its
// gang polls in one small kernel and uses little more power than when idle (ML.ENERGY v3,
// Qwen3-32B, eight sequences: one H100 uses 538 W with its memory 0.78 busy, each of two 425 W with
// 0.65). x is the clock as a share of the nominal one, v(x) the voltage share
// (devices/operation/clock.cpp). u is the achieved rate of the matrix units over their peak, so u /
// x is their rate per cycle. The exponent e is below 1: a poorly fed matrix unit still fetches,
// pads and issues, so the first tenth of its peak costs more than the last. Memory and links have
// their own clocks.
//
//   active = W per SM (CU, core) x their number     matrix = W per SM at peak x their number
//   memory = pJ per byte x bandwidth                link = pJ per byte x bandwidth
// so the power of a chip without published figures follows from its generation and its size.
//
// A power limit bounds the mean: boards react within milliseconds to the parts of a step that
// exceed the limit. The mean power is
//
//   P_limited = (P_free^-s + limit^-s)^(-1/s)
//
// where s is the sharpness, which is large for a fast controller and even work. s of 2.3 to 3.9
// gives the 0.87 to 1.0 of the limit that training jobs use on V100, A40, P100 and RTX 6000 (Zeus).
#include "devices/operation/power.h"

#include <algorithm>
#include <cmath>

namespace drover::devices {

double static_power_w(const DeviceSpec::Power& power, bool context_open) {
  return context_open ? power.context_idle_w : power.idle_w;
}

double power_w(const DeviceSpec& device, const Step& activity, bool context_open,
               double clock_share) {
  const DeviceSpec::Power& power = device.power;
  const double switching = switching_share(device, clock_share);
  const double per_cycle = std::max(0.0, activity.tensor_activity / clock_share);
  const double units = device.matrix.units;
  const double running = std::max(0.0, activity.duty_cycle - activity.waiting);
  const double awake_w = power.active_unit_w * units * running * switching;
  const double matrix_w =
      power.matrix_unit_w * units * std::pow(per_cycle, power.matrix_exponent) * switching;
  const double memory_w = power.memory_byte_j * device.memory.bandwidth * activity.memory_activity;
  const double link_w = power.link_byte_j * 2 * device.links.one_way() * activity.link_activity;
  return static_power_w(power, context_open) + awake_w + matrix_w + memory_w + link_w;
}

double limited_power_w(const DeviceSpec::Power& power, double free_w, double limit_w) {
  if (free_w <= 0) return free_w;
  const double sharpness = power.limit_sharpness;
  // The smaller one times a factor of at most 1, so that no large ratio overflows.
  const auto [low, high] = std::minmax(free_w, limit_w);
  return low * std::pow(1 + std::pow(low / high, sharpness), -1 / sharpness);
}

double clock_share_at(const DeviceSpec& device, const Step& activity, double at_share,
                      double target_w) {
  const auto fits = [&](double share) {
    return power_w(device, at_clock(activity, share / at_share), true, share) <= target_w;
  };
  double low = device.clock.min_share, high = boost_share(device.clock);
  if (fits(high)) return high;
  // Power rises with the clock. Sixteen bisections leave less than 0.1 MHz.
  for (int halving = 0; halving < 16; ++halving) {
    const double middle = (low + high) / 2;
    (fits(middle) ? low : high) = middle;
  }
  return low;
}

int steps_down_under_cap(const DeviceSpec& device, const Step& activity, bool context_open,
                         double cap_w) {
  const auto fits = [&](int steps_down) {
    const double share = clock_share_of(device.clock, steps_down);
    return power_w(device, at_clock(activity, share), context_open, share) <= cap_w;
  };
  if (fits(0)) return 0;  // the usual case
  // Power falls with every step down, so the first step that fits is found by bisection.
  const int last = clock_steps(device.clock);
  int low = std::min(1, last), high = last;
  while (low < high) {
    const int middle = (low + high) / 2;
    if (fits(middle)) {
      high = middle;
    } else {
      low = middle + 1;
    }
  }
  return low;
}

}  // namespace drover::devices
