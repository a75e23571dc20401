#include "fleet/filter/values.h"

#include <array>
#include <cmath>

#include "fleet/base/text.h"
#include "fleet/base/units.h"

namespace drover::filter {

namespace {

struct Unit {
  ValueKind kind;
  std::string_view name;
  double factor;
};

// Quantities that only filters use; fleet/base/units.h has the others.
constexpr std::array units = {
    Unit{ValueKind::share, "%", 0.01},      Unit{ValueKind::megahertz, "MHz", 1},
    Unit{ValueKind::megahertz, "GHz", 1e3}, Unit{ValueKind::joules, "kWh", 3.6e6},
    Unit{ValueKind::joules, "Wh", 3.6e3},   Unit{ValueKind::joules, "kJ", 1e3},
    Unit{ValueKind::joules, "MJ", 1e6},     Unit{ValueKind::joules, "GJ", 1e9},
    Unit{ValueKind::joules, "J", 1},
};

std::string_view expected_of(ValueKind kind) {
  switch (kind) {
    case ValueKind::share:
      return "a share, such as 80% or 0.8";
    case ValueKind::megahertz:
      return "a clock (MHz GHz), such as 1410MHz";
    case ValueKind::joules:
      return "an energy (J kJ MJ GJ Wh kWh), such as 3.6MJ";
    case ValueKind::dollars:
      return "dollars, such as 2.5";
    default:
      return "a number, such as 1.5";
  }
}

Result<double> parse_scaled(std::string_view text, const FieldFacts& field) {
  std::string_view digits = trimmed(text);
  if (field.kind == ValueKind::dollars && digits.starts_with('$')) digits.remove_prefix(1);
  double factor = 1;
  bool has_unit = false;
  for (const Unit& unit : units) {
    if (unit.kind != field.kind || !digits.ends_with(unit.name)) continue;
    digits.remove_suffix(unit.name.size());
    factor = unit.factor;
    has_unit = true;
    break;
  }
  const Result<double> number = parse_number(digits, field.name);
  if (!number || !std::isfinite(*number * factor)) {
    return error("{}: found \"{}\", expected {}", field.name, excerpt(text),
                 expected_of(field.kind));
  }
  // A share is at most 1, so 80 means 80%.
  if (field.kind == ValueKind::share && !has_unit && *number > 1) factor = 0.01;
  return *number * factor;
}

Result<double> parse_seconds(std::string_view text, const FieldFacts& field) {
  const Result<double> bare = parse_number(text, field.name);
  if (bare) return bare;
  const Result<Duration> span = parse_duration(text, field.name);
  if (!span) return span.error();
  return to_seconds(*span);
}

Result<double> parse_size(std::string_view text, const FieldFacts& field) {
  const Result<std::uint64_t> bytes = parse_bytes(text, field.name);
  if (!bytes) return bytes.error();
  return static_cast<double>(*bytes);
}

}  // namespace

Result<double> parse_value(std::string_view text, const FieldFacts& field) {
  DROVER_REQUIRE(field.kind != ValueKind::text);
  switch (field.kind) {
    case ValueKind::watts:
      return parse_watts(text, field.name);
    case ValueKind::celsius:
      return parse_celsius(text, field.name);
    case ValueKind::bytes:
      return parse_size(text, field);
    case ValueKind::seconds:
      return parse_seconds(text, field);
    default:
      return parse_scaled(text, field);
  }
}

}  // namespace drover::filter
