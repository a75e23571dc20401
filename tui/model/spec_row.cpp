#include "tui/model/spec_row.h"

#include "fleet/text/toml.h"

namespace drover::tui {
namespace {

using toml_file::Table;

/// A number with or without a tag: `tdp_w = 700`, `tdp_w = { value = 220, assumed = "why" }`.
struct Fact {
  double value = 0;  // 0: unknown
  bool assumed = false;
};

Fact fact(Table& file, const char* section, const char* key) {
  std::optional<Table> table = file.has(section) ? file.table(section) : std::nullopt;
  if (!table || !table->has(key)) return {};
  if (!table->holds_table(key)) return {table->number(key, 0), false};
  Table tagged = *table->table(key);
  return {tagged.number("value", 0), tagged.has("assumed")};
}

struct Constant {
  const char* section;
  const char* key;
  bool SpecRow::*mark;
};
// The constants that determine most of a reading; links and limits matter little.
constexpr Constant main_constants[] = {
    {"power", "active_w_per_unit", &SpecRow::power_assumed},
    {"power", "memory_pj_per_byte", &SpecRow::power_assumed},
    {"power", "matrix_w_per_unit", &SpecRow::power_assumed},
    {"thermal", "die_k_per_w", &SpecRow::temperature_assumed},
    {"thermal", "sink_k_per_w", &SpecRow::temperature_assumed},
    {"thermal", "sink_s", &SpecRow::temperature_assumed},
};

}  // namespace

SpecRow parse_spec_row(const std::string& id, std::string_view text) {
  SpecRow row;
  row.id = id;
  row.text = text;
  // A guess by name for a spec without a class; only the counts of GPUs and TPUs depend on it.
  if (id.rfind("tpu", 0) == 0) row.device_class = DeviceClass::tpu;
  if (text.empty()) return row;
  Result<Table> parsed = Table::parse(text, id);
  if (!parsed) return row;
  Table& table = *parsed;
  if (table.has("class")) {
    row.device_class = table.text("class") == "tpu" ? DeviceClass::tpu : DeviceClass::gpu;
  }
  row.tdp_w = fact(table, "power", "tdp_w").value;
  // Software throttles a device before its hardware does.
  const double software_c = fact(table, "thermal", "max_c").value;
  row.slowdown_c = software_c > 0 ? software_c : fact(table, "thermal", "slowdown_c").value;
  row.price_usd_per_h = fact(table, "price", "usd_per_h").value;
  for (const Constant& it : main_constants) {
    row.*it.mark |= fact(table, it.section, it.key).assumed;
  }
  return row;
}

}  // namespace drover::tui
