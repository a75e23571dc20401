// Times in the cells of traces.
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

/// "336541.000000" and the like, from 0 up to the year 2200 as seconds since 1970; with `iso` what
/// parse_timestamp() reads.
Result<Instant> parse_trace_time(std::string_view text, TimeUnit unit);
/// The largest number of a unit that it reads.
std::uint64_t trace_time_max(TimeUnit unit);

}  // namespace drover
