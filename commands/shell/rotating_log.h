// A log file of limited size, and a file with its state, for a background process.
#pragma once

#include <string>

#include "commands/shell/clock.h"
#include "fleet/base/result.h"

namespace drover::commands {

class RotatingLog {
 public:
  /// Redirects standard output and error to the end of the file. An empty path changes nothing.
  Status open(const std::string& path);
  /// Checks the size at most once a second. A file over 1 MiB is renamed to PATH.1, which replaces
  /// an older one.
  void rotate_when_large();

 private:
  std::string path_;
  WallTime checked_{};
};

/// Tells a launcher the state of this process, as a file of one line. An empty path does nothing.
Status write_state_file(const std::string& path, const std::string& state);

}  // namespace drover::commands
