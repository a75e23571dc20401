// Writes every comparison of a report as a row of CSV.
#pragma once

#include <string>

#include "commands/validate/validation_report.h"

namespace drover::commands {

/// The columns of a case (`drover estimate --cases`; id is the location of the measurement), then
/// answer, value, class, source and remark, so that `drover validate` can read the file, then
/// catalogue_id and predicted. Rates under a power cap are a share of the uncapped rate; ratios of
/// times have no answer. Points of logs are not cases and are not included.
std::string validation_rows(const ValidationReport& report);

}  // namespace drover::commands
