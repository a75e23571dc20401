// Watts from what a step does to each part of the board, and what a power limit leaves of them.
#pragma once

#include "devices/operation/clock.h"
#include "devices/operation/step.h"

namespace drover::devices {

/// Watts by what burns them; they add up to what the board draws.
struct PowerParts {
  double static_w = 0;  // idle, or with a context open: leakage, memory refresh, regulators
  double awake_w = 0;   // clocks, schedulers, caches and vector units while kernels run
  double matrix_w = 0;
  double memory_w = 0;
  double link_w = 0;

  double total_w() const { return static_w + awake_w + matrix_w + memory_w + link_w; }
};

/// Drawn with nothing running.
double static_power_w(const DeviceSpec& device, bool context_open);

/// The activities are as achieved at that clock.
PowerParts power_parts(const DeviceSpec& device, const Step& activity, bool context_open,
                       double clock_share);

/// Mean draw under a limit of work that would draw `free_w` without: never above either.
double limited_power_w(const DeviceSpec& device, double free_w, double limit_w);

/// The clock at which this work, given as at `at_share`, draws `target_w`; boost when it draws less
/// than that everywhere, the slowest when it draws more.
double clock_share_at(const DeviceSpec& device, const Step& activity, double at_share,
                      double target_w);

/// For one phase by itself: fewest steps down from the nominal clock, at which the activity is
/// given, that keep it at or under the cap; the last step when none does. What the controller of a
/// chassis uses.
int steps_down_under_cap(const DeviceSpec& device, const Step& activity, bool context_open,
                         double cap_w);

/// Watts at a clock share (of nominal), before leakage variation and heat. The activity is as
/// achieved at that clock.
double power_w(const DeviceSpec&, const Step& activity, bool context_open, double clock_share);

/// Largest clock share whose power stays under the cap, in the spec's clock steps; the activity is
/// given as at the nominal clock, and its matrix part slows down with the clock. The smallest share
/// when none stays under.
double clock_share_under_cap(const DeviceSpec&, const Step& activity, double cap_w);

}  // namespace drover::devices
