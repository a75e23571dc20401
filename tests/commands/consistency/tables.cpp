#include "tests/commands/consistency/tables.h"

#include <algorithm>
#include <cmath>
#include <variant>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "fleet/base/text.h"

namespace drover::commands {

std::string joined(const Ids& ids) { return fmt::format("{}", fmt::join(ids, " ")); }

std::string shown(double number) {
  return std::isnan(number) ? "" : fmt::format("{:.12g}", number);
}

std::string shown(const Json& value) {
  if (value.is_null()) return "";
  if (value.is_number()) return shown(value.number());
  if (value.is_text()) return value.text();
  if (!value.is_array()) return value.dump();
  std::string items;
  for (std::size_t i = 0; i < value.size(); ++i) items += (i > 0 ? " " : "") + value[i].text();
  return items;
}

std::string shown(const tui::TableCell& cell) {
  if (const auto* text = std::get_if<std::string>(&cell)) return *text;
  if (const auto* number = std::get_if<double>(&cell)) return shown(*number);
  if (const auto* yes = std::get_if<bool>(&cell)) return *yes ? "true" : "false";
  if (const auto* list = std::get_if<std::vector<std::string>>(&cell)) {
    return drover::joined(*list, " ");
  }
  return "";
}

/// What surfaces say may change while they still disagree: only `what` tells doubts apart.
void Comparison::same(const std::string& what, const std::string& one,
                      const std::string& other) const {
  if (one == other) return;
  wrong_[fmt::format("S: {} ({} and {})", what, one_, other_)] = {
      may_, fmt::format("'{}' and '{}'", one, other)};
}

void Comparison::same(const std::string& what, double one, double other) const {
  same(what, shown(one), shown(other));
}

void Comparison::near(const std::string& what, double one, double other, double apart) const {
  const bool alike =
      std::isnan(one) == std::isnan(other) && (std::isnan(one) || std::abs(one - other) <= apart);
  if (!alike) same(what, shown(one) + " ", shown(other));
}

void Comparison::same(const std::string& what, const Ids& one, const Ids& other) const {
  for (const std::string& id : one) {
    if (!other.contains(id)) same(fmt::format("{} {}", what, id), "yes", "no");
  }
  for (const std::string& id : other) {
    if (!one.contains(id)) same(fmt::format("{} {}", what, id), "no", "yes");
  }
}

Table::Table(tui::TableRows rows) : rows_(std::move(rows)) {
  for (std::size_t at = 0; at < rows_.names.size(); ++at) places_.emplace(rows_.names[at], at);
}

std::size_t Table::place_of(std::string_view column) const {
  const auto found = places_.find(column);
  DROVER_REQUIRE(found != places_.end());
  return found->second;
}

const tui::TableCell& Table::cell(std::size_t row, std::string_view column) const {
  return rows_.rows[row][place_of(column)];
}

double Table::number(std::size_t row, std::string_view column) const {
  const auto* number = std::get_if<double>(&cell(row, column));
  return number ? *number : absent;
}

std::optional<std::size_t> Table::find(std::string_view column, const std::string& said) const {
  auto known = found_.find(column);
  if (known == found_.end()) {
    known = found_.emplace(std::string(column), std::map<std::string, std::size_t>()).first;
    for (std::size_t row = 0; row < size(); ++row) known->second.emplace(text(row, column), row);
  }
  const auto row = known->second.find(said);
  return row == known->second.end() ? std::nullopt : std::optional(row->second);
}

Ids Table::column(std::string_view name) const {
  Ids ids;
  for (std::size_t row = 0; row < size(); ++row) ids.insert(text(row, name));
  return ids;
}

Tables::Tables(tui::Dashboard& dashboard, Instant now) {
  for (const std::string& name : tui::table_names()) {
    made_.emplace(name, Table(dashboard.table(now, name)));
  }
}

std::vector<std::string> cells_of(std::string_view line) {
  std::vector<std::string> cells;
  while (!line.empty()) {
    const std::size_t from = line.find_first_not_of(' ');
    if (from == std::string_view::npos) break;
    line.remove_prefix(from);
    const std::size_t end = line.find("  ");
    cells.emplace_back(line.substr(0, end));
    line.remove_prefix(end == std::string_view::npos ? line.size() : end);
  }
  return cells;
}

std::vector<std::string> lines_of(const std::string& text) {
  std::vector<std::string> lines = split(text, '\n');
  if (!lines.empty()) lines.erase(lines.begin());
  std::erase(lines, "");
  return lines;
}

}  // namespace drover::commands
