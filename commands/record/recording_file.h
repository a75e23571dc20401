// The files of a recording: FILE, and FILE.journal beside it while FILE is being written.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "commands/shell/file_descriptor.h"
#include "fleet/base/result.h"
#include "fleet/recording/format/recording.h"
#include "fleet/recording/reader.h"

namespace drover::commands {

std::string journal_path_of(const std::string& path);

/// The free space on the disk of the file, which need not exist yet; UINT64_MAX if unknown.
std::uint64_t disk_free_bytes(const std::string& path);

/// Reads a file, up to the size that it had when it was opened.
class FileSource final : public ByteSource {
 public:
  static Result<std::unique_ptr<FileSource>> open(const std::string& path);
  std::uint64_t size() const override { return size_; }
  Status read(std::uint64_t offset, std::span<char> out) override;
  /// A recorder had the file open when it was opened here.
  bool being_written() const { return being_written_; }

 private:
  FileSource(std::string path, FileDescriptor file)
      : path_(std::move(path)), file_(std::move(file)) {}
  std::string path_;
  FileDescriptor file_;
  std::uint64_t size_ = 0;
  bool being_written_ = false;
};

/// A recording and its journal.
struct RecordingInput {
  std::string path;
  std::optional<std::string> journal;  // no value if the file does not exist
  std::unique_ptr<FileSource> file;
};
Result<RecordingInput> open_recording_input(const std::string& path);

struct OpenRecording {
  RecordingInput input;
  RecordingReader reader;
};
using RecordingSurvey = RecordingReader::Survey;
Result<OpenRecording> open_recording(const std::string& path,
                                     RecordingSurvey survey = RecordingSurvey::where_needed);

/// What is unusual about the file: not closed, damaged, or still being written; empty: nothing.
std::string state_text(const RecordingInput& input, const RecordingInfo& info);
/// The error of a damaged file: names the file and how to recover it.
Error damaged(const std::string& path, const Error& problem);

/// The temporary name of a file that is made from others.
std::string temporary_path_of(const std::string& path);

/// A new file, locked while it is open. Unless `force`, refuses to overwrite an existing file or
/// journal: a journal may have the only copy of its messages.
class RecordingOutput {
 public:
  /// For a recorder: FILE and FILE.journal, which others may read while they grow.
  static Result<RecordingOutput> open(const std::string& path, bool force);
  /// For a file that is made from others: has a temporary name until it is closed, so that an
  /// existing file is replaced only by a complete one.
  static Result<RecordingOutput> open_temporary(const std::string& path, bool force);

  Status append(std::string_view bytes);
  Status append_journal(std::string_view bytes);
  Status empty_journal();
  Status sync();  // both files, to the disk
  /// Syncs the file, gives it its final name, and removes the journal.
  Status close();
  /// Removes the files, which could not be completed.
  void discard();
  const std::string& path() const { return path_; }  // the current name

 private:
  explicit RecordingOutput(std::string path) : path_(std::move(path)) {}
  Status open_file(bool force);

  std::string path_;
  std::string target_;  // the final name; empty: it is the current one
  FileDescriptor file_;
  FileDescriptor journal_;
  bool regular_ = true;       // not a device or pipe
  bool old_journal_ = false;  // an existing journal belongs to the replaced file
  std::uint64_t written_ = 0;
};

}  // namespace drover::commands
