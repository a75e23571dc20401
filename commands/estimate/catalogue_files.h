// Loads the catalogue, extended by --catalogue and changed by --set.
#pragma once

#include <string>
#include <vector>

#include "commands/shell/options.h"
#include "devices/catalogue/catalogue.h"
#include "fleet/base/result.h"

namespace drover::commands {

/// The embedded specs, extended by every `*.toml` of a folder (in order of names); an empty folder
/// name adds nothing. Reports on standard error which embedded specs are replaced.
Result<devices::Catalogue> load_catalogue(const std::string& folder);

/// The option --set ID.SECTION.KEY=VALUE, which changes a number of a device or a generation.
Option setting_option();
/// Applies the settings in order. The error names the invalid one.
Status apply_settings(devices::Catalogue& catalogue, const std::vector<std::string>& settings);

}  // namespace drover::commands
