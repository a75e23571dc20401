// What the cells of a step ask of the surfaces; day.md says how they are written.
#pragma once

#include "tests/operations/look.h"

namespace drover::operations {

/// Those that do not hold: each with its line, its surface, and what was found.
Mismatches unmet(const Step& step, const FleetSnapshot& look, const FleetProcesses& stage);

}  // namespace drover::operations
