// `drover config`: the dashboard's settings file, and where each setting in force comes from.
#include <cstdlib>

#include "commands/config/setting_origins.h"
#include "commands/connection/router_address.h"
#include "commands/dashboard/dashboard_settings.h"
#include "commands/dashboard/environment_settings.h"
#include "commands/shell/output.h"
#include "commands/shell/table.h"
#include "commands/subcommands.h"
#include "fleet/base/text.h"
#include "fleet/text/json.h"
#include "fleet/text/toml.h"

namespace drover::commands {

namespace {

Result<SettingsFile> settings_file(const Arguments& arguments) {
  SettingsFile file(arguments.text("config", SettingsFile::default_path()));
  if (!file.path().empty()) return file;
  return error(ErrorKind::not_found,
               "no HOME to keep settings in: name a file with --config, or set HOME");
}

/// All settings, each explained and behind a #: a default that changes in a later version also
/// changes for who has not chosen.
std::string starting_text() {
  std::string text = "# Remove the # before a setting that you change.\n";
  for (const std::string& line : split(tui::annotated_settings(tui::Settings()), '\n')) {
    if (line.starts_with("# default:")) continue;
    const bool is_setting = !line.empty() && !line.starts_with('#');
    text += fmt::format("{}{}\n", is_setting ? "#" : "", line);
  }
  return text;
}

CommandOutcome init_file(const Arguments& arguments) {
  DROVER_ASSIGN(auto file, settings_file(arguments));
  if (file.exists() && !arguments.has("force")) {
    return error(ErrorKind::refused, "{} already exists; use --force to replace it",
                 printable(file.path()));
  }
  DROVER_TRY(file.write_text(starting_text()));
  write_stdout("{}\n", printable(file.path()));
  return CommandOutcome::done();
}

CommandOutcome check_file(const Arguments& arguments) {
  DROVER_ASSIGN(auto file, settings_file(arguments));
  const std::string path = printable(file.path());
  if (!file.exists()) {
    if (arguments.has("config")) return error(ErrorKind::not_found, "{}: no such file", path);
    write_stdout("{}: no file, the defaults apply\n", path);
    return CommandOutcome::done();
  }
  DROVER_TRY(file.read());
  write_stdout("{}: valid\n", path);
  return CommandOutcome::done();
}

/// The router's address has no place in the file.
SettingOrigin address_origin(const Arguments& arguments, const char* name, const char* variable,
                             const std::string& value) {
  const char* set = std::getenv(variable);
  const bool from_variable = set != nullptr && *set != 0;
  return {name, toml_file::quoted(value),
          arguments.has(name) ? "option"
          : from_variable     ? fmt::format("${}", variable)
                              : "default"};
}

CommandOutcome print_settings(Arguments& arguments) {
  DROVER_ASSIGN(const auto settings, DashboardSettings::open(arguments));
  const CommandLineSettings given = read_command_line_settings(arguments);
  DROVER_TRY(arguments.status());
  const char* no_colour = std::getenv("NO_COLOR");
  SettingSources sources{given.keys(),
                         environment_keys(process_environment()),
                         {},
                         no_colour != nullptr && *no_colour != 0};
  const SettingsFile file(arguments.text("config", SettingsFile::default_path()));
  if (!arguments.has("no-config")) {
    DROVER_ASSIGN(sources.file, file.keys());
  }
  const RouterAddress address = endpoint_of(arguments);
  std::vector<SettingOrigin> origins = {
      address_origin(arguments, "connect", "DROVER_CONNECT", address.endpoint),
      address_origin(arguments, "keys", "DROVER_KEYS", address.keys)};
  for (SettingOrigin& each : setting_origins(settings.in_force(), sources)) {
    origins.push_back(std::move(each));
  }
  if (arguments.has("json")) {
    Json list = Json::array();
    for (const SettingOrigin& each : origins) {
      list.add(Json::object()
                   .set("setting", each.key)
                   .set("value", each.value)
                   .set("from", each.origin));
    }
    write_stdout("{}\n", list.dump());
    return CommandOutcome::done();
  }
  std::vector<std::vector<std::string>> rows;
  for (const SettingOrigin& each : origins) {
    const bool from_file = each.origin == "file";
    rows.push_back({each.key, each.value, from_file ? file.path() : each.origin});
  }
  write_stdout_text(table_text({"SETTING", "VALUE", "FROM"}, rows));
  return CommandOutcome::done();
}

}  // namespace

CommandUsage config_usage() {
  CommandUsage usage{
      "usage: drover config init|print|check|path [options]",
      "The settings of drover top, drover watch and drover demo.\n"
      "init: writes a settings file with all settings, each explained and commented out; keeps an "
      "existing file.\n"
      "print: prints all settings in force, and where each comes from. An option overrides a "
      "variable of the environment, which overrides the file, which overrides the default. The "
      "variable of the setting theme is DROVER_THEME, and so on.\n"
      "check: checks the file; an error names file and line.\n"
      "path: prints where the file is.",
      {{"force", "", "init: replace an existing file"},
       {"json", "", "print: a JSON array on stdout"},
       connect_option()},
      {"ACTION"},
      "  drover config init\n"
      "  drover config print --theme light\n"
      "  DROVER_THEME=light drover config print\n"
      "  drover config check --config my.toml\n"
      "  ${EDITOR:-vi} \"$(drover config path)\""};
  usage.add(settings_options());
  return usage;
}

CommandOutcome run_config(Arguments& arguments) {
  const std::string action = arguments.text("ACTION");
  if (action == "init") return init_file(arguments);
  if (action == "print") return print_settings(arguments);
  if (action == "check") return check_file(arguments);
  if (action == "path") {
    DROVER_ASSIGN(const auto file, settings_file(arguments));
    write_stdout("{}\n", printable(file.path()));
    return CommandOutcome::done();
  }
  if (action.empty()) return error("ACTION is required; {}", config_usage().synopsis);
  return error("unknown action '{}'{}", excerpt(action),
               suggestion(action, {"init", "print", "check", "path"}));
}

}  // namespace drover::commands
