#include "fleet/filter/fields.h"

#include <array>
#include <cmath>

#include "fleet/base/enum_tables.h"
#include "fleet/base/text.h"
#include "fleet/base/units.h"

namespace drover::filter {

namespace {

constexpr std::uint8_t of_device = devices | alerts;
constexpr std::uint8_t of_job = jobs;
constexpr std::uint8_t of_alert = alerts;
constexpr std::uint8_t of_sums = pools | sites;
constexpr std::uint8_t of_place = devices | jobs | alerts;  // for a job: the place where it runs

constexpr bool name = true;
constexpr bool plain = false;

constexpr std::array<FieldFacts, field_count> table = {{
    {Field::id, "id", ValueKind::text, of_place, name},
    {Field::host, "host", ValueKind::text, of_place, name},
    {Field::index, "index", ValueKind::number, of_device, plain},
    {Field::rack, "rack", ValueKind::text, of_place, name},
    {Field::site, "site", ValueKind::text, of_place, name},
    {Field::kind, "kind", ValueKind::text, of_place, name},
    {Field::pool, "pool", ValueKind::text, of_place | pools, name},
    {Field::group, "group", ValueKind::number, of_device, plain},
    {Field::label, "label", ValueKind::text, of_device, plain},
    {Field::state, "state", ValueKind::text, of_device, plain},
    {Field::utilization, "util", ValueKind::share, of_device, plain},
    {Field::tensor, "tensor", ValueKind::share, of_device, plain},
    {Field::memory_bandwidth, "membw", ValueKind::share, of_device, plain},
    {Field::memory_share, "mem", ValueKind::share, of_device, plain},
    {Field::memory, "memory", ValueKind::bytes, of_device, plain},
    {Field::power, "power", ValueKind::watts, of_device | of_sums, plain},
    {Field::cap, "cap", ValueKind::watts, of_device | of_sums, plain},
    {Field::power_share, "powershare", ValueKind::share, of_device | of_sums, plain},
    {Field::temperature, "temp", ValueKind::celsius, of_device, plain},
    {Field::headroom, "headroom", ValueKind::celsius, of_device, plain},
    {Field::memory_temperature, "memtemp", ValueKind::celsius, of_device, plain},
    {Field::clock, "clock", ValueKind::megahertz, of_device, plain},
    {Field::throttle, "throttle", ValueKind::text, of_device, plain},
    {Field::pause, "pause", ValueKind::text, of_device | of_job, plain},
    {Field::queue, "queue", ValueKind::number, of_device | of_sums, plain},
    {Field::running, "running", ValueKind::number, of_device, plain},
    {Field::energy, "energy", ValueKind::joules, of_place, plain},
    {Field::age, "age", ValueKind::seconds, of_device, plain},
    {Field::price, "price", ValueKind::dollars, of_device, plain},
    {Field::model, "model", ValueKind::text, of_place, name},
    {Field::job, "job", ValueKind::text, of_place, name},
    {Field::tenant, "tenant", ValueKind::text, of_place, name},
    {Field::user, "user", ValueKind::text, of_device, name},
    {Field::alert, "alert", ValueKind::text, of_device, name},
    {Field::origin, "origin", ValueKind::text, of_place, plain},
    {Field::work, "work", ValueKind::text, of_job, plain},
    {Field::work_class, "class", ValueKind::text, of_job, name},
    {Field::priority, "priority", ValueKind::number, of_job, plain},
    {Field::job_state, "jobstate", ValueKind::text, of_job, plain},
    {Field::reason, "reason", ValueKind::text, of_job, plain},
    {Field::progress, "progress", ValueKind::share, of_job, plain},
    {Field::remaining, "remaining", ValueKind::seconds, of_job, plain},
    {Field::waited, "waited", ValueKind::seconds, of_job, plain},
    {Field::cost, "cost", ValueKind::dollars, of_job, plain},
    {Field::severity, "severity", ValueKind::text, of_alert, plain},
    {Field::devices, "devices", ValueKind::number, pools, plain},
    {Field::healthy, "healthy", ValueKind::share, pools, plain},
    {Field::queue_share, "queueshare", ValueKind::share, sites, plain},
    {Field::spend, "spend", ValueKind::dollars, of_sums, plain},
    {Field::spend_share, "spendshare", ValueKind::share, sites, plain},
}};

static_assert(is_in_order(table, &FieldFacts::field));

constexpr std::array alias_table = {
    Alias{"device", Field::id},
    Alias{"utilization", Field::utilization},
    Alias{"temperature", Field::temperature},
    Alias{"used", Field::memory},
    Alias{"runs", Field::running},
    Alias{"rule", Field::alert},
    Alias{"wants", Field::reason},
    Alias{"eta", Field::remaining},
};

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
  DROVER_ASSIGN(const auto span, parse_duration(text, field.name));
  return to_seconds(span);
}

Result<double> parse_size(std::string_view text, const FieldFacts& field) {
  DROVER_ASSIGN(const auto bytes, parse_bytes(text, field.name));
  return static_cast<double>(bytes);
}

}  // namespace

std::span<const FieldFacts> fields() { return table; }

const FieldFacts& facts(Field field) { return table[static_cast<std::size_t>(field)]; }

std::span<const Alias> aliases() { return alias_table; }

std::optional<Field> find_field(std::string_view wanted) {
  for (const FieldFacts& row : table) {
    if (equal_ignoring_case(row.name, wanted)) return row.field;
  }
  for (const Alias& alias : alias_table) {
    if (equal_ignoring_case(alias.name, wanted)) return alias.field;
  }
  return std::nullopt;
}

std::vector<std::string> field_names(Subjects of) {
  std::vector<std::string> names;
  for (const FieldFacts& row : table) {
    if ((row.of & of) != 0) names.emplace_back(row.name);
  }
  return names;
}

std::string_view meaning(ValueKind kind) {
  static constexpr std::array<std::string_view, 10> meanings = {
      "text",          "a number",        "a share",    "a power",
      "a temperature", "a size in bytes", "a duration", "a frequency",
      "an energy",     "an amount in $",
  };
  return meanings[static_cast<std::size_t>(kind)];
}

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
