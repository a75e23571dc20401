// What `drover validate --html` writes: one page without script or outside files, for light and
// dark screens.
#pragma once

#include <string>

#include "commands/validate/validation_report.h"

namespace drover::commands {

std::string validation_page(const ValidationReport& report);

}  // namespace drover::commands
