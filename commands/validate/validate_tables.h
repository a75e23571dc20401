// Recognises tables of measurements and converts their rows.
#pragma once

#include <optional>
#include <vector>

#include "commands/validate/measured.h"
#include "commands/validate/validation_report.h"
#include "devices/catalogue/catalogue.h"
#include "fleet/text/csv.h"

namespace drover::commands {

/// Measurements of any number of tables, and the rows that were left out.
struct MeasuredRows {
  std::vector<Measurement> measurements;
  std::vector<Comparison> courses;  // of logs over time, already predicted
  std::vector<LeftOut> left_out;
};

void append(MeasuredRows& rows, MeasuredRows more);

/// Recognises the table by its columns. No value if it is not a known kind of table.
std::optional<MeasuredRows> measured_rows(const CsvTable& table);

/// The temperatures of a log and those that the thermal model predicts for the logged power. No
/// value if the table is not a log.
Result<std::optional<MeasuredRows>> logged_rows(const CsvTable& table,
                                                const devices::Catalogue& catalogue);

/// Converts a table of cases with their figure: the columns of a case, then `answer` (a column of
/// the estimate), `value`, `class` (as in the report), `source` and `remark`. In class power-cap
/// the value is the rate under the row's limit as a share of the rate without it.
MeasuredTable measured_points(const CsvTable& table);

}  // namespace drover::commands
