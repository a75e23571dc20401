// Small values of the policy language: ranges, shares, guards. Errors give what was found and what
// was expected; the caller adds the location.
#pragma once

#include <string_view>

#include "fleet/base/result.h"
#include "router/policy/policy.h"

namespace drover::router {

/// "<=8192", "<8", ">1", ">=4", "100..200" (both ends included), "8".
Result<Range> parse_range(std::string_view text);

/// "10%" or "0.1".
Result<double> parse_share(std::string_view text);

/// The factor of "< primary * 1.5", "<= primary * 2", "< primary".
Result<double> parse_primary_ratio(std::string_view text);

/// The share of "<= 40%": how much more than the primary's.
Result<double> parse_extra_share(std::string_view text);

}  // namespace drover::router
