// The settings of a dashboard: those of the file, overridden by the environment and then by the
// command line, also after the file has changed. And what the user chose on the screen in earlier
// runs, which all of these override.
#pragma once

#include <cstdint>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "commands/dashboard/choices_file.h"
#include "commands/dashboard/settings_file.h"
#include "commands/shell/options.h"
#include "tui/dashboard.h"
#include "tui/terminal/terminal.h"

namespace drover::commands {

/// The settings given on the command line.
struct CommandLineSettings {
  std::optional<std::string> view, theme, colours, filter;
  std::optional<std::uint64_t> history, bytes_per_frame;
  bool ascii = false, no_mouse = false;

  tui::Settings over(tui::Settings settings) const;
  /// The keys of the settings that are given.
  std::set<std::string> keys() const;
};

/// `--view`, `--ascii`, `--theme`, `--colours`, `--history`.
std::vector<Option> appearance_options();
/// The same and `--no-colour`, `--no-mouse`, `--frame-bytes`, `--config`, `--no-config`, for
/// commands with a terminal.
std::vector<Option> settings_options();
CommandLineSettings read_command_line_settings(Arguments& arguments);

/// Whether to draw without box and block characters. `unicode`: the terminal is UTF-8.
bool use_ascii(const tui::Settings& settings, bool unicode);
/// The options of a dashboard with these settings. `terminal`: null without one; then the locale
/// decides about characters. `device`: "host/3", or empty.
tui::DashboardOptions dashboard_options(const tui::Settings& settings,
                                        const tui::Terminal* terminal, std::string device = {});
tui::TerminalOptions terminal_options(const tui::Settings& settings);
/// A frame as text. `ansi`: with the colours of the settings; `auto` means all colours.
std::string frame_text(const tui::Canvas& canvas, const tui::Settings& settings, bool ansi);

class DashboardSettings {
 public:
  /// Reads the command line, the environment and the file of `--config`. Adds a problem for options
  /// that do not go together; the error is about the file.
  static Result<DashboardSettings> open(Arguments& arguments);
  /// Without a file and the environment: the defaults and the command line.
  explicit DashboardSettings(const CommandLineSettings& given);

  const tui::Settings& in_force() const { return settings_; }

  /// Follows a change by the user and, if asked, saves it; the dashboard shows the path.
  void apply(const tui::SettingsChange& change, tui::Dashboard& dashboard, tui::Terminal& terminal);
  /// Checks the file at most once a second and applies it if it has changed. If it is invalid, the
  /// dashboard shows why, and the settings stay. `now` is the dashboard's time. Writes what is to
  /// be kept.
  void follow(tui::Dashboard& dashboard, tui::Terminal& terminal, Instant now);
  /// Shows what was chosen in earlier runs, except for what a setting states. If that cannot be
  /// read, the dashboard says why. Call it once, before the first key.
  void restore(tui::Dashboard& dashboard);
  /// Keeps what the user chose; `follow` writes it.
  void keep(tui::Choices choices) { choices_.keep(std::move(choices)); }
  /// Writes what the user chose at the end. Returns why that is not possible; else nothing.
  std::string finish(const tui::Dashboard& dashboard) {
    return choices_.finish(dashboard.choices());
  }
  /// Writes these settings to the file and returns its path.
  Result<std::string> save(const tui::Settings& settings);

 private:
  /// The settings of a file, with those of environment and command line over them.
  Result<tui::Settings> over_file(const tui::Settings& file) const;

  CommandLineSettings given_;
  SettingsFile file_;
  ChoicesFile choices_{""};
  std::set<std::string> stated_;  // settings that the file, a variable or an option states
  tui::Settings settings_;
};

}  // namespace drover::commands
