// Parses dates with a time of day.
#pragma once

#include <string_view>

#include "fleet/base/result.h"
#include "fleet/base/time.h"

namespace drover {

/// "2023-11-16 18:17:03.9799600": seconds with up to nine fractional digits, years 1970 to 2199.
/// Accepts the zones `Z` and `+HH:MM`; without a zone it is UTC.
Result<Instant> parse_timestamp(std::string_view text);

}  // namespace drover
