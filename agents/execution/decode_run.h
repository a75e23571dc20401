// Many decode steps at once. While the running set is unchanged, each step of a batch of B
// requests adds B tokens of context, so step i takes `base + c * (C + i * B)`, and k steps are a
// sum that is quadratic in k: one closed form instead of k events.
#pragma once

#include <cstdint>

#include "devices/serving/performance.h"

namespace drover::agents {

struct DecodeRun {
  devices::DecodeStepTime step_time;
  double batch = 0;        // requests in each step: context growth per step
  double context = 0;      // tokens in all KV caches at the first step
  double first_share = 1;  // of the first remaining step; below 1 after a change of the step time

  /// Seconds until `steps` steps are done.
  double seconds(std::uint64_t steps) const;
  /// Largest number of whole steps done after `elapsed_s`, at most `steps_max`.
  std::uint64_t steps_within(double elapsed_s, std::uint64_t steps_max) const;
  /// The rest of the run after `elapsed_s` (less than `steps_max` steps) at another step time:
  /// completed steps are removed, the step in flight keeps the share of its work that remains.
  DecodeRun after(double elapsed_s, std::uint64_t steps_max, devices::DecodeStepTime next) const;
};

}  // namespace drover::agents
