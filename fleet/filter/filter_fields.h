// What filters can ask of: one table of fields, shared by every place that filters. Who answers
// (a device, a job, an alert) is in fleet/filter/filter.h; docs/filters.md lists the table for
// people.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

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
  matrix,
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
  slowed,
  pause,
  queue,
  running,
  energy,
  age,
  price,
  model,
  job,
  tenant,
  alert,
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
  well,
  queue_share,
  spend,
  spend_share,
};
inline constexpr int field_count = 48;

/// What a field's values are, and so how they are written and compared.
enum class Kind : std::uint8_t {
  text,       // several at once, or none
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

/// Who has a field; bits.
enum Subjects : std::uint8_t {
  devices = 1,
  jobs = 2,
  alerts = 4,  // they answer for the device that they are about as well
  anything = 7,
  pools = 8,  // of the policy: what alert rules can be about beside devices
  sites = 16,
};

struct FieldFacts {
  Field field;
  std::string_view name;  // "temp"
  Kind kind;
  std::uint8_t of;        // Subjects
  bool is_name;           // a word that stands alone is looked for in it
  std::string_view help;  // one line, with the unit
};
/// One row for each field, in the order of the enumeration.
std::span<const FieldFacts> fields();
const FieldFacts& facts(Field field);

/// Another way to write a field's name.
struct Alias {
  std::string_view name;
  Field field;
};
std::span<const Alias> aliases();

/// By its name or an alias of it, letters without regard to case.
std::optional<Field> find_field(std::string_view name);

/// The names of the fields that such subjects have, in the table's order.
std::vector<std::string> field_names(Subjects of);

/// "a temperature in C", for people.
std::string_view meaning(Kind kind);

}  // namespace drover::filter
