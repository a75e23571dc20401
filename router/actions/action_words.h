// Words that the answers to actions have in common: places, counts, what follows from a fault.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "fleet/action_span.h"
#include "fleet/actions.h"
#include "fleet/base/time.h"
#include "fleet/target.h"

namespace drover::router {

/// "h1/3", "h1", "rack rack-a", "pool v5e", "the site".
std::string place_words(const Target& target);

/// "14:02:10 fleet time": a router cannot know that it is the hour of the day as well.
std::string clock_words(Instant at);

/// What the fault does to the work where it strikes. `hosts`: the hosts themselves are struck.
std::string fault_follows(const Fault& fault, bool hosts);

/// "h1/0-3, h2/5": devices and hosts as replies name them, a host's devices together; of more than
/// a few the number.
std::string folded(const std::vector<std::string>& targets);

}  // namespace drover::router
