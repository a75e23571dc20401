#include "fleet/base/timestamp.h"

#include <cstddef>
#include <cstdint>

#include "fleet/base/text.h"

namespace drover {
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
