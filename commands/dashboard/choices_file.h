// Keeps what the user chose on the screen for the next start. Its content: tui/saved/choices.h.
//
// Several dashboards may use the file at once. Each write takes a lock, reads what others wrote,
// adds what changed here, and replaces the file. Nothing waits: a lock that another dashboard holds
// is tried again at the next turn.
#pragma once

#include <optional>
#include <string>

#include "fleet/base/result.h"
#include "tui/dashboard.h"
#include "tui/saved/choices.h"

namespace drover::commands {

class ChoicesFile {
 public:
  /// $XDG_STATE_HOME/drover/top.toml, else ~/.local/state/drover/top.toml; empty without a home
  /// folder.
  static std::string default_path();

  /// An empty path: nothing is kept.
  explicit ChoicesFile(std::string path) : path_(std::move(path)) {}

  /// What was chosen before. A file that cannot be read leaves no choices, and `problem` says why
  /// in one line; a broken one is renamed, so that the next write does not lose it.
  struct Found {
    tui::Choices choices;
    std::string problem;
  };
  Found read();
  /// Changes count from here on.
  void begin(tui::Choices shown) { base_ = std::move(shown); }
  /// Writes these choices, or will at a later `go_on`.
  void keep(tui::Choices choices);
  /// Writes what waits. Returns why that is not possible, once; else nothing.
  std::string go_on();
  /// Writes these choices at the end, unless nothing has changed; waits a moment for a lock.
  /// Returns why that is not possible; else nothing.
  std::string finish(tui::Choices choices);

 private:
  enum class Written : std::uint8_t { done, locked };
  Result<Written> write(const tui::Choices& mine);
  Result<tui::Choices> read_whole() const;

  std::string path_;
  tui::Choices base_;                    // when the file was last read or written here
  std::optional<tui::Choices> waiting_;  // to be written
  bool failed_ = false;
};

}  // namespace drover::commands
