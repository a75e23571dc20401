// Where each setting in force comes from. Pure.
#pragma once

#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "tui/state/settings.h"

namespace drover::commands {

/// The keys that each source sets; the first source that sets a key wins.
struct SettingSources {
  std::set<std::string> options, variables, file;
  bool no_colour = false;  // $NO_COLOR, which counts where `colours` is auto
};

struct SettingOrigin {
  std::string key;
  std::string value;   // as in the file
  std::string origin;  // "option", "$DROVER_THEME", "file", "default"
};

/// In the order of the file. `in_force`: what the sources give together.
std::vector<SettingOrigin> setting_origins(const tui::Settings& in_force,
                                           const SettingSources& sources);

}  // namespace drover::commands
