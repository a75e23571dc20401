// The files of recordings: FILE itself, and FILE.journal beside it while FILE is being written.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>

#include "fleet/recording.h"
#include "fleet/recording_reader.h"
#include "fleet/result.h"

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
  std::string journal;  // empty when there is none
  std::unique_ptr<FileSource> file;
};
Result<RecordingInput> open_recording_input(const std::string& path);

struct OpenRecording {
  RecordingInput input;
  RecordingReader reader;
};
Result<OpenRecording> open_recording(const std::string& path);

/// What a person should know of a file that was not closed in order; empty when it was.
std::string state_text(const RecordingInput& input, const RecordingInfo& info);

/// A new file, written in order. Locked while it is open; refuses to write over a file.
class RecordingOutput {
 public:
  static Result<RecordingOutput> open(const std::string& path, bool force, bool with_journal);
  RecordingOutput(RecordingOutput&& other) noexcept;
  RecordingOutput& operator=(RecordingOutput&&) = delete;
  ~RecordingOutput();

  Status append(std::string_view bytes);
  Status append_journal(std::string_view bytes);
  Status empty_journal();
  Status sync();  // both, to the disk
  /// To the disk, and the journal away.
  Status close();
  /// Takes both away again: what was to stand there could not be made.
  void discard();
  const std::string& path() const { return path_; }

 private:
  explicit RecordingOutput(std::string path) : path_(std::move(path)) {}
  std::string path_;
  int file_ = -1;
  int journal_ = -1;
  std::uint64_t written_ = 0;
};

}  // namespace drover::commands
