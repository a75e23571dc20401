// The dashboard's settings file: reads it, writes it atomically, and reads it again when it
// changes. Its content: tui/state/settings.h.
#pragma once

#include <sys/stat.h>

#include <optional>
#include <set>
#include <string>

#include "commands/shell/clock.h"
#include "fleet/base/result.h"
#include "tui/state/settings.h"

namespace drover::commands {

class SettingsFile {
 public:
  /// $XDG_CONFIG_HOME/drover/top.toml, else ~/.config/drover/top.toml; empty without a home folder.
  static std::string default_path();

  /// An empty path: there is no file.
  explicit SettingsFile(std::string path) : path_(std::move(path)) {}

  const std::string& path() const { return path_; }
  bool exists() const;
  /// Returns the defaults if there is no file.
  Result<tui::Settings> read();
  /// The keys that the file sets at its top level; none if there is no file.
  Result<std::set<std::string>> keys() const;
  /// Checks the file at most once a second. If it has changed since it was last read, returns its
  /// settings or the error in them. A file that was removed counts as unchanged: it may be about to
  /// be replaced.
  std::optional<Result<tui::Settings>> read_if_changed(WallTime now);
  /// Writes the file atomically; only this user can read it. Makes missing folders. If the path is
  /// a link, replaces its target.
  Status write(const tui::Settings& settings);
  /// The same with a text of one's own.
  Status write_text(const std::string& text);

 private:
  /// The attributes whose change shows that the file has changed.
  struct Mark {
    dev_t device = 0;
    ino_t inode = 0;
    off_t size = 0;
    time_t changed_s = 0;
    long changed_ns = 0;  // in addition
    bool operator==(const Mark&) const = default;
  };
  std::optional<Mark> mark() const;

  std::string path_;
  std::optional<Mark> read_;  // of the file as last read; no value: there was no file
  WallTime checked_{};
};

}  // namespace drover::commands
