// What tables for programs are made of: columns by name, each with what it says of a thing.
#pragma once

#include <cmath>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>

#include "tui/tables/columns.h"
#include "tui/tables/device_facts.h"
#include "tui/views/table_rows.h"

namespace drover::tui {

inline TableCell text_cell(std::string_view said) {
  return said.empty() ? TableCell() : TableCell(std::string(said));
}
inline TableCell number_cell(double value) {
  return std::isnan(value) ? TableCell() : TableCell(value);
}
inline TableCell count_cell(std::uint64_t value) { return static_cast<double>(value); }
inline TableCell time_cell(Instant at) {
  return at == Instant::min() ? TableCell() : text_cell(to_iso8601(at));
}
inline TableCell reason_cell(const std::optional<Reason>& why) {
  return why ? text_cell(to_text(*why)) : TableCell();
}

template <typename Thing>
struct TableColumn {
  std::string_view name;
  TableCell (*cell)(const Judged& at, const Thing& thing);
};

/// The table's head, to which rows are added.
template <typename Thing>
class TableOf {
 public:
  TableOf(const Judged& at, std::span<const TableColumn<Thing>> columns)
      : at_(at), columns_(columns) {
    for (const TableColumn<Thing>& column : columns) table_.names.emplace_back(column.name);
  }
  void add(const Thing& thing) {
    auto& row = table_.rows.emplace_back();
    for (const TableColumn<Thing>& column : columns_) row.push_back(column.cell(at_, thing));
  }
  TableRows take() { return std::move(table_); }

 private:
  const Judged& at_;
  std::span<const TableColumn<Thing>> columns_;
  TableRows table_;
};

/// A moment, and the device that a table is narrowed to.
struct TableSource {
  const Scene& scene;
  const Judged& at;
  std::optional<DeviceId> only;

  const Narrowing& narrowing() const { return scene.choices.narrowing; }
  bool narrowed() const { return only.has_value() || narrowing().active(); }
  bool is_of(std::string_view target) const {
    return !only || has_device(scene.model, target, *only);
  }
};

// Of things, a row each.
TableRows device_rows(const TableSource& from);
TableRows replica_rows(const TableSource& from);
TableRows job_rows(const TableSource& from);
TableRows decision_rows(const TableSource& from);
TableRows event_rows(const TableSource& from);
TableRows host_rows(const TableSource& from);

// Of sums and rules.
TableRows pool_rows(const TableSource& from);
TableRows class_rows(const TableSource& from);
TableRows flow_rows(const TableSource& from);
TableRows fallback_rows(const TableSource& from);
TableRows alert_rule_rows(const TableSource& from);

}  // namespace drover::tui
