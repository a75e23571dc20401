// Which of the scored candidates it is.
#pragma once

#include <cstddef>
#include <vector>

#include "fleet/base/dice.h"
#include "router/policy/policy.h"

namespace drover::router {

/// The position of the chosen one. `max`: the highest score, equals drawn; `p2c`: the better of two
/// drawn; `weighted`: drawn in proportion to the scores. REQUIRES at least one score.
std::size_t pick(Pick how, const std::vector<double>& scores, Dice& dice);

}  // namespace drover::router
