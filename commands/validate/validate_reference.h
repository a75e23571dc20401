// The figures that are built into the program, used besides the tables that the user names.
#pragma once

#include <string_view>
#include <vector>

#include "commands/validate/validate_tables.h"

namespace drover::commands {

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
