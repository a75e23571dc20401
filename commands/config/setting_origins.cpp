#include "commands/config/setting_origins.h"

#include "commands/dashboard/environment_settings.h"

namespace drover::commands {

std::vector<SettingOrigin> setting_origins(const tui::Settings& in_force,
                                           const SettingSources& sources) {
  std::vector<SettingOrigin> origins;
  for (const tui::SettingText& setting : tui::setting_texts(in_force)) {
    SettingOrigin row{std::string(setting.key), setting.value, "default"};
    if (sources.options.contains(row.key)) {
      row.origin = "option";
    } else if (sources.variables.contains(row.key)) {
      row.origin = "$" + variable_of(row.key);
    } else if (sources.file.contains(row.key)) {
      row.origin = "file";
    }
    if (row.key == "colours" && in_force.colours == "auto" && sources.no_colour) {
      row.value = "\"none\"";
      row.origin = "$NO_COLOR";
    }
    origins.push_back(std::move(row));
  }
  return origins;
}

}  // namespace drover::commands
