#include "commands/dashboard/dashboard_settings.h"

#include <langinfo.h>
#include <locale.h>

#include <cstring>
#include <utility>

#include <fmt/format.h>

#include "commands/connection/filter_option.h"
#include "commands/dashboard/environment_settings.h"
#include "fleet/base/text.h"
#include "fleet/base/units.h"
#include "tui/state/view_id.h"

namespace drover::commands {

namespace {

/// Like tui/terminal/terminal.cpp, but without changing the locale of this process.
bool locale_is_utf8() {
  const locale_t locale = newlocale(LC_ALL_MASK, "", locale_t{});
  if (locale == locale_t{}) return false;  // the locale is not installed: the C locale applies
  const bool utf8 = std::strcmp(nl_langinfo_l(CODESET, locale), "UTF-8") == 0;
  freelocale(locale);
  return utf8;
}

std::optional<std::string> given_name(Arguments& arguments, std::string_view name,
                                      const std::vector<std::string>& known) {
  if (!arguments.has(name)) return {};
  return arguments.one_of(name, known, known.front());
}

/// A view by its name, or by one that it had in an earlier release.
std::optional<std::string> given_view(Arguments& arguments) {
  if (!arguments.has("view")) return {};
  const std::string given = arguments.text("view");
  const std::string present = tui::present_view_name(given);
  if (present != given) return present;
  return given_name(arguments, "view", tui::view_names());
}

std::optional<std::uint64_t> given_history(Arguments& arguments) {
  if (!arguments.has("history")) return {};
  const auto bytes = parse_bytes(arguments.text("history"), "--history");
  if (bytes && *bytes >= tui::history_bytes_min && *bytes <= tui::history_bytes_max) return *bytes;
  arguments.add_problem(bytes ? error("--history: found {}, expected from 1MiB to 64GiB",
                                      excerpt(arguments.text("history")))
                              : bytes.error());
  return {};
}

}  // namespace

tui::Settings CommandLineSettings::over(tui::Settings settings) const {
  settings.start.view = view.value_or(settings.start.view);
  settings.start.filter = filter.value_or(settings.start.filter);
  settings.theme = theme.value_or(settings.theme);
  settings.colours = colours.value_or(settings.colours);
  settings.history = history.value_or(settings.history);
  if (bytes_per_frame) settings.bytes_per_frame = bytes_per_frame;
  if (ascii) settings.ascii = "on";
  if (no_mouse) settings.mouse = "off";
  return settings;
}

std::set<std::string> CommandLineSettings::keys() const {
  std::set<std::string> keys;
  const auto add = [&](bool given, const char* key) {
    if (given) keys.emplace(key);
  };
  add(view.has_value(), "view");
  add(filter.has_value(), "filter");
  add(theme.has_value(), "theme");
  add(colours.has_value(), "colours");
  add(history.has_value(), "history");
  add(bytes_per_frame.has_value(), "bytes_per_frame");
  add(ascii, "ascii");
  add(no_mouse, "mouse");
  return keys;
}

std::vector<Option> appearance_options() {
  return {
      Option::choice("view", "NAME", "view shown at the start: " + joined(tui::view_names(), " "),
                     tui::view_names()),
      {"ascii", "", "no box or block characters (default if the locale is not UTF-8)"},
      Option::choice("theme", "NAME", "the theme: " + joined(tui::theme_names(), " "),
                     tui::theme_names()),
      Option::choice("colours", "N",
                     "colours of the terminal: " + joined(tui::colours_names(), " "),
                     tui::colours_names()),
      {"history", "BYTES",
       "memory for history: half for device metrics, half for looking at the past (default "
       "96MiB)"}};
}

std::vector<Option> settings_options() {
  std::vector<Option> options = appearance_options();
  options.push_back({"no-colour", "", "same as --colours none (also the variable NO_COLOR)"});
  options.push_back({"no-mouse", "", "let the terminal select text with the mouse"});
  options.push_back(
      {"frame-bytes", "N",
       fmt::format("maximum bytes sent to the terminal at once, at least {} (default {} over ssh, "
                   "else no limit)",
                   tui::frame_bytes_min, tui::frame_bytes_remote)});
  options.push_back({"config", "FILE", "settings file (default ~/.config/drover/top.toml)"});
  options.push_back(
      {"no-config", "",
       "do not read a settings file, nor read or keep what you choose on the screen"});
  return options;
}

CommandLineSettings read_command_line_settings(Arguments& arguments) {
  CommandLineSettings given;
  given.view = given_view(arguments);
  given.theme = given_name(arguments, "theme", tui::theme_names());
  given.colours = given_name(arguments, "colours", tui::colours_names());
  if (arguments.has("filter")) given.filter = read_filter(arguments, filter::anything).text();
  given.ascii = arguments.has("ascii");
  given.no_mouse = arguments.has("no-mouse");
  given.history = given_history(arguments);
  if (arguments.has("frame-bytes")) {
    given.bytes_per_frame = static_cast<std::uint64_t>(
        arguments.integer("frame-bytes", tui::frame_bytes_min, 1 << 20, 0));
  }
  if (arguments.has("no-colour")) {
    if (given.colours.value_or("none") != "none") {
      arguments.add_problem(
          error("--no-colour and --colours {} exclude each other", *given.colours));
    }
    given.colours = "none";
  }
  return given;
}

bool use_ascii(const tui::Settings& settings, bool unicode) {
  return settings.ascii == "auto" ? !unicode : settings.ascii == "on";
}

tui::DashboardOptions dashboard_options(const tui::Settings& settings,
                                        const tui::Terminal* terminal, std::string device) {
  tui::DashboardOptions options;
  options.settings = settings;
  options.device = std::move(device);
  options.ascii = use_ascii(settings, terminal == nullptr ? locale_is_utf8() : terminal->unicode());
  options.steady_colours = terminal != nullptr;
  options.first_hint = terminal != nullptr;
  return options;
}

tui::TerminalOptions terminal_options(const tui::Settings& settings) {
  const auto theme = tui::theme_named(settings.theme);
  const auto colours = tui::colours_named(settings.colours);
  DROVER_REQUIRE(theme && colours);
  tui::TerminalOptions options{.colours = *colours,
                               .theme = *theme,
                               .unicode = settings.ascii == "off",
                               .mouse = settings.mouse == "on"};
  if (const auto bytes = settings.bytes_per_frame) {
    options.bytes_per_frame = *bytes == 0 ? tui::frame_bytes_unlimited : *bytes;
  }
  return options;
}

std::string frame_text(const tui::Canvas& canvas, const tui::Settings& settings, bool ansi) {
  if (!ansi) return canvas.to_text();
  const tui::TerminalOptions look = terminal_options(settings);
  return canvas.to_ansi(look.theme,
                        look.colours == tui::Colours::detect ? tui::Colours::many : look.colours);
}

DashboardSettings::DashboardSettings(const CommandLineSettings& given)
    : given_(given), file_(""), settings_(given.over({})) {}

Result<tui::Settings> DashboardSettings::over_file(const tui::Settings& file) const {
  DROVER_ASSIGN(auto settings, with_environment(file, process_environment()));
  return given_.over(std::move(settings));
}

Result<DashboardSettings> DashboardSettings::open(Arguments& arguments) {
  DashboardSettings settings(read_command_line_settings(arguments));
  const bool named = arguments.has("config");
  if (arguments.has("no-config")) {
    if (named) arguments.add_problem(error("--config and --no-config exclude each other"));
    DROVER_ASSIGN(settings.settings_, settings.over_file({}));
    return settings;
  }
  settings.file_ = SettingsFile(arguments.text("config", SettingsFile::default_path()));
  // A file that --save-config will write need not exist.
  if (named && !settings.file_.exists() && !arguments.has("save-config")) {
    return error(ErrorKind::not_found, "--config {}: no such file",
                 printable(settings.file_.path()));
  }
  DROVER_ASSIGN(const auto read, settings.file_.read());
  DROVER_ASSIGN(settings.settings_, settings.over_file(read));
  DROVER_ASSIGN(settings.stated_, settings.file_.keys());
  settings.stated_.merge(environment_keys(process_environment()));
  settings.choices_ = ChoicesFile(ChoicesFile::default_path());
  return settings;
}

void DashboardSettings::apply(const tui::SettingsChange& change, tui::Dashboard& dashboard,
                              tui::Terminal& terminal) {
  // Another theme redraws the whole terminal.
  const bool restyles = change.settings.theme != settings_.theme;
  settings_ = change.settings;
  if (restyles) terminal.restyle(terminal_options(settings_));
  if (!change.save) return;
  const auto path = save(settings_);
  dashboard.say(path ? fmt::format("settings saved: {}", printable(*path))
                     : fmt::format("settings not saved: {}", path.error().message));
}

void DashboardSettings::restore(tui::Dashboard& dashboard) {
  auto found = choices_.read();
  if (stated_.contains("device_columns")) found.choices.device_columns.reset();
  if (stated_.contains("sort")) found.choices.sort.reset();
  dashboard.restore(found.choices);
  choices_.begin(dashboard.choices());
  if (!found.problem.empty()) dashboard.say(found.problem);
}

void DashboardSettings::follow(tui::Dashboard& dashboard, tui::Terminal& terminal, Instant now) {
  if (const std::string problem = choices_.go_on(); !problem.empty()) dashboard.say(problem);
  const auto changed = file_.read_if_changed(wall_now());
  if (!changed) return;
  if (!*changed) {
    return dashboard.say(
        fmt::format("settings file invalid, settings unchanged: {}", changed->error().message));
  }
  // The variables were valid at the start, and do not change.
  settings_ = *over_file(**changed);
  dashboard.apply_settings(now, settings_, use_ascii(settings_, terminal.unicode()));
  terminal.restyle(terminal_options(settings_));
  dashboard.say(fmt::format("settings reloaded: {}", printable(file_.path())));
}

Result<std::string> DashboardSettings::save(const tui::Settings& settings) {
  DROVER_TRY(file_.write(settings));
  settings_ = settings;
  return file_.path();
}

}  // namespace drover::commands
