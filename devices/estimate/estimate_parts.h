// What the estimates of all kinds share: the step under the power limit, and the figures that
// follow from time and power.
#pragma once

#include "devices/estimate/estimate.h"
#include "devices/operation/clock.h"

namespace drover::devices {

inline constexpr double bytes_per_gib = 1024.0 * 1024.0 * 1024.0;

/// An estimate with time, parts, power, clock and cost per step of sustained work.
Estimate from_sustained(const Case& question, const Sustained& run);

/// Rates of a language model: tokens per step over all devices, and the flop/s that the sources
/// count, (6 x active parameters + 12 x layers x hidden x sequence) x tokens for training.
void set_training_rates(Estimate& answer, const Case& question, double samples, double tokens);

/// $ of all devices for so many seconds; negative when the price is not known.
double cost_usd(const Case& question, double seconds);

Placement placement_of(const Case& question, int devices);

Error missing(const Case& question, std::string_view columns);

}  // namespace drover::devices
