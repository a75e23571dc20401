// The figures that the program carries, beside those of tables that a person names.
#pragma once

#include <string_view>
#include <vector>

#include "commands/validate/validate_tables.h"

namespace drover::commands {

/// Published figures that stand in the program itself: the texts of commands/reference/*.csv as
/// CMake wrote them into it, in order of file name.
///
///   points.csv      cases with the figure that was measured, each with its source: of each class,
///                   source and device of the measurements that the models were held against one
///                   row, or some evenly spaced ones; none was chosen by how well it is met. Of
///                   sources that allow no copies single figures.
///   *_step.csv      two boards that are loaded: mean watts before and after, and what their
///                   sensor showed at the beginning and at the end (yqg9651/cuda_test)
struct ReferenceTable {
  std::string_view file;  // "points.csv"
  std::string_view text;
};
std::vector<ReferenceTable> reference_tables();

/// All of them. A problem is one of the program's own files; the tests read them.
Result<MeasuredRows> reference_rows(const devices::Catalogue& catalogue);

/// What of `own` the tables do not bring as well: the same case in the same words with the same
/// figure.
MeasuredRows without_repeats(MeasuredRows own, const MeasuredRows& tables);

}  // namespace drover::commands
