// The processes of this machine, and which of them have opened a device's files.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace drover::agents {

inline constexpr const char* hidden_processes_note =
    "processes of other users are hidden: only root sees their open files";

struct OpenFile {
  std::uint64_t pid = 0;
  std::string folder;  // of the process: "/proc/4711"
  std::string number;  // of the file in the process
  std::string target;  // "/dev/dri/renderD128"
};

class OpenFiles {
 public:
  /// `root`: as in DriverPlaces. `targets`: the files to look for.
  OpenFiles(std::string root, std::vector<std::string> targets)
      : root_(std::move(root)), targets_(std::move(targets)) {}

  /// Open files with these targets, in the order of pids. Scanning all processes is expensive, so
  /// it happens every 10 s, for all devices together. In between, files that were closed are left
  /// out, and new ones are not seen.
  const std::vector<OpenFile>& find(double now_s);

  /// Whether the last scan met processes whose files could not be listed, or was in a container,
  /// which does not see those outside.
  bool some_hidden() const { return some_hidden_; }

 private:
  std::string root_;
  std::vector<std::string> targets_;
  std::vector<OpenFile> files_;
  double next_look_s_ = 0;
  bool some_hidden_ = false;
};

}  // namespace drover::agents
