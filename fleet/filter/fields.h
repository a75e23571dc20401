// The fields of filters: one table for every part of the program that filters. The subjects that
// have them are fleet/filter/device_subject.h and, for jobs, decisions and log entries,
// tui/tables/filter_subjects.h. docs/filters.md lists the table.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "fleet/base/result.h"

namespace drover::filter {

enum class Field : std::uint8_t {
  id,
  host,
  index,
  rack,
  site,
  kind,
  pool,
  group,
  label,
  state,
  utilization,
  tensor,
  memory_bandwidth,
  memory_share,
  memory,
  power,
  cap,
  power_share,
  temperature,
  headroom,
  memory_temperature,
  clock,
  throttle,
  pause,
  queue,
  running,
  energy,
  age,
  price,
  model,
  job,
  tenant,
  user,
  alert,
  origin,
  work,
  work_class,
  priority,
  job_state,
  reason,
  progress,
  remaining,
  waited,
  cost,
  severity,
  devices,
  healthy,
  queue_share,
  spend,
  spend_share,
};
inline constexpr int field_count = 50;

/// The kind of a field's values. It determines how they are written and compared.
enum class ValueKind : std::uint8_t {
  text,       // zero or more values
  number,     // a plain number
  share,      // 0..1
  watts,      // W
  celsius,    // C
  bytes,      // bytes
  seconds,    // s
  megahertz,  // MHz
  joules,     // J
  dollars,    // $
};

/// The subjects that have a field; bits.
enum Subjects : std::uint8_t {
  devices = 1,
  jobs = 2,
  alerts = 4,  // an alert also has the fields of the device that it is about
  anything = 7,
  pools = 8,  // of the policy; alert rules can be about pools, sites and devices
  sites = 16,
};

struct FieldFacts {
  Field field;
  std::string_view name;  // "temp"
  ValueKind kind;
  std::uint8_t of;  // Subjects
  bool is_name;     // a bare word in a filter is searched for in this field
};
/// One row for each field, in the order of the enumeration.
std::span<const FieldFacts> fields();
const FieldFacts& facts(Field field);

/// An alternative name of a field.
struct Alias {
  std::string_view name;
  Field field;
};
std::span<const Alias> aliases();

/// Finds a field by its name or an alias, case-insensitively.
std::optional<Field> find_field(std::string_view name);

/// The names of the fields of these subjects, in the order of the table.
std::vector<std::string> field_names(Subjects of);

/// What a value of this kind is, for messages: "a temperature".
std::string_view meaning(ValueKind kind);

/// Parses a value into the field's unit, which is also the unit of a bare number. A share is
/// written 80% or 0.8; a bare number above 1 is percent. The error names the field, what was found
/// and what was expected. REQUIRES the field is not text.
Result<double> parse_value(std::string_view text, const FieldFacts& field);

}  // namespace drover::filter
