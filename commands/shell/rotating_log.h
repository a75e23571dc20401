// A log file of limited size for a background process.
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

/// Replaces the file's content by one line, atomically. An empty path does nothing.
Status replace_file(const std::string& path, const std::string& line);

}  // namespace drover::commands
