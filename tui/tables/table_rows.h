// The tables of the fleet for programs: all rows and columns of one moment. Dashboard and commands
// print the same ones (docs/json.md). Column names include the unit; the unit of a class's numbers
// follows from its metric, as in the policy.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "tui/tables/device_list.h"
#include "tui/tables/fleet_filter.h"

namespace drover::tui {

/// Nothing: not known, or there is none. A list is empty when it is known that there is none. Text
/// is as received: the caller escapes it for output.
using TableCell = std::variant<std::monostate, bool, double, std::string, std::vector<std::string>>;

struct TableRows {
  std::vector<std::string> names;
  std::vector<std::vector<TableCell>> rows;  // each as long as `names`
};

const std::vector<std::string>& table_names();
/// The default table of a view; empty if it has none.
std::string_view table_of_view(std::string_view view);
/// Whether the filter and a selected device limit its rows; else they cover the whole fleet.
bool table_is_filtered(std::string_view name);

/// What a table shows.
struct TableQuery {
  const Model& model;
  Instant now{};
  const FleetFilter& fleet_filter;  // evaluated for this model and moment
  const DeviceList& order;          // in whose order devices are listed
  std::optional<DeviceId> only;     // the device that the table is limited to, if any
};
/// REQUIRES one of table_names().
TableRows table_rows(const TableQuery& query, std::string_view name);

/// The tables "devices", "jobs", "decisions", "events" and "hosts" of these only.
TableRows device_rows(const EvaluationContext& at, std::span<const DeviceTable::Row> devices);
TableRows job_rows(const EvaluationContext& at, std::span<const JobChanged> jobs);
TableRows decision_rows(const EvaluationContext& at, std::span<const Decision> decisions);
TableRows event_rows(const EvaluationContext& at, std::span<const LogEntry> entries);
/// No row if there is no such host.
TableRows rows_of_host(const EvaluationContext& at, const std::string& name);

}  // namespace drover::tui
