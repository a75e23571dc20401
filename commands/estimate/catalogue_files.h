// The catalogue as --catalogue extends it and --set changes it.
#pragma once

#include <string>
#include <vector>

#include "commands/shell/options.h"
#include "devices/catalogue/catalogue.h"
#include "fleet/base/result.h"

namespace drover::commands {

/// The embedded specs, extended by every `*.toml` of a folder (in order of names); an empty folder
/// name adds nothing. Says on standard error which embedded ones are replaced.
Result<devices::Catalogue> load_catalogue(const std::string& folder);

/// --set ID.SECTION.KEY=VALUE, which may be repeated: another number for a device or a generation.
Option setting_option();
/// Each applied in order. The error names the setting that is none.
Status apply_settings(devices::Catalogue& catalogue, const std::vector<std::string>& settings);

}  // namespace drover::commands
