// The file behind `--journal`: every input of a core in order, for feeding to a fresh one.
#pragma once

#include <fstream>
#include <memory>
#include <string>

#include "fleet/journal.h"
#include "fleet/result.h"

namespace drover::commands {

/// Writes nothing when no file was asked for.
class JournalFile {
 public:
  /// An empty path: no journal.
  static Result<JournalFile> open(const std::string& path);

  void write(const JournalRecord& record);
  /// At the end of each turn of the loop, so that a crash loses at most one turn.
  Status flush();
  bool on() const { return file_ != nullptr; }

 private:
  std::string path_;
  std::unique_ptr<std::ofstream> file_;
};

}  // namespace drover::commands
