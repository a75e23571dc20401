#include "commands/estimate/estimate_table.h"

#include <optional>

#include <fmt/format.h>

#include "devices/estimate/estimate.h"
#include "fleet/base/text.h"

namespace drover::commands {
namespace {

using devices::CaseColumn;
using devices::CaseRow;
using Cells = std::array<std::string, devices::estimate_columns.size()>;

void append_row(std::string& text, const CsvRow& row, std::size_t columns, const Cells& answer) {
  for (std::size_t i = 0; i < columns; ++i) {
    if (i < row.cells.size()) text += csv_cell(row.cells[i]);
    text += ',';
  }
  for (std::size_t i = 0; i < answer.size(); ++i) {
    text += csv_cell(answer[i]);
    text += i + 1 < answer.size() ? ',' : '\n';
  }
}

Cells refusal(const std::string& why) {
  Cells cells;
  cells[devices::estimate_columns.size() - 1] = why;
  return cells;
}

}  // namespace

EstimatedTable estimate_table(const CsvTable& table, const devices::Catalogue& catalogue) {
  EstimatedTable answer;
  std::vector<std::optional<CaseColumn>> columns;
  for (const std::string& name : table.columns) {
    columns.push_back(devices::parse_case_column(trimmed(name)));
    if (!columns.back()) answer.unknown_columns.push_back(name);
    answer.text += csv_cell(name) + ',';
  }
  answer.text += fmt::format("{}\n", fmt::join(devices::estimate_columns, ","));
  devices::CaseReader reader(catalogue);
  for (const CsvRow& row : table.rows) {
    CaseRow cells;
    for (std::size_t i = 0; i < row.cells.size(); ++i) {
      if (columns[i]) cells[*columns[i]] = trimmed(row.cells[i]);
    }
    ++answer.rows;
    const Result<devices::Case> question = reader.read(cells);
    const Result<devices::Estimate> estimate =
        question ? devices::estimate(*question) : Result<devices::Estimate>(question.error());
    if (!estimate) ++answer.failed;
    append_row(answer.text, row, table.columns.size(),
               estimate ? estimate_cells(*estimate)
                        : refusal(fmt::format("{}:{}: {}", table.place, row.line,
                                              estimate.error().message)));
  }
  return answer;
}

}  // namespace drover::commands
