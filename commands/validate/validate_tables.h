// Recognises tables of measurements and converts their rows: tables that the user names, and those
// that are built into the program.
#pragma once

#include <optional>
#include <string_view>
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

/// Published figures: the texts of commands/reference/*.csv, which CMake embeds, in order of file
/// name.
///
///   points.csv      cases with their measured figure and source: for each class, source and device
///                   of the measurements used for validation one row, or some evenly spaced ones.
///                   None was chosen by its error. Single figures from sources that allow no
///                   copies.
///   *_step.csv      two boards under a load step: mean watts before and after, and the sensor's
///                   values at the beginning and at the end (yqg9651/cuda_test)
struct ReferenceTable {
  std::string_view file;  // "points.csv"
  std::string_view text;
};
std::vector<ReferenceTable> reference_tables();

/// The rows of all reference tables. An error is a mistake in the program's own files.
Result<MeasuredRows> reference_rows(const devices::Catalogue& catalogue);

/// `own` without the rows that are also in `tables`: the same case, spelled the same, with the same
/// figure.
MeasuredRows without_repeats(MeasuredRows own, const MeasuredRows& tables);

}  // namespace drover::commands
