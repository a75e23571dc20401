#include "fleet/base/time.h"

#include <cmath>
#include <cstddef>

#include <fmt/format.h>

#include "fleet/base/text.h"

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

namespace {

// Reads parts of a text from its front. Each call returns whether the part was there.
class Scanner {
 public:
  explicit Scanner(std::string_view text) : text_(text) {}

  bool digits(std::size_t count, int& value) {
    if (text_.size() < count) return false;
    value = 0;
    for (std::size_t index = 0; index < count; ++index) {
      const char character = text_[index];
      if (character < '0' || character > '9') return false;
      value = value * 10 + (character - '0');
    }
    text_.remove_prefix(count);
    return true;
  }

  bool one_of(std::string_view characters, char* found = nullptr) {
    if (text_.empty() || characters.find(text_.front()) == std::string_view::npos) return false;
    if (found != nullptr) *found = text_.front();
    text_.remove_prefix(1);
    return true;
  }

  /// 1 to 9 digits as nanoseconds.
  bool fraction(std::int64_t& nanoseconds) {
    std::size_t count = 0;
    nanoseconds = 0;
    for (int digit = 0; count < 9 && digits(1, digit); ++count) {
      nanoseconds = nanoseconds * 10 + digit;
    }
    for (std::size_t padded = count; padded < 9; ++padded) nanoseconds *= 10;
    return count > 0;
  }

  bool done() const { return text_.empty(); }

 private:
  std::string_view text_;
};

struct Timestamp {
  int year = 0, month = 0, day = 0;
  int hour = 0, minute = 0, second = 0;
  std::int64_t nanoseconds = 0;
  int zone_minutes = 0;
};

bool scan_zone(Scanner& scanner, int& minutes) {
  if (scanner.done() || scanner.one_of("Z")) return scanner.done();
  char sign = '+';
  int hour = 0;
  int minute = 0;
  if (!scanner.one_of("+-", &sign) || !scanner.digits(2, hour)) return false;
  if (!scanner.one_of(":") || !scanner.digits(2, minute)) return false;
  minutes = (hour * 60 + minute) * (sign == '-' ? -1 : 1);
  return hour < 24 && minute < 60 && scanner.done();
}

bool scan(std::string_view text, Timestamp& stamp) {
  Scanner scanner(text);
  const bool date = scanner.digits(4, stamp.year) && scanner.one_of("-") &&
                    scanner.digits(2, stamp.month) && scanner.one_of("-") &&
                    scanner.digits(2, stamp.day);
  if (!date || !scanner.one_of(" T")) return false;
  const bool time = scanner.digits(2, stamp.hour) && scanner.one_of(":") &&
                    scanner.digits(2, stamp.minute) && scanner.one_of(":") &&
                    scanner.digits(2, stamp.second);
  if (!time) return false;
  if (scanner.one_of(".") && !scanner.fraction(stamp.nanoseconds)) return false;
  return scan_zone(scanner, stamp.zone_minutes);
}

}  // namespace

Result<Instant> parse_timestamp(std::string_view text) {
  Timestamp stamp;
  if (scan(text, stamp)) {
    const std::chrono::year_month_day date{std::chrono::year{stamp.year},
                                           std::chrono::month{static_cast<unsigned>(stamp.month)},
                                           std::chrono::day{static_cast<unsigned>(stamp.day)}};
    // In these years nanoseconds fit in 64 bits, and so do all differences.
    const bool in_range = stamp.year >= 1970 && stamp.year < 2200;
    if (in_range && date.ok() && stamp.hour < 24 && stamp.minute < 60 && stamp.second < 60) {
      const Duration since_epoch = std::chrono::sys_days{date}.time_since_epoch();
      return Instant{since_epoch + std::chrono::hours{stamp.hour} +
                     std::chrono::minutes{stamp.minute - stamp.zone_minutes} +
                     std::chrono::seconds{stamp.second} +
                     std::chrono::nanoseconds{stamp.nanoseconds}};
    }
  }
  return error("found \"{}\", expected a time such as \"2023-11-16 18:17:03.9799600\"",
               excerpt(text));
}

}  // namespace drover
