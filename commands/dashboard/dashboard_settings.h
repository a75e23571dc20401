// The settings that a dashboard goes by: those of the file, and over them what the command line
// says, also after the file has changed.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "commands/dashboard/settings_file.h"
#include "commands/shell/options.h"
#include "tui/dashboard.h"
#include "tui/terminal/terminal.h"

namespace drover::commands {

/// What the command line says of how the dashboard starts and looks.
struct GivenSettings {
  std::optional<std::string> view, theme, colours, filter;
  std::optional<std::uint64_t> history, bytes_per_frame;
  bool ascii = false, no_mouse = false;

  tui::Settings over(tui::Settings settings) const;
};

/// `--view`, `--ascii`, `--theme`, `--colours`, `--history`.
std::vector<Option> look_options();
/// The same and `--no-colour`, `--no-mouse`, `--frame-bytes`, `--config`, `--no-config`: of verbs
/// with a terminal.
std::vector<Option> settings_options();
GivenSettings read_given(Arguments& arguments);

/// Whether box and block characters are left out where the locale, or the terminal, is UTF-8 or
/// not.
bool wants_ascii(const tui::Settings& settings, bool unicode);
/// The same where the locale is not asked through a terminal.
bool wants_ascii(const tui::Settings& settings);
tui::TerminalOptions terminal_options(const tui::Settings& settings);
/// A frame as text; `ansi`: in the colours of the settings, all of them where that is `auto`.
std::string frame_text(const tui::Canvas& canvas, const tui::Settings& settings, bool ansi);

class DashboardSettings {
 public:
  /// `--config`, `--no-config` and what is given beside them. Complains to the arguments about what
  /// does not go together; the error is about the file.
  static Result<DashboardSettings> open(Arguments& arguments);
  /// No file: the defaults, and what is given.
  explicit DashboardSettings(const GivenSettings& given);

  const tui::Settings& in_force() const { return settings_; }

  /// Goes by what the person has changed, and saves it where they ask; the dashboard says where to.
  /// Reads the file again when it has changed, and has dashboard and terminal go by it; of a file
  /// that is wrong they say why, and go on as they were. Looks at most once a second; `now` is the
  /// dashboard's.
  void follow(tui::Dashboard& dashboard, tui::Terminal& terminal, Instant now);
  /// Writes these settings to the file; answers its path.
  Result<std::string> save(const tui::Settings& settings);

 private:
  void fulfil(const tui::SettingsWish& wish, tui::Dashboard& dashboard, tui::Terminal& terminal);

  GivenSettings given_;
  SettingsFile file_;
  tui::Settings settings_;
};

}  // namespace drover::commands
