// The file behind `--journal`: every input of a core in order, for feeding to a fresh one. Each
// life of the program adds its own at the end.
#pragma once

#include <cstdint>
#include <fstream>
#include <memory>
#include <optional>
#include <string>

#include "fleet/base/result.h"
#include "fleet/codec/journal.h"

namespace drover::commands {

/// Writes nothing when no file was asked for.
class JournalFile {
 public:
  /// An empty path: no journal. What an earlier life wrote stays; a record in which it died is cut
  /// off. Refuses to write into a file that is no journal.
  static Result<JournalFile> open(const std::string& path);

  void write(const JournalRecord& record);
  /// At the end of each turn of the loop, so that a crash loses at most one turn.
  Status flush();
  bool on() const { return file_ != nullptr; }

 private:
  std::string path_;
  std::unique_ptr<std::ofstream> file_;
};

/// Reads record by record what the file had when it was opened.
class JournalInput {
 public:
  /// The file must begin with a whole JournalStart.
  static Result<JournalInput> open(const std::string& path);

  /// Nothing at the end, or where the last record is cut short.
  Result<std::optional<JournalRecord>> next();
  /// Passes over one record without reading it; false where next() would give none.
  bool skip();
  /// The byte at which the next record begins.
  std::uint64_t at() const { return at_; }
  std::uint64_t size() const { return size_; }

 private:
  explicit JournalInput(std::string path) : path_(std::move(path)) {}
  std::optional<std::uint64_t> length();

  std::string path_;
  std::ifstream file_;
  std::string bytes_;
  std::uint64_t at_ = 0;
  std::uint64_t size_ = 0;
};

}  // namespace drover::commands
