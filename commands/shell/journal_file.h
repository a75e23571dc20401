// The file of `--journal`: every input of a core in order, for a replay. Each run of the program
// appends to it.
#pragma once

#include <cstdint>
#include <fstream>
#include <optional>
#include <string>

#include "fleet/base/result.h"
#include "fleet/codec/journal.h"

namespace drover::commands {

class JournalWriter {
 public:
  /// Without a path nothing is written. Keeps the records of earlier runs, and cuts off a record
  /// that a killed process left incomplete. Refuses to write into a file that is not a journal.
  static Result<JournalWriter> open(const std::string& path);

  void write(const JournalRecord& record);
  /// Call it at the end of each turn of the loop, so that a crash loses at most one turn.
  Status flush();
  bool on() const { return file_.is_open(); }

 private:
  std::string path_;
  std::ofstream file_;
};

/// Reads record by record, up to the size that the file had when it was opened.
class JournalReader {
 public:
  /// The file must begin with a whole JournalStart.
  static Result<JournalReader> open(const std::string& path);

  /// No value at the end, or if the last record is incomplete.
  Result<std::optional<JournalRecord>> next();
  /// Skips one record without reading it. False where next() would return no value.
  bool skip();
  /// The byte at which the next record begins.
  std::uint64_t at() const { return at_; }
  std::uint64_t size() const { return size_; }

 private:
  explicit JournalReader(std::string path) : path_(std::move(path)) {}
  std::optional<std::uint64_t> length();

  std::string path_;
  std::ifstream file_;
  std::string bytes_;
  std::uint64_t at_ = 0;
  std::uint64_t size_ = 0;
};

}  // namespace drover::commands
