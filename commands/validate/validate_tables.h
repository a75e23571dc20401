// Which tables of measurements are known, and what their rows become.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "commands/validate/measured.h"
#include "commands/validate/validation_report.h"
#include "devices/catalogue/catalogue.h"
#include "fleet/text/csv.h"

namespace drover::commands {

/// Measurements of any number of tables, and the rows that are none.
struct MeasuredRows {
  std::vector<Measurement> measurements;
  std::vector<Comparison> courses;  // logs over time, already answered moment by moment
  std::vector<LeftOut> left_out;
};

void append(MeasuredRows& rows, MeasuredRows more);

/// A table is known by its columns. Nothing: no kind of table has such columns.
std::optional<MeasuredRows> measured_rows(const CsvTable& table);

/// Temperatures of a log beside those of the heat model for the logged power. Nothing: no log.
Result<std::optional<MeasuredRows>> logged_rows(const CsvTable& table,
                                                const devices::Catalogue& catalogue);

/// Cases that carry their own figure: the columns of a case, then `answer` (a column of the
/// estimate), `value`, `class` (as in the report), `source` and `remark`. In class power-cap the
/// value is the rate under the row's limit as a share of the rate without.
MeasuredTable measured_points(const CsvTable& table);

}  // namespace drover::commands
