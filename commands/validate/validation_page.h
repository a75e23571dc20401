// The page of `drover validate --html`: one file without scripts, for light and dark screens.
#pragma once

#include <string>

#include "commands/validate/validation_report.h"

namespace drover::commands {

std::string validation_page(const ValidationReport& report);

}  // namespace drover::commands
