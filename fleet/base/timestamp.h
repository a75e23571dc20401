// Times of day as files and people write them.
#pragma once

#include <string_view>

#include "fleet/base/result.h"
#include "fleet/base/time.h"

namespace drover {

/// "2023-11-16 18:17:03.9799600": seconds with up to nine fractional digits; no zone means UTC, `Z`
/// and `+HH:MM` are understood. Years 1970 to 2199.
Result<Instant> parse_timestamp(std::string_view text);

}  // namespace drover
