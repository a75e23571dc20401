#include "fleet/base/time.h"

#include <cmath>

#include <fmt/format.h>

namespace drover {
namespace {

struct CivilTime {
  std::chrono::year_month_day date;
  std::int64_t hours, minutes, seconds, milliseconds;
};

CivilTime civil_time(Instant instant) {
  // Floors, so that instants before 1970 have correct times of day. The sum is computed in whole
  // milliseconds because the first day of the range begins before the range.
  const auto since_epoch =
      std::chrono::floor<std::chrono::milliseconds>(instant.time_since_epoch());
  const auto days = std::chrono::floor<std::chrono::days>(since_epoch);
  const std::int64_t of_day = (since_epoch - days).count();
  return {std::chrono::year_month_day{std::chrono::sys_days{days}}, of_day / 3'600'000,
          of_day / 60'000 % 60, of_day / 1'000 % 60, of_day % 1'000};
}

}  // namespace

Duration from_seconds(double seconds) {
  if (std::isnan(seconds)) return Duration::zero();
  const double nanoseconds = std::round(seconds * 1e9);
  // The largest int64 is not representable as a double, but 2^63 is: hence the comparison with >=.
  constexpr double limit = 9223372036854775808.0;
  if (nanoseconds >= limit) return Duration::max();
  if (nanoseconds <= -limit) return Duration::min();
  return Duration{static_cast<std::int64_t>(nanoseconds)};
}

Instant saturating_add(Instant instant, Duration duration) {
  std::int64_t sum = 0;
  if (__builtin_add_overflow(instant.time_since_epoch().count(), duration.count(), &sum)) {
    return duration.count() > 0 ? never : Instant::min();
  }
  return Instant{Duration{sum}};
}

std::string to_iso8601(Instant instant) {
  const CivilTime civil = civil_time(instant);
  return fmt::format("{:04}-{:02}-{:02}T{:02}:{:02}:{:02}.{:03}Z",
                     static_cast<int>(civil.date.year()), static_cast<unsigned>(civil.date.month()),
                     static_cast<unsigned>(civil.date.day()), civil.hours, civil.minutes,
                     civil.seconds, civil.milliseconds);
}

std::string to_clock_text(Instant instant) {
  const CivilTime civil = civil_time(instant);
  return fmt::format("{:02}:{:02}:{:02}", civil.hours, civil.minutes, civil.seconds);
}

}  // namespace drover
