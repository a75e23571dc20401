// Parses times in traces.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

#include "fleet/base/result.h"
#include "fleet/base/time.h"

namespace drover {

enum class TimeUnit : std::uint8_t { s, ms, us, ns, iso };
std::string_view to_text(TimeUnit unit);
std::optional<TimeUnit> parse_time_unit(std::string_view text);

/// Parses a number such as "336541.000000", from 0 up to the year 2200 as a time since 1970; with
/// `iso` a text for parse_timestamp().
Result<Instant> parse_trace_time(std::string_view text, TimeUnit unit);
/// The largest number that parse_trace_time() accepts for a unit.
std::uint64_t trace_time_max(TimeUnit unit);

}  // namespace drover
