#include "agents/execution/decode_run.h"

#include <algorithm>
#include <cmath>

namespace drover::agents {

// With r the share of the first step left, b and c of the step time, C the first context and B the
// batch:
//   T(k) = r (b + c C) + (k-1) (b + c C) + c B (k-1) k / 2        for k >= 1, T(0) = 0.
double DecodeRun::seconds(std::uint64_t steps) const {
  if (steps == 0) return 0;
  const double first_s = step_time.seconds(context);
  const double count = static_cast<double>(steps);
  return first_share * first_s + (count - 1) * first_s +
         step_time.per_context_token_s * batch * (count - 1) * count / 2;
}

std::uint64_t DecodeRun::steps_within(double elapsed_s, std::uint64_t steps_max) const {
  const double first_s = step_time.seconds(context);
  // T(k) <= e as a k^2 / 2 + (first - a / 2) k <= e + (1 - r) first, with a = c B. The root in the
  // form that does not cancel; T itself then settles the rounding.
  const double growth_s = step_time.per_context_token_s * batch;
  const double linear_s = first_s - growth_s / 2;
  const double right_s = elapsed_s + (1 - first_share) * first_s;
  if (right_s <= 0 || first_s <= 0) return 0;
  const double root = std::sqrt(linear_s * linear_s + 2 * growth_s * right_s);
  const double guess = std::floor(2 * right_s / (linear_s + root));
  auto steps = static_cast<std::uint64_t>(std::clamp(guess, 0.0, static_cast<double>(steps_max)));
  while (steps > 0 && seconds(steps) > elapsed_s) --steps;
  while (steps < steps_max && seconds(steps + 1) <= elapsed_s) ++steps;
  return steps;
}

DecodeRun DecodeRun::after(double elapsed_s, std::uint64_t steps_max,
                           devices::DecodeStepTime next) const {
  const std::uint64_t done = steps_within(elapsed_s, steps_max);
  DecodeRun rest = *this;
  rest.step_time = next;
  rest.context = context + static_cast<double>(done) * batch;
  const double step_s = step_time.seconds(rest.context);
  const double left_s = std::max(0.0, seconds(done + 1) - elapsed_s);
  rest.first_share = step_s > 0 ? std::min(1.0, left_s / step_s) : 1.0;
  return rest;
}

}  // namespace drover::agents
