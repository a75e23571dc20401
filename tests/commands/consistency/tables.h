// What two surfaces say of one thing, held against each other; and the dashboard's tables, by the
// names of their columns.
#pragma once

#include <chrono>
#include <cstddef>
#include <functional>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "fleet/base/time.h"
#include "fleet/text/json.h"
#include "tests/simulator/transient_violations.h"
#include "tui/dashboard.h"
#include "tui/tables/table_rows.h"

namespace drover::commands {

/// What one look of all surfaces has found, before it is known how long it has been so.
using Inconsistencies = std::map<std::string, simulator::TransientViolation>;
using Ids = std::set<std::string>;

/// A message and two commits are under way for less, and samples come once a second.
inline constexpr Duration settles_within = std::chrono::seconds(4);

std::string joined(const Ids& ids);
/// As people would write it: no text for null, twelve digits of a number.
std::string shown(const Json& value);
std::string shown(const tui::TableCell& cell);
std::string shown(double number);

/// Two surfaces, by their names.
class Comparison {
 public:
  Comparison(std::string_view one, std::string_view other, Inconsistencies& wrong,
             Duration may = settles_within)
      : one_(one), other_(other), wrong_(wrong), may_(may) {}

  void same(const std::string& what, const std::string& one, const std::string& other) const;
  void same(const std::string& what, double one, double other) const;
  /// Both known and no further apart, or both unknown.
  void near(const std::string& what, double one, double other, double apart) const;
  /// The same things.
  void same(const std::string& what, const Ids& one, const Ids& other) const;

 private:
  std::string one_, other_;
  Inconsistencies& wrong_;
  Duration may_;
};

/// A table of the dashboard.
class Table {
 public:
  explicit Table(tui::TableRows rows);

  std::size_t size() const { return rows_.rows.size(); }
  const tui::TableRows& rows() const { return rows_; }
  const tui::TableCell& cell(std::size_t row, std::string_view column) const;
  std::string text(std::size_t row, std::string_view column) const {
    return shown(cell(row, column));
  }
  /// Absent where the cell is empty.
  double number(std::size_t row, std::string_view column) const;
  std::optional<std::size_t> find(std::string_view column, const std::string& text) const;
  Ids column(std::string_view name) const;

 private:
  std::size_t place_of(std::string_view column) const;

  tui::TableRows rows_;
  std::map<std::string, std::size_t, std::less<>> places_;  // of columns
  /// Rows by what stands under a column, once somebody has looked for it there.
  mutable std::map<std::string, std::map<std::string, std::size_t>, std::less<>> found_;
};

/// All of one moment, whatever the dashboard is made to show afterwards.
class Tables {
 public:
  Tables(tui::Dashboard& dashboard, Instant now);
  const Table& operator[](const std::string& name) const { return made_.at(name); }

 private:
  std::map<std::string, Table> made_;
};

/// The cells of a printed table's line: two blanks and more stand between them.
std::vector<std::string> cells_of(std::string_view line);
/// The lines of a printed table, without its headings.
std::vector<std::string> lines_of(const std::string& text);

}  // namespace drover::commands
