#include "fleet/filter/filter_values.h"

#include <array>
#include <cmath>

#include "fleet/base/text.h"
#include "fleet/base/units.h"

namespace drover::filter {

namespace {

struct Unit {
  Kind kind;
  std::string_view name;
  double factor;
};

// Of quantities that nothing but filters reads; fleet/base/units.h has the others.
constexpr std::array units = {
    Unit{Kind::share, "%", 0.01},      Unit{Kind::megahertz, "MHz", 1},
    Unit{Kind::megahertz, "GHz", 1e3}, Unit{Kind::joules, "kWh", 3.6e6},
    Unit{Kind::joules, "Wh", 3.6e3},   Unit{Kind::joules, "kJ", 1e3},
    Unit{Kind::joules, "MJ", 1e6},     Unit{Kind::joules, "GJ", 1e9},
    Unit{Kind::joules, "J", 1},
};

std::string_view expected_of(Kind kind) {
  switch (kind) {
    case Kind::share:
      return "a share, such as 80% or 0.8";
    case Kind::megahertz:
      return "a clock (MHz GHz), such as 1410MHz";
    case Kind::joules:
      return "an energy (J kJ MJ GJ Wh kWh), such as 3.6MJ";
    case Kind::dollars:
      return "dollars, such as 2.5";
    default:
      return "a number, such as 1.5";
  }
}

Result<double> parse_scaled(std::string_view text, const FieldFacts& field) {
  std::string_view digits = trimmed(text);
  if (field.kind == Kind::dollars && digits.starts_with('$')) digits.remove_prefix(1);
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
  // Nothing is used by more than all of it: 80 means 80%.
  if (field.kind == Kind::share && !has_unit && *number > 1) factor = 0.01;
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
  DROVER_REQUIRE(field.kind != Kind::text);
  switch (field.kind) {
    case Kind::watts:
      return parse_watts(text, field.name);
    case Kind::celsius:
      return parse_celsius(text, field.name);
    case Kind::bytes:
      return parse_size(text, field);
    case Kind::seconds:
      return parse_seconds(text, field);
    default:
      return parse_scaled(text, field);
  }
}

}  // namespace drover::filter
