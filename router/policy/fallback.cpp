// [[rule.fallback]] and `spill`.
#include <array>

#include "fleet/base/text.h"
#include "router/policy/read.h"
#include "router/policy/values.h"

namespace drover::router {
namespace {

using toml_file::Table;

void read_guard(Table table, Guard& guard) {
  struct Row {
    std::string_view key;
    std::optional<double> Guard::*field;
    Result<double> (*parse)(std::string_view);
  };
  constexpr std::array<Row, 3> rows = {{
      {"est_finish", &Guard::finish_ratio_max, parse_primary_ratio},
      {"extra_cost", &Guard::extra_cost_max, parse_extra_share},
      {"extra_energy", &Guard::extra_energy_max, parse_extra_share},
  }};
  for (const Row& row : rows) {
    if (!table.has(row.key)) continue;
    const auto value = row.parse(table.text(row.key));
    if (!value) table.add_problem(row.key, value.error().message);
    if (value) guard.*row.field = *value;
  }
}

void read_on(Table table, Fallback& fallback) {
  const std::vector<std::string> words = table.texts("on");
  if (words.empty()) {
    table.add_problem("on", "found nothing, expected reasons or \"*\"");
    return;
  }
  std::vector<std::string> names;
  for (int index = 0; index < reason_count; ++index) {
    names.emplace_back(to_text(static_cast<Reason>(index)));
  }
  for (const std::string& word : words) {
    if (word == "*" && words.size() == 1) return;
    const auto reason = parse_reason(word);
    if (!reason) {
      table.add_problem(
          "on", fmt::format("no such reason \"{}\"{}", printable(word), suggestion(word, names)));
      return;
    }
    fallback.on.push_back(*reason);
  }
}

Failback read_failback(Table table) {
  Failback failback;
  failback.after = table.duration("after_s");
  failback.probe = static_cast<std::uint32_t>(table.integer_in("probe", 0, 1'000'000, 1));
  failback.floor = table.text("floor", "");
  return failback;
}

}  // namespace

Fallback read_fallback(Table table) {
  Fallback fallback;
  read_on(table, fallback);
  const bool has_action = table.has("action");
  if (has_action == table.has("to")) {
    table.add_problem(has_action ? "to" : "action", "expected exactly one of `to` and `action`");
  }
  if (has_action) fallback.action = read_action(table, "action", FallbackAction::queue);
  fallback.to = table.text("to", "");
  if (auto change = table.table("change")) {
    const auto precisions = read_precisions(*change, "precision");
    if (precisions.size() == 1) fallback.change_precision = precisions.front();
    if (precisions.size() != 1) change->add_problem("precision", "expected one precision");
  }
  if (auto guard = table.table("guard")) read_guard(*guard, fallback.guard);
  if (table.has("max_wait_s")) {
    fallback.max_wait = table.duration("max_wait_s");
    if (fallback.action != FallbackAction::queue) {
      table.add_problem("max_wait_s", "has no effect without action = \"queue\"");
    }
  }
  if (auto failback = table.table("failback")) fallback.failback = read_failback(*failback);
  return fallback;
}

Spill read_spill(Table table) {
  Spill spill;
  spill.margin = read_share(table, "margin", spill.margin);
  spill.back = read_share(table, "back", spill.back);
  spill.wait_usd_per_h = table.number_in("wait_usd_per_h", 0, 1e9, 0.0);
  spill.wait_w = table.number_in("wait_w", 0, 1e9, 0.0);
  return spill;
}

}  // namespace drover::router
