// The catalogue as --catalogue extends it.
#pragma once

#include <string>

#include "devices/catalogue.h"
#include "fleet/result.h"

namespace drover::commands {

/// The embedded specs, extended by every `*.toml` of a folder (in order of names); an empty folder
/// name adds nothing. Says on standard error which embedded ones are replaced.
Result<devices::Catalogue> load_catalogue(const std::string& folder);

}  // namespace drover::commands
