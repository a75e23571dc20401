// One grammar for all quantities: an optional sign, decimal digits with an optional point and
// exponent, optional blanks, a unit. Each kind of quantity is a table of units.
#include "fleet/base/units.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <limits>
#include <optional>
#include <span>

#include <fmt/format.h>

#include "fleet/base/text.h"

namespace drover {
namespace {

struct Unit {
  std::string_view name;
  double factor;
};

Error unexpected(std::string_view place, std::string_view text, std::string_view expected) {
  return error("{}: found \"{}\", expected {}", place, excerpt(text), expected);
}

struct Quantity {
  double number;
  std::string_view unit;
};

std::optional<Quantity> split_quantity(std::string_view text) {
  text = trimmed(text);
  // from_chars accepts no plus sign; "+-3" must not become -3.
  if (text.starts_with('+') && !text.starts_with("+-")) text.remove_prefix(1);
  if (text.empty()) return std::nullopt;
  // It also accepts "inf" and "nan", which are not quantities.
  const char first = text[text[0] == '-' && text.size() > 1 ? 1 : 0];
  if (!(first >= '0' && first <= '9') && first != '.') return std::nullopt;
  Quantity quantity{};
  const char* end = text.data() + text.size();
  const auto [stop, problem] = std::from_chars(text.data(), end, quantity.number);
  if (problem != std::errc{} || !std::isfinite(quantity.number)) return std::nullopt;
  quantity.unit = trimmed(std::string_view{stop, static_cast<std::size_t>(end - stop)});
  return quantity;
}

Result<double> parse_quantity(std::string_view text, std::string_view place,
                              std::span<const Unit> units, std::string_view expected) {
  const auto quantity = split_quantity(text);
  if (!quantity) return unexpected(place, text, expected);
  for (const Unit& unit : units) {
    if (unit.name != quantity->unit) continue;
    const double value = quantity->number * unit.factor;
    if (!std::isfinite(value)) return unexpected(place, text, expected);
    return value;
  }
  return unexpected(place, text, expected);
}

constexpr std::array<Unit, 7> duration_units{
    {{"ns", 1e-9}, {"us", 1e-6}, {"ms", 1e-3}, {"s", 1}, {"m", 60}, {"h", 3600}, {"d", 86400}}};
constexpr std::array<Unit, 10> byte_units{{{"", 1},
                                           {"B", 1},
                                           {"kB", 1e3},
                                           {"MB", 1e6},
                                           {"GB", 1e9},
                                           {"TB", 1e12},
                                           {"KiB", 0x1p10},
                                           {"MiB", 0x1p20},
                                           {"GiB", 0x1p30},
                                           {"TiB", 0x1p40}}};
constexpr std::array<Unit, 4> watt_units{{{"", 1}, {"W", 1}, {"kW", 1e3}, {"MW", 1e6}}};
constexpr std::array<Unit, 2> celsius_units{{{"", 1}, {"C", 1}}};

struct Step {
  double up_to;  // values that round to less than this use this step
  double divisor;
  std::string_view suffix;
};

// At most three significant digits: "4.56", "12.3", "950".
std::string short_number(double value) {
  const double magnitude = std::fabs(value);
  if (magnitude < 9.995) return fmt::format("{:.2f}", value);
  if (magnitude < 99.95) return fmt::format("{:.1f}", value);
  return fmt::format("{:.0f}", value);
}

std::string stepped(double value, std::span<const Step> steps, std::string_view unit) {
  if (!std::isfinite(value)) return "-";
  for (const Step& step : steps) {
    const double shown = value / step.divisor;
    // Compares the rounded value, so that 999.6 becomes "1.00k" and not "1000".
    if (std::fabs(shown) < step.up_to) {
      const std::string number =
          step.divisor == 1 ? fmt::format("{:.0f}", shown + 0.0) : short_number(shown);
      return fmt::format("{}{}{}", number == "-0" ? "0" : number, step.suffix, unit);
    }
  }
  const Step& last = steps.back();
  return fmt::format("{:.0e}{}{}", value / last.divisor, last.suffix, unit);
}

constexpr std::array<Step, 6> decimal_steps{{{999.5, 1, ""},
                                             {999.5, 1e3, "k"},
                                             {999.5, 1e6, "M"},
                                             {999.5, 1e9, "G"},
                                             {999.5, 1e12, "T"},
                                             {999.5, 1e15, "P"}}};

}  // namespace

namespace {

/// Parses "18m50s", "1h 5m": each unit must be smaller than the one before.
std::optional<double> compound_seconds(std::string_view text) {
  double sum_s = 0;
  double last_factor = std::numeric_limits<double>::infinity();
  for (text = trimmed(text); !text.empty(); text = trimmed(text)) {
    if (text[0] < '0' || text[0] > '9') return std::nullopt;
    const std::size_t letters = text.find_first_not_of("0123456789.");
    if (letters == std::string_view::npos) return std::nullopt;
    const std::size_t end = std::min(text.find_first_of("0123456789. ", letters), text.size());
    const auto seconds = parse_quantity(text.substr(0, end), "", duration_units, "");
    const auto unit = std::find_if(
        duration_units.begin(), duration_units.end(),
        [&](const Unit& one) { return one.name == text.substr(letters, end - letters); });
    if (!seconds || unit == duration_units.end() || unit->factor >= last_factor) {
      return std::nullopt;
    }
    sum_s += *seconds;
    last_factor = unit->factor;
    text.remove_prefix(end);
  }
  if (std::isinf(last_factor)) return std::nullopt;  // no part was found
  return sum_s;
}

}  // namespace

Result<Duration> parse_duration(std::string_view text, std::string_view place) {
  constexpr std::string_view expected =
      "a duration with a unit (ns us ms s m h d), such as \"5m\", \"1.5s\" or \"18m50s\"";
  Result<double> seconds = parse_quantity(text, place, duration_units, expected);
  if (const auto compound = compound_seconds(text); !seconds && compound) {
    seconds = *compound;
  }
  if (!seconds) return seconds.error();
  if (*seconds < 0) return unexpected(place, text, "no negative duration");
  const Duration duration = from_seconds(*seconds);
  if (duration == Duration::max()) return unexpected(place, text, "at most 292 years (106751d)");
  return duration;
}

Result<std::uint64_t> parse_bytes(std::string_view text, std::string_view place) {
  constexpr std::string_view expected = "a size (B kB MB GB TB KiB MiB GiB TiB), such as \"80GiB\"";
  DROVER_ASSIGN(const auto bytes, parse_quantity(text, place, byte_units, expected));
  // Above 2^53 not every integer is representable as a double, and no memory is that large.
  if (bytes < 0 || bytes > 0x1p53) return unexpected(place, text, expected);
  return static_cast<std::uint64_t>(std::llround(bytes));
}

Result<double> parse_watts(std::string_view text, std::string_view place) {
  constexpr std::string_view expected = "a power (W kW MW), such as \"350W\"";
  const auto quantity = split_quantity(text);
  if (!quantity || quantity->number < 0 || quantity->unit == "mW") {
    return unexpected(place, text, expected);
  }
  for (const Unit& unit : watt_units) {
    if (!equal_ignoring_case(unit.name, quantity->unit)) continue;
    const double watts = quantity->number * unit.factor;
    if (std::isfinite(watts)) return watts;
  }
  return unexpected(place, text, expected);
}

Result<double> parse_power(std::string_view text, std::string_view place) {
  const auto quantity = split_quantity(text);
  if (quantity && quantity->unit.empty()) {
    return unexpected(place, text, "a power with its unit (W kW MW), such as \"20kW\"");
  }
  return parse_watts(text, place);
}

Result<double> parse_celsius(std::string_view text, std::string_view place) {
  constexpr double absolute_zero_c = -273.15;
  constexpr std::string_view expected = "a temperature, such as \"25C\" or \"+10C\"";
  const Result<double> celsius = parse_quantity(text, place, celsius_units, expected);
  if (celsius && *celsius < absolute_zero_c) return unexpected(place, text, expected);
  return celsius;
}

Result<double> parse_number(std::string_view text, std::string_view place) {
  static constexpr std::array<Unit, 1> plain{{{"", 1}}};
  return parse_quantity(text, place, plain, "a number, such as \"1.5\"");
}

Result<std::int64_t> parse_integer(std::string_view text, std::string_view place) {
  std::string_view digits = trimmed(text);
  if (digits.starts_with('+') && !digits.starts_with("+-")) digits.remove_prefix(1);
  std::int64_t value = 0;
  const char* end = digits.data() + digits.size();
  const auto [stop, problem] = std::from_chars(digits.data(), end, value);
  if (problem == std::errc{} && stop == end) return value;
  if (problem == std::errc::result_out_of_range && stop == end) {
    return unexpected(place, text, "a whole number within 64 bits (9.2e18)");
  }
  return unexpected(place, text, "a whole number");
}

std::string duration_text(double seconds) {
  if (!std::isfinite(seconds)) return "-";
  const double magnitude = std::fabs(seconds);
  if (magnitude < 0.9995) {
    const std::string text = fmt::format("{:.0f}ms", seconds * 1e3);
    return text == "-0ms" ? "0ms" : text;
  }
  if (magnitude < 9.95) return fmt::format("{:.1f}s", seconds);
  if (magnitude < 99.5) return fmt::format("{:.0f}s", seconds);
  if (magnitude < 99.5 * 60) return fmt::format("{:.0f}m", seconds / 60);
  if (magnitude < 9.95 * 3600) return fmt::format("{:.1f}h", seconds / 3600);
  if (magnitude < 99.5 * 3600) return fmt::format("{:.0f}h", seconds / 3600);
  if (magnitude < 9999.5 * 86400) return fmt::format("{:.0f}d", seconds / 86400);
  return fmt::format("{:.0f}y", std::fmin(seconds / (365.25 * 86400), 99999));
}

std::string bytes_text(double bytes) {
  if (!std::isfinite(bytes)) return "-";
  static constexpr std::array<std::string_view, 6> suffixes{"B", "K", "M", "G", "T", "P"};
  std::size_t step = 0;
  // With one decimal place 1023.96 would be shown as 1024.0, so the next step is used.
  while (step + 1 < suffixes.size() && std::fabs(bytes) >= (step == 0 ? 1023.5 : 1000.0 - 0.05)) {
    bytes /= 1024;
    ++step;
  }
  return step == 0 ? fmt::format("{:.0f}B", bytes + 0.0)
                   : fmt::format("{:.1f}{}", bytes, suffixes[step]);
}

std::string count_text(double count) { return stepped(count, decimal_steps, ""); }

std::string watts_text(double watts) { return stepped(watts, decimal_steps, "W"); }

std::string joules_text(double joules) { return stepped(joules, decimal_steps, "J"); }

std::string signed_text(std::string (*text)(double), double value) {
  return (value < 0 ? "-" : "+") + text(std::abs(value));
}

std::string dollars_text(double dollars) {
  if (!std::isfinite(dollars)) return "-";
  const double magnitude = std::fabs(dollars);
  const std::string_view sign = dollars < 0 ? "-" : "";
  if (magnitude == 0) return "$0.00";
  if (magnitude < 0.09995) return fmt::format("{}${:.4f}", sign, magnitude);
  if (magnitude < 999.995) return fmt::format("{}${:.2f}", sign, magnitude);
  return fmt::format("{}${}", sign, stepped(magnitude, decimal_steps, ""));
}

}  // namespace drover
