// Every comparison of a report as a row of CSV.
#pragma once

#include <string>

#include "commands/validate/validation_report.h"

namespace drover::commands {

/// The columns of a case (`drover estimate --cases`; id is the place of the measurement), then
/// answer, value, class, source and remark, so that `drover validate` reads it again, then
/// catalogue_id and predicted. Rates under a power cap are a share of the uncapped rate and have no
/// answer. Moments of logs are no cases and are not among the rows.
std::string validation_rows(const ValidationReport& report);

}  // namespace drover::commands
