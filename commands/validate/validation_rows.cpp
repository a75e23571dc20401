#include "commands/validate/validation_rows.h"

#include <fmt/format.h>

#include "fleet/text/csv.h"

namespace drover::commands {

std::string validation_rows(const ValidationReport& report) {
  std::string text;
  for (std::size_t i = 0; i < devices::case_column_count; ++i) {
    text += fmt::format("{},", to_text(static_cast<devices::CaseColumn>(i)));
  }
  text += "answer,value,class,source,remark,catalogue_id,predicted\n";
  for (const Comparison& comparison : report.comparisons) {
    devices::CaseRow row = comparison.row;
    if (row[devices::CaseColumn::kind].empty()) continue;
    row[devices::CaseColumn::id] = comparison.location;
    for (const std::string& cell : row.cells) text += csv_cell(cell) + ",";
    text += fmt::format("{},{},{},{},{},{},{}\n", comparison.answer, comparison.measured,
                        comparison.class_id, csv_cell(comparison.source),
                        csv_cell(comparison.remark), comparison.device, comparison.predicted);
  }
  return text;
}

}  // namespace drover::commands
