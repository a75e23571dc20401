// Which tables of measurements are known, and what their rows become.
#pragma once

#include <string>
#include <vector>

#include "commands/measured.h"
#include "commands/validation_report.h"
#include "fleet/csv.h"

namespace drover::commands {

/// Measurements of any number of tables, and the rows that are none.
struct MeasuredRows {
  std::vector<Measurement> measurements;
  std::vector<LeftOut> left_out;
};

/// A table is known by its columns. Nothing: no kind of table has such columns.
std::optional<MeasuredRows> measured_rows(const CsvTable& table);

/// Cases that carry their own figure: the columns of a case, then `answer` (a column of the
/// estimate), `value`, `class` (as in the report) and `source`.
MeasuredTable measured_points(const CsvTable& table);

/// Published figures that stand in the program itself, as such a table.
std::string_view reference_points();

}  // namespace drover::commands
