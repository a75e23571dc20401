// Settings of the dashboard from variables of the environment: $DROVER_THEME is the setting
// `theme`. They override the settings file, and options override them.
#pragma once

#include <functional>
#include <set>
#include <string>
#include <string_view>

#include "fleet/base/result.h"
#include "tui/state/settings.h"

namespace drover::commands {

/// "DROVER_THEME" of the setting "theme".
std::string variable_of(std::string_view setting);

/// The value of a variable; null if it is not set. std::getenv, or a test's.
using Environment = std::function<const char*(const char* name)>;
Environment process_environment();

/// The keys of settings with a variable that is set and not empty.
std::set<std::string> environment_keys(const Environment& environment);
/// The settings with those of the environment over them. The error names the variable. The names of
/// a list, such as columns, have blanks between them.
Result<tui::Settings> with_environment(tui::Settings settings, const Environment& environment);

}  // namespace drover::commands
