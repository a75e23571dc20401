#include "commands/query/table_output.h"

#include <algorithm>
#include <array>
#include <variant>

#include <fmt/format.h>

#include "commands/shell/json_null.h"
#include "fleet/base/text.h"
#include "fleet/base/units.h"
#include "fleet/text/csv.h"
#include "tui/tables/device_columns.h"
#include "tui/tables/log_entry.h"

namespace drover::commands {
namespace {

struct JsonCell {
  Json operator()(std::monostate) const { return {}; }
  Json operator()(bool yes) const { return yes; }
  Json operator()(double number) const { return number_or_null(number); }
  Json operator()(const std::string& text) const { return text; }
  Json operator()(const std::vector<std::string>& list) const {
    Json array = Json::array();
    for (const std::string& item : list) array.add(item);
    return array;
  }
};

struct CsvCell {
  std::string operator()(std::monostate) const { return {}; }
  std::string operator()(bool yes) const { return yes ? "true" : "false"; }
  std::string operator()(double number) const { return digits_text(number); }
  std::string operator()(const std::string& text) const { return csv_cell(printable(text)); }
  std::string operator()(const std::vector<std::string>& list) const {
    return csv_cell(printable(joined(list, " ")));
  }
};

/// A text that begins so is a formula in spreadsheets (OWASP, "CSV Injection").
bool looks_like_formula(std::string_view text) {
  return !text.empty() && std::string_view("=+-@\t\r").find(text.front()) != std::string_view::npos;
}

struct SpreadsheetCell : CsvCell {
  using CsvCell::operator();
  std::string operator()(const std::string& text) const {
    return CsvCell::operator()(looks_like_formula(text) ? "'" + text : text);
  }
  std::string operator()(const std::vector<std::string>& list) const {
    return (*this)(joined(list, " "));
  }
};

template <typename CellText>
std::string csv_of(const tui::TableRows& table) {
  std::string lines;
  const auto add = [&](const auto& cells, auto&& text_of) {
    for (std::size_t i = 0; i < cells.size(); ++i) {
      lines += (i == 0 ? "" : ",") + text_of(cells[i]);
    }
    lines += '\n';
  };
  add(table.names, csv_cell);
  for (const auto& row : table.rows) {
    add(row, [](const tui::TableCell& cell) { return std::visit(CellText{}, cell); });
  }
  return lines;
}

std::string_view group_of(std::string_view name) {
  const std::size_t dot = name.find('.');
  return dot == std::string_view::npos ? std::string_view() : name.substr(0, dot);
}

// In this order.
constexpr std::array<std::string_view, 12> shown_columns = {"DEVICE", "KIND",   "STATE",  "AGE",
                                                            "UTIL",   "TENSOR", "MEMORY", "POWER",
                                                            "TEMP",   "MHz",    "RUN",    "MODEL"};

const tui::DeviceColumn& column_named(std::string_view title) {
  const auto columns = tui::device_columns();
  const auto found = std::ranges::find(columns, title, &tui::DeviceColumn::title);
  DROVER_REQUIRE(found != columns.end());
  return *found;
}

}  // namespace

Json row_to_json(const tui::TableRows& table, std::size_t row) {
  const auto& cells = table.rows[row];
  Json object = Json::object();
  for (std::size_t i = 0; i < cells.size();) {
    const std::string_view group = group_of(table.names[i]);
    if (group.empty()) {
      object.set(table.names[i], std::visit(JsonCell{}, cells[i]));
      ++i;
      continue;
    }
    Json members = Json::object();
    bool known = false;
    for (; i < cells.size() && group_of(table.names[i]) == group; ++i) {
      known = known || !std::holds_alternative<std::monostate>(cells[i]);
      members.set(table.names[i].substr(group.size() + 1), std::visit(JsonCell{}, cells[i]));
    }
    object.set(std::string(group), when(known, std::move(members)));
  }
  return object;
}

Json to_json(const tui::TableRows& table) {
  Json array = Json::array();
  for (std::size_t row = 0; row < table.rows.size(); ++row) array.add(row_to_json(table, row));
  return array;
}

std::string to_csv(const tui::TableRows& table) { return csv_of<CsvCell>(table); }

std::string to_spreadsheet_csv(const tui::TableRows& table) {
  return csv_of<SpreadsheetCell>(table);
}

Json to_json(const JobChanged& job, Instant now) {
  static const tui::Model no_fleet(std::chrono::seconds(1));
  static const tui::JobsByDevice no_jobs;
  return row_to_json(tui::job_rows({no_fleet, now, no_jobs}, {&job, 1}), 0);
}

std::vector<Heading> device_headings(bool in_parts) {
  std::vector<Heading> headings;
  for (const std::string_view title : shown_columns) {
    const tui::DeviceColumn& column = column_named(title);
    const std::string unit = column.unit.empty() ? "" : fmt::format(" ({})", column.unit);
    headings.push_back({std::string(title) + unit,
                        column.align == tui::Align::right ? Align::right : Align::left,
                        in_parts ? static_cast<std::size_t>(column.width) : 0, title == "STATE"});
  }
  return headings;
}

std::vector<std::string> device_cells(const tui::EvaluationContext& at, tui::DeviceTable::Row row) {
  std::vector<std::string> cells;
  for (const std::string_view title : shown_columns) {
    cells.push_back(column_named(title).text(at, row));
  }
  return cells;
}

std::string alerts_text(const tui::Model& model, Instant now, const TableStyle& style) {
  std::vector<std::vector<std::string>> cells;
  for (const tui::LogEntry& alert : tui::raised_alerts(model)) {
    cells.push_back({std::string(to_text(alert.severity)), alert.rule, alert.subject,
                     duration_text(to_seconds(now - alert.at)),
                     alert.acknowledged_by.empty() ? "-" : alert.acknowledged_by, alert.text});
  }
  if (cells.empty()) return "no alerts\n";
  return table_text({state_heading("SEVERITY"), "RULE", "SUBJECT", right_aligned("RAISED FOR"),
                     "ACKNOWLEDGED BY", "TEXT"},
                    cells, style);
}

std::string rules_text(const tui::Model& model, const TableStyle& style) {
  const auto span = [](Duration duration) {
    return duration == Duration{0} ? "at once" : duration_text(to_seconds(duration));
  };
  std::vector<std::vector<std::string>> cells;
  for (const tui::LogEntry& entry : tui::alert_rules(model)) {
    const AlertRuleText& rule = *tui::rule_named(model, entry.rule);
    cells.push_back({rule.name, std::string(to_text(rule.severity)), rule.about,
                     span(rule.raise_after), span(rule.clear_after), rule.when,
                     rule.clear.empty() ? "-" : rule.clear});
  }
  return table_text({"RULE", state_heading("SEVERITY"), "SUBJECT", right_aligned("RAISED AFTER"),
                     right_aligned("CLEARED AFTER"), "RAISED WHEN", "CLEARED WHEN"},
                    cells, style);
}

}  // namespace drover::commands
