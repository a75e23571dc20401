// The figures that the program carries, beside those of tables that a person names.
#pragma once

#include "commands/validate_tables.h"

namespace drover::commands {

/// All of them. A problem is one of the program's own files; the tests read them.
Result<MeasuredRows> reference_rows(const devices::Catalogue& catalogue);

/// What of `own` the tables do not bring as well: the same case in the same words with the same
/// figure.
MeasuredRows without_repeats(MeasuredRows own, const MeasuredRows& tables);

}  // namespace drover::commands
