// A process that nobody watches: what it says goes to a file that stays short.
#pragma once

#include <string>

#include "commands/shell/clock.h"
#include "fleet/base/result.h"

namespace drover::commands {

class KeptLog {
 public:
  /// From now on standard output and error are appended there. An empty path changes nothing.
  Status open(const std::string& path);
  /// Looks about once a second; a file over 1 MiB becomes PATH.1, in place of an older one.
  void keep_short();

 private:
  std::string path_;
  Wall looked_{0};
};

/// Replaces a small file by one line, whole or not at all. An empty path does nothing.
Status put_file(const std::string& path, const std::string& line);

}  // namespace drover::commands
