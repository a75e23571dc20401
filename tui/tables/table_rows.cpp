#include "tui/tables/table_rows.h"

#include <algorithm>
#include <array>

#include "fleet/base/text.h"
#include "tui/tables/table_columns.h"

namespace drover::tui {
namespace {

struct NamedTable {
  std::string_view name;
  std::string_view view;  // whose default table it is; or empty
  bool filtered;          // by a filter and by a device
  TableRows (*rows)(const TableSource& from);
};
constexpr std::array<NamedTable, 13> tables = {{
    {"devices", "devices", true, listed_device_rows},
    {"replicas", "", true, replica_rows},
    {"jobs", "jobs", true, listed_job_rows},
    {"classes", "", false, class_rows},
    {"decisions", "routing", true, listed_decision_rows},
    {"flows", "", false, flow_rows},
    {"fallbacks", "", false, fallback_rows},
    {"pools", "power", true, pool_rows},
    {"events", "events", true, listed_event_rows},
    {"alerts", "", true, alert_rows},
    {"rules", "", false, alert_rule_rows},
    {"hosts", "telemetry", true, host_rows},
    {"users", "users", true, user_rows},
}};

const NamedTable* find_table(std::string_view name) {
  const auto found = std::ranges::find(tables, name, &NamedTable::name);
  return found == tables.end() ? nullptr : &*found;
}

}  // namespace

const std::vector<std::string>& table_names() {
  static const std::vector<std::string> names = names_of(tables, &NamedTable::name);
  return names;
}

std::string_view table_of_view(std::string_view view) {
  const auto found = std::find_if(tables.begin(), tables.end(), [&](const NamedTable& table) {
    return !table.view.empty() && table.view == view;
  });
  return found == tables.end() ? std::string_view() : found->name;
}

bool table_is_filtered(std::string_view name) {
  const NamedTable* const table = find_table(name);
  return table != nullptr && table->filtered;
}

TableRows table_rows(const TableQuery& query, std::string_view name) {
  const NamedTable* const table = find_table(name);
  DROVER_REQUIRE(table != nullptr);
  const JobsByDevice jobs(query.model);
  return table->rows({query, {query.model, query.now, jobs}});
}

}  // namespace drover::tui
