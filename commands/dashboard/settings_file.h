// The dashboard's settings on disk: found, read, written whole or not at all, and read again when
// the file changes. What may stand in it: tui/state/settings.h.
#pragma once

#include <sys/stat.h>

#include <optional>
#include <string>

#include "commands/shell/clock.h"
#include "fleet/base/result.h"
#include "tui/state/settings.h"

namespace drover::commands {

class SettingsFile {
 public:
  /// $XDG_CONFIG_HOME/drover/top.toml, else ~/.config/drover/top.toml; empty where there is no
  /// home.
  static std::string usual_path();

  /// An empty path: there is no file, and nothing changes.
  explicit SettingsFile(std::string path) : path_(std::move(path)) {}

  const std::string& path() const { return path_; }
  bool exists() const;
  /// The defaults where there is no file.
  Result<tui::Settings> read();
  /// Looks at the file at most once a second: its settings, or what is wrong with them, when it has
  /// changed since it was last read or looked at. A file that went away has not changed: it may be
  /// about to be replaced.
  std::optional<Result<tui::Settings>> read_again(Wall now);
  /// Under another name first, then in one step in its place; only this user can read it. Folders
  /// that are absent are made. Where the path is a link, what it leads to is replaced.
  Status write(const tui::Settings& settings);

 private:
  /// By what a change is noticed.
  struct Mark {
    dev_t device = 0;
    ino_t inode = 0;
    off_t size = 0;
    timespec changed{};
    bool operator==(const Mark& other) const;
  };
  std::optional<Mark> mark() const;

  std::string path_;
  std::optional<Mark> read_;  // of the file as it was last read; none: there was none
  Wall looked_{0};
};

}  // namespace drover::commands
