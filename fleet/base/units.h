// Quantities as users write them: "80GiB", "350W", "5m", "1.5k", "+10C".
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "fleet/base/result.h"
#include "fleet/base/time.h"

namespace drover {

// `place` is the location of the text (option, file:line:key), for the error message.
/// Units: ns us ms s m h d. Several may follow each other in descending order: "18m50s", "1h 5m".
Result<Duration> parse_duration(std::string_view text, std::string_view place);
/// Units: B kB MB GB KiB ..
Result<std::uint64_t> parse_bytes(std::string_view text, std::string_view place);
/// Units: W kW MW in any case, or none. "mW" is refused because it may mean milliwatts.
Result<double> parse_watts(std::string_view text, std::string_view place);
/// Like parse_watts, but requires a unit, so that no action is applied with a guessed one.
Result<double> parse_power(std::string_view text, std::string_view place);
Result<double> parse_celsius(std::string_view text, std::string_view place);  // unit C or none
/// A decimal number. NaN, infinities and trailing text are errors.
Result<double> parse_number(std::string_view text, std::string_view place);
Result<std::int64_t> parse_integer(std::string_view text, std::string_view place);

/// Inlet air that agents and router accept.
inline constexpr double ambient_min_c = -40, ambient_max_c = 80;

/// Short forms, at most 6 columns: "980ms" "4.2s" "12m" "3.1h".
std::string duration_text(double seconds);
std::string bytes_text(double bytes);      // "512B" "80.0G" (binary multiples)
std::string count_text(double count);      // "950" "12.3k" "4.56M"
std::string watts_text(double watts);      // "350W" "12.3kW"
std::string joules_text(double joules);    // "350J" "12.3kJ" "4.56MJ"
std::string dollars_text(double dollars);  // "$0.0012" "$12.30"
/// The result of one of the functions above, with a sign: "+$0.10", "-$0.10".
std::string signed_text(std::string (*text)(double), double value);

}  // namespace drover
