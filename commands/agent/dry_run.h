// `drover agent --real --dry-run`: what is found on this machine, and why each missing metric is
// missing.
#pragma once

#include "commands/shell/outcome.h"
#include "devices/catalogue/catalogue.h"

namespace drover::commands {

/// Prints as text, or as JSON. Not found: no device.
CommandOutcome print_found_devices(const devices::Catalogue& catalogue, bool json);

}  // namespace drover::commands
