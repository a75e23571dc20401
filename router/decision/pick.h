// The choice among scored candidates.
#pragma once

#include <cstddef>
#include <vector>

#include "fleet/base/random_stream.h"
#include "router/policy/policy.h"

namespace drover::router {

/// The index of the chosen one. `max`: the highest score, ties drawn at random; `p2c`: the better
/// of two drawn at random; `weighted`: drawn in proportion to the scores. REQUIRES at least one
/// score.
std::size_t pick(Pick how, const std::vector<double>& scores, RandomStream& random);

}  // namespace drover::router
