// The files of recordings: FILE itself, and FILE.journal beside it while FILE is being written.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "fleet/base/result.h"
#include "fleet/recording/format/recording.h"
#include "fleet/recording/recording_reader.h"

namespace drover::commands {

std::string journal_path_of(const std::string& path);

/// On the disk where the file stands, or will; as much as can be said when nobody knows.
std::uint64_t disk_free_bytes(const std::string& path);

/// The bytes that a file had when it was opened.
class FileSource final : public ByteSource {
 public:
  static Result<std::unique_ptr<FileSource>> open(const std::string& path);
  ~FileSource() override;
  std::uint64_t size() const override { return size_; }
  Status read(std::uint64_t offset, std::span<char> out) override;
  /// A recorder holds it at this moment.
  bool being_written() const { return being_written_; }

 private:
  FileSource(std::string path, int descriptor);
  std::string path_;
  int descriptor_ = -1;
  std::uint64_t size_ = 0;
  bool being_written_ = false;
};

/// A recording with what its journal holds beyond it.
struct RecordingInput {
  std::string path;
  std::optional<std::string> journal;  // none: there is no such file
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

/// What a person should know of a file that was not closed in order, or is damaged; empty: nothing.
std::string state_text(const RecordingInput& input, const RecordingInfo& info);
/// The error of what could not be read in it: with the file, and what makes a whole one of it.
Error damaged(const std::string& path, const Error& problem);

/// What a whole FILE is made as.
std::string aside_path_of(const std::string& path);

/// A new file, written in order, and locked while it is open. Refuses, unless `force`, to write
/// over a file that is there, and over a journal: what it holds may be nowhere else.
class RecordingOutput {
 public:
  /// For a recorder: FILE and FILE.journal, which others read while they grow.
  static Result<RecordingOutput> open(const std::string& path, bool force);
  /// For what is made of other files: stands aside until it is closed, so that what stood there
  /// goes only when what takes its place is whole.
  static Result<RecordingOutput> open_aside(const std::string& path, bool force);
  RecordingOutput(RecordingOutput&& other) noexcept;
  RecordingOutput& operator=(RecordingOutput&&) = delete;
  ~RecordingOutput();

  Status append(std::string_view bytes);
  Status append_journal(std::string_view bytes);
  Status empty_journal();
  Status sync();  // both, to the disk
  /// To the disk, to its place, and the journal away.
  Status close();
  /// Takes away what was written: what was to stand there could not be made.
  void discard();
  const std::string& path() const { return path_; }  // where it is written

 private:
  explicit RecordingOutput(std::string path) : path_(std::move(path)) {}
  Status open_file(bool force);

  std::string path_;
  std::string target_;  // its place when it is closed; empty: it stands there already
  int file_ = -1;
  int journal_ = -1;
  bool regular_ = true;       // no device or pipe
  bool old_journal_ = false;  // one that is there belongs to the file that is replaced
  std::uint64_t written_ = 0;
};

}  // namespace drover::commands
