#include "tui/spec_text.h"

#include "fleet/toml.h"

namespace drover::tui {

SpecRow read_spec(const std::string& id, std::string_view text) {
  SpecRow row;
  row.id = id;
  row.text = text;
  // A guess by name for a spec that does not tell; only the count of GPUs and TPUs hangs on it.
  if (id.rfind("tpu", 0) == 0) row.device_class = DeviceClass::tpu;
  if (text.empty()) return row;
  Result<toml_file::Table> parsed = toml_file::Table::parse(text, id);
  if (!parsed) return row;
  toml_file::Table& table = *parsed;
  if (table.has("class")) {
    row.device_class = table.text("class") == "tpu" ? DeviceClass::tpu : DeviceClass::gpu;
  }
  if (table.has("power")) {
    if (auto power = table.table("power")) row.tdp_w = power->number("tdp_w", 0);
  }
  if (table.has("heat")) {
    if (auto heat = table.table("heat")) row.slowdown_c = heat->number("slowdown_c", 0);
  }
  if (table.has("price")) {
    if (auto price = table.table("price")) row.price_usd_per_h = price->number("usd_per_h", 0);
  }
  return row;
}

}  // namespace drover::tui
