#include "fleet/trace/time.h"

#include <array>
#include <cmath>
#include <cstddef>

#include "fleet/base/enum_tables.h"
#include "fleet/base/text.h"
#include "fleet/base/timestamp.h"
#include "fleet/base/whole_text.h"

namespace drover {
namespace {

constexpr std::array<std::string_view, 5> unit_names{"s", "ms", "us", "ns", "iso"};
constexpr std::array<std::int64_t, 4> unit_ns{1'000'000'000, 1'000'000, 1'000, 1};

// 2200-01-01: up to here nanoseconds fit in 64 bits, and so do all differences.
constexpr std::int64_t seconds_max = 7'258'118'400;

}  // namespace

std::string_view to_text(TimeUnit unit) { return unit_names[static_cast<std::size_t>(unit)]; }

std::optional<TimeUnit> parse_time_unit(std::string_view text) {
  return enumerator_named<TimeUnit>(unit_names, text);
}

std::uint64_t trace_time_max(TimeUnit unit) {
  return static_cast<std::uint64_t>(seconds_max) *
         static_cast<std::uint64_t>(unit_ns[0] / unit_ns[static_cast<std::size_t>(unit)]);
}

Result<Instant> parse_trace_time(std::string_view text, TimeUnit unit) {
  if (unit == TimeUnit::iso) return parse_timestamp(text);
  // Its mantissa of 64 bits represents every nanosecond of these years.
  const auto number = parse_whole_text<long double>(text);
  const std::uint64_t max = trace_time_max(unit);
  // A comparison with NaN is false.
  if (number && *number >= 0 && *number <= static_cast<long double>(max)) {
    return Instant{Duration{std::llround(*number * unit_ns[static_cast<std::size_t>(unit)])}};
  }
  return error("found \"{}\", expected a number of {} from 0 to {}", excerpt(text), to_text(unit),
               max);
}

}  // namespace drover
