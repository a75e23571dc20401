#include "commands/dashboard/dashboard_settings.h"

#include <langinfo.h>
#include <locale.h>

#include <cstring>
#include <utility>

#include <fmt/format.h>

#include "commands/connection/filter_option.h"
#include "fleet/base/text.h"
#include "fleet/base/units.h"
#include "tui/state/view_table.h"

namespace drover::commands {

namespace {

// Below, not even a small fleet has a past; above, someone slipped (as in
// tui/state/settings_table.cpp).
constexpr std::uint64_t history_bytes_least = 1u << 20;
constexpr std::uint64_t history_bytes_most = 64ull << 30;

/// As a terminal would be asked (tui/terminal/terminal.cpp), without changing this process's
/// locale.
bool locale_is_utf8() {
  const locale_t locale = newlocale(LC_ALL_MASK, "", locale_t{});
  if (locale == locale_t{}) return false;  // one that is not installed: the C locale then
  const bool utf8 = std::strcmp(nl_langinfo_l(CODESET, locale), "UTF-8") == 0;
  freelocale(locale);
  return utf8;
}

std::string listed(const std::vector<std::string>& names) {
  return fmt::format("{}", fmt::join(names, " "));
}

std::optional<std::string> given_name(Arguments& arguments, std::string_view name,
                                      const std::vector<std::string>& known) {
  if (!arguments.has(name)) return {};
  return arguments.one_of(name, known, known.front());
}

std::optional<std::uint64_t> given_history(Arguments& arguments) {
  if (!arguments.has("history")) return {};
  const auto bytes = parse_bytes(arguments.text("history"), "--history");
  if (bytes && *bytes >= history_bytes_least && *bytes <= history_bytes_most) return *bytes;
  arguments.complain(bytes ? error("--history: found {}, expected from 1MiB to 64GiB",
                                   excerpt(arguments.text("history")))
                           : bytes.error());
  return {};
}

}  // namespace

tui::Settings GivenSettings::over(tui::Settings settings) const {
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

std::vector<Option> look_options() {
  return {{"view", "NAME", "where to start: " + listed(tui::view_names())},
          {"ascii", "", "no box or block characters (so does a locale that is not UTF-8)"},
          {"theme", "NAME", "how it looks: " + listed(tui::theme_names())},
          {"colours", "N", "how many colours the terminal has: " + listed(tui::colours_names())},
          {"history", "BYTES",
           "what it may remember of devices, and to go back in time: half each (default 96MiB)"}};
}

std::vector<Option> settings_options() {
  std::vector<Option> options = look_options();
  options.push_back({"no-colour", "", "--colours none (so does the variable NO_COLOR)"});
  options.push_back(
      {"no-mouse", "", "leave the mouse to the terminal, which selects text with it"});
  options.push_back(
      {"frame-bytes", "N",
       fmt::format("at most at once to the terminal, from {} (default {} over ssh, else no limit)",
                   tui::frame_bytes_min, tui::frame_bytes_remote)});
  options.push_back({"config", "FILE", "settings (default ~/.config/drover/top.toml)"});
  options.push_back({"no-config", "", "no file of settings"});
  return options;
}

GivenSettings read_given(Arguments& arguments) {
  GivenSettings given;
  given.view = given_name(arguments, "view", tui::view_names());
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
      arguments.complain(error("--no-colour and --colours {}: give one of them", *given.colours));
    }
    given.colours = "none";
  }
  return given;
}

bool wants_ascii(const tui::Settings& settings, bool unicode) {
  return settings.ascii == "auto" ? !unicode : settings.ascii == "on";
}

bool wants_ascii(const tui::Settings& settings) { return wants_ascii(settings, locale_is_utf8()); }

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

DashboardSettings::DashboardSettings(const GivenSettings& given)
    : given_(given), file_(""), settings_(given.over({})) {}

Result<DashboardSettings> DashboardSettings::open(Arguments& arguments) {
  DashboardSettings settings(read_given(arguments));
  const bool named = arguments.has("config");
  if (arguments.has("no-config")) {
    if (named) arguments.complain(error("--config and --no-config: give one of them"));
    return settings;
  }
  settings.file_ = SettingsFile(arguments.text("config", SettingsFile::usual_path()));
  // A file that is about to be written need not be there.
  if (named && !settings.file_.exists() && !arguments.has("save-config")) {
    return error("--config {}: no such file", printable(settings.file_.path()));
  }
  const auto read = settings.file_.read();
  if (!read) return read.error();
  settings.settings_ = settings.given_.over(*read);
  return settings;
}

void DashboardSettings::fulfil(const tui::SettingsWish& wish, tui::Dashboard& dashboard,
                               tui::Terminal& terminal) {
  // A terminal of another style is painted afresh.
  const bool restyles = wish.settings.theme != settings_.theme;
  settings_ = wish.settings;
  if (restyles) terminal.restyle(terminal_options(settings_));
  if (!wish.save) return;
  const auto path = save(settings_);
  dashboard.say(path ? fmt::format("settings saved: {}", printable(*path))
                     : fmt::format("settings not saved: {}", path.error().message));
}

void DashboardSettings::follow(tui::Dashboard& dashboard, tui::Terminal& terminal, Instant now) {
  if (const auto wish = dashboard.take_settings_wish()) fulfil(*wish, dashboard, terminal);
  const auto changed = file_.read_again(wall_now());
  if (!changed) return;
  if (!*changed) {
    return dashboard.say(fmt::format("settings stay as they were: {}", changed->error().message));
  }
  settings_ = given_.over(**changed);
  dashboard.adopt(now, settings_, wants_ascii(settings_, terminal.unicode()));
  terminal.restyle(terminal_options(settings_));
  dashboard.say(fmt::format("settings read again: {}", printable(file_.path())));
}

Result<std::string> DashboardSettings::save(const tui::Settings& settings) {
  if (const Status written = file_.write(settings); !written) return written.error();
  settings_ = settings;
  return file_.path();
}

}  // namespace drover::commands
