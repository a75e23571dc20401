#include "commands/record/recording_file.h"

#include <cerrno>
#include <filesystem>
#include <utility>

#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include "commands/shell/files.h"
#include "fleet/base/text.h"
#include "fleet/base/units.h"

namespace drover::commands {

namespace {

constexpr std::size_t journal_bytes_max = 1U << 30;

/// A device such as /dev/full cannot be synced.
Status sync_file(int descriptor, const std::string& path) {
  if (::fdatasync(descriptor) == 0 || errno == EINVAL) return {};
  return file_error(path);
}

/// Syncs the entries of the file's folder. Skipped if the folder cannot be read.
Status sync_folder_of(const std::string& path) {
  const std::string folder = std::filesystem::absolute(path).parent_path();
  const FileDescriptor opened(::open(folder.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  if (!opened.is_open() || ::fsync(opened.get()) == 0 || errno == EINVAL) return {};
  return file_error(folder);
}

Error another_writes(const std::string& path) {
  return error(ErrorKind::refused, "{}: another recorder is writing it", printable(path));
}

Status refuse_existing(const std::string& path) {
  std::error_code ignored;
  for (const std::string& name : {path, journal_path_of(path)}) {
    if (!std::filesystem::exists(std::filesystem::symlink_status(name, ignored))) continue;
    return error(ErrorKind::refused, "{}: already exists; use --force to overwrite it",
                 printable(name));
  }
  return {};
}

}  // namespace

std::string journal_path_of(const std::string& path) { return path + ".journal"; }

std::string temporary_path_of(const std::string& path) { return path + ".new"; }

std::uint64_t disk_free_bytes(const std::string& path) {
  const auto folder = std::filesystem::absolute(path).parent_path();
  std::error_code problem;
  const auto space = std::filesystem::space(folder, problem);
  return problem ? UINT64_MAX : space.available;
}

Result<std::unique_ptr<FileSource>> FileSource::open(const std::string& path) {
  FileDescriptor file(::open(path.c_str(), O_RDONLY | O_CLOEXEC));
  if (!file.is_open()) return file_error(path);
  const int descriptor = file.get();
  std::unique_ptr<FileSource> source(new FileSource(path, std::move(file)));
  struct stat facts {};
  if (::fstat(descriptor, &facts) != 0) return file_error(path);
  if (!S_ISREG(facts.st_mode))
    return error(ErrorKind::io, "{}: is not a regular file", printable(path));
  source->size_ = static_cast<std::uint64_t>(facts.st_size);
  // A recorder holds an exclusive lock.
  source->being_written_ = ::flock(descriptor, LOCK_SH | LOCK_NB) != 0 && errno == EWOULDBLOCK;
  if (!source->being_written_) ::flock(descriptor, LOCK_UN);
  return source;
}

Status FileSource::read(std::uint64_t offset, std::span<char> out) {
  while (!out.empty()) {
    const ssize_t count = ::pread(file_.get(), out.data(), out.size(), static_cast<off_t>(offset));
    if (count < 0 && errno == EINTR) continue;
    if (count < 0) return file_error(path_);
    if (count == 0)
      return error(ErrorKind::io, "{}: ends at byte {}, expected {} bytes", printable(path_),
                   offset, size_);
    offset += static_cast<std::uint64_t>(count);
    out = out.subspan(static_cast<std::size_t>(count));
  }
  return {};
}

Result<RecordingInput> open_recording_input(const std::string& path) {
  RecordingInput input{path, {}, nullptr};
  // The journal is read first: messages that move into the file meanwhile are then in both, never
  // in neither.
  const std::string journal = journal_path_of(path);
  std::error_code ignored;
  if (std::filesystem::exists(journal, ignored)) {
    DROVER_ASSIGN(input.journal, read_file(journal, journal_bytes_max));
  }
  DROVER_ASSIGN(input.file, FileSource::open(path));
  return input;
}

Result<OpenRecording> open_recording(const std::string& path, RecordingSurvey survey) {
  DROVER_ASSIGN(auto input, open_recording_input(path));
  auto reader = RecordingReader::open(*input.file, input.journal, survey);
  if (!reader) return error(ErrorKind::io, "{}: {}", printable(path), reader.error().message);
  return OpenRecording{std::move(input), std::move(*reader)};
}

Error damaged(const std::string& path, const Error& problem) {
  return error(ErrorKind::io,
               "{}: {} (`drover recording recover` makes a complete file from the rest)",
               printable(path), problem.message);
}

namespace {

std::string journal_text(const RecordingInput& input, const RecordingInfo& info) {
  return journal_path_of(printable(input.path)) +
         (info.journal_rejected
              ? " was ignored, because it cannot be verified that it belongs to this recording"
              : " is missing") +
         ": the last messages are lost";
}

}  // namespace

std::string state_text(const RecordingInput& input, const RecordingInfo& info) {
  std::vector<std::string> parts;
  const bool being_written = input.file->being_written();
  if (being_written) {
    parts.emplace_back("still being written: read as of the time it was opened");
  } else if (!info.ended) {
    parts.emplace_back("was not closed properly");
  } else if (!info.closed && info.lost.empty()) {
    parts.emplace_back("its summary is damaged");
  }
  if (info.journal_absent && !being_written) parts.push_back(journal_text(input, info));
  if (!info.lost.empty()) {
    parts.push_back(counted(info.lost.size(), "part is", "parts are") + " damaged");
  }
  if (!info.journal_lost.empty() && !being_written) {
    parts.push_back(counted(info.journal_lost.size(), "part", "parts") + " of its journal " +
                    (info.journal_lost.size() == 1 ? "is" : "are") + " damaged");
  }
  if (info.journaled > 0) {
    parts.push_back(counted(info.journaled, "message is", "messages are") + " only in its journal");
  }
  std::string text;
  for (const std::string& part : parts) text += (text.empty() ? "" : "; ") + part;
  const bool recoverable = !being_written && (!info.closed || !info.lost.empty());
  if (recoverable) text += " (`drover recording recover` makes a complete file from it)";
  // This cannot be recovered.
  if (!info.start.speed_known) {
    text += text.empty() ? "" : "; ";
    text += "the speed of fleet time is unknown, because the recording's beginning was lost";
  }
  return text;
}

Status RecordingOutput::open_file(bool force) {
  const int mode = O_WRONLY | O_CREAT | O_CLOEXEC | (force ? 0 : O_EXCL);
  file_ = FileDescriptor(::open(path_.c_str(), mode, 0644));
  if (!file_.is_open() && errno == EEXIST) return refuse_existing(path_);
  if (!file_.is_open()) return file_error(path_);
  struct stat facts {};
  regular_ = ::fstat(file_.get(), &facts) == 0 && S_ISREG(facts.st_mode);
  // Locked before it is truncated.
  if (::flock(file_.get(), LOCK_EX | LOCK_NB) != 0) return another_writes(path_);
  if (::ftruncate(file_.get(), 0) != 0 && errno != EINVAL) return file_error(path_);
  return {};
}

Result<RecordingOutput> RecordingOutput::open(const std::string& path, bool force) {
  DROVER_TRY(force ? Status() : refuse_existing(path));
  RecordingOutput output(path);
  DROVER_TRY(output.open_file(force));
  const std::string journal = journal_path_of(path);
  const int mode = O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC | (force ? O_TRUNC : O_EXCL);
  output.journal_ = FileDescriptor(::open(journal.c_str(), mode, 0644));
  if (!output.journal_.is_open()) return file_error(journal);
  DROVER_TRY(sync_folder_of(path));
  return output;
}

Result<RecordingOutput> RecordingOutput::open_temporary(const std::string& path, bool force) {
  namespace fs = std::filesystem;
  DROVER_TRY(force ? Status() : refuse_existing(path));
  std::error_code problem;
  const fs::file_status there = fs::status(path, problem);
  std::string target;
  if (!fs::exists(there)) {
    target = path;
  } else if (fs::is_regular_file(there)) {
    target = fs::canonical(path, problem);  // the target of a link
    if (problem) return error(ErrorKind::io, "{}: {}", printable(path), problem.message());
    const auto old = FileSource::open(target);
    if (old && (*old)->being_written()) return another_writes(path);
  }  // a pipe or a device cannot be replaced: it is written directly
  RecordingOutput output(target.empty() ? path : temporary_path_of(target));
  output.target_ = std::move(target);
  output.old_journal_ = force;
  DROVER_TRY(output.open_file(force));
  return output;
}

Status RecordingOutput::append(std::string_view bytes) {
  if (bytes.empty()) return {};
  if (!write_all(file_.get(), bytes)) {
    const Error problem = file_error(path_);
    // Removes an incomplete record. If that fails too, readers detect the damage.
    if (::ftruncate(file_.get(), static_cast<off_t>(written_)) != 0) return problem;
    return problem;
  }
  written_ += bytes.size();
  return {};
}

Status RecordingOutput::append_journal(std::string_view bytes) {
  if (bytes.empty()) return {};
  if (write_all(journal_.get(), bytes)) return {};
  return file_error(journal_path_of(path_));
}

Status RecordingOutput::empty_journal() {
  if (::ftruncate(journal_.get(), 0) == 0) return {};
  return file_error(journal_path_of(path_));
}

Status RecordingOutput::sync() {
  DROVER_TRY(sync_file(file_.get(), path_));
  return journal_.is_open() ? sync_file(journal_.get(), journal_path_of(path_)) : Status{};
}

Status RecordingOutput::close() {
  DROVER_TRY(sync());
  if (!target_.empty()) {
    if (::rename(path_.c_str(), target_.c_str()) != 0) return file_error(target_);
    path_ = std::exchange(target_, "");
    DROVER_TRY(sync_folder_of(path_));
  }
  if (regular_ && (journal_.is_open() || old_journal_)) ::unlink(journal_path_of(path_).c_str());
  return {};
}

void RecordingOutput::discard() {
  if (regular_) ::unlink(path_.c_str());
  if (journal_.is_open()) ::unlink(journal_path_of(path_).c_str());
}

}  // namespace drover::commands
