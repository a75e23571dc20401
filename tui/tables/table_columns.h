// Building blocks of the tables for programs: named columns, each with the cell of an entity.
#pragma once

#include <cmath>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

#include "tui/tables/device_columns.h"
#include "tui/tables/device_queries.h"
#include "tui/tables/table_rows.h"

namespace drover::tui {

inline TableCell text_cell(std::string_view reported) {
  return reported.empty() ? TableCell() : TableCell(std::string(reported));
}
inline TableCell number_cell(double value) {
  return std::isnan(value) ? TableCell() : TableCell(value);
}
/// "no" when the work makes progress, as filters have it.
inline TableCell pause_cell(Pause pause) {
  return text_cell(pause == Pause::none ? "no" : to_text(pause));
}
inline TableCell count_cell(std::uint64_t value) { return static_cast<double>(value); }

/// The cell of a value of any reported type; empty if it is unknown.
template <typename Value>
TableCell value_cell(const Value& value) {
  if constexpr (std::is_same_v<Value, bool>) {
    return value;
  } else if constexpr (std::is_convertible_v<Value, std::string_view>) {
    return text_cell(value);
  } else if constexpr (std::is_floating_point_v<Value>) {
    return number_cell(value);
  } else if constexpr (std::is_integral_v<Value>) {
    return count_cell(value);
  } else if constexpr (std::is_same_v<Value, Instant>) {
    return value == Instant::min() ? TableCell() : text_cell(to_iso8601(value));
  } else if constexpr (std::is_same_v<Value, std::optional<Reason>>) {
    return value ? text_cell(to_text(*value)) : TableCell();
  } else {
    return text_cell(to_text(value));
  }
}

/// The cell of a member of an entity, or of a member of a member.
template <auto... path, typename Entity>
TableCell of(const EvaluationContext&, const Entity& entity) {
  return value_cell((entity.*....*path));
}

template <typename Entity>
struct TableColumn {
  std::string_view name;
  TableCell (*cell)(const EvaluationContext& at, const Entity& entity);
};

/// Builds a table by adding rows.
template <typename Entity>
class TableBuilder {
 public:
  TableBuilder(const EvaluationContext& at, std::span<const TableColumn<Entity>> columns)
      : at_(at), columns_(columns) {
    for (const TableColumn<Entity>& column : columns) table_.names.emplace_back(column.name);
  }
  void add(const Entity& entity) {
    auto& row = table_.rows.emplace_back();
    for (const TableColumn<Entity>& column : columns_) row.push_back(column.cell(at_, entity));
  }
  TableRows take() { return std::move(table_); }

 private:
  const EvaluationContext& at_;
  std::span<const TableColumn<Entity>> columns_;
  TableRows table_;
};

/// What a table is made from.
struct TableSource {
  const TableQuery& query;
  EvaluationContext at;

  const Model& model() const { return at.model; }
  const FleetFilter& fleet_filter() const { return query.fleet_filter; }
  bool filtered() const { return query.only.has_value() || fleet_filter().active(); }
  bool is_of(std::string_view target) const {
    return !query.only || has_device(at.model, target, *query.only);
  }
};

// Tables with a row for each entity.
TableRows listed_device_rows(const TableSource& from);
TableRows replica_rows(const TableSource& from);
TableRows listed_job_rows(const TableSource& from);
TableRows listed_decision_rows(const TableSource& from);
TableRows listed_event_rows(const TableSource& from);
TableRows alert_rows(const TableSource& from);
TableRows host_rows(const TableSource& from);

// Tables of sums and rules.
TableRows pool_rows(const TableSource& from);
TableRows user_rows(const TableSource& from);
TableRows class_rows(const TableSource& from);
TableRows flow_rows(const TableSource& from);
TableRows fallback_rows(const TableSource& from);
TableRows alert_rule_rows(const TableSource& from);

}  // namespace drover::tui
