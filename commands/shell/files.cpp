#include "commands/shell/files.h"

#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <string_view>
#include <system_error>
#include <utility>

#include "fleet/base/text.h"

namespace drover::commands {

namespace fs = std::filesystem;

namespace {

constexpr std::string_view folder_prefix = "drover-";
/// A file of this name marks a folder that is kept for a person to read.
constexpr const char* kept_mark = "kept";
/// A folder younger than this may not be locked yet.
constexpr std::chrono::minutes young{1};

/// An open descriptor that holds the folder's lock until it is closed. Not open if another process
/// holds the lock or the folder cannot be opened.
FileDescriptor lock_folder(const fs::path& path) {
  FileDescriptor folder(::open(path.c_str(), O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC));
  if (folder.is_open() && ::flock(folder.get(), LOCK_EX | LOCK_NB) != 0) folder.reset();
  return folder;
}

/// Removes the folders of killed drover processes.
void remove_orphans(const fs::path& parent) {
  std::error_code problem;
  for (fs::directory_iterator entry(parent, problem), end; !problem && entry != end;
       entry.increment(problem)) {
    const fs::path& path = entry->path();
    const std::string name = path.filename().string();
    const bool ours = name.starts_with(folder_prefix) && name.size() == folder_prefix.size() + 6;
    if (!ours) continue;
    std::error_code unknown;
    const auto changed = fs::last_write_time(path, unknown);
    if (unknown || changed > fs::file_time_type::clock::now() - young) continue;
    if (fs::exists(path / kept_mark, unknown) || unknown) continue;
    const FileDescriptor lock = lock_folder(path);
    if (lock.is_open()) fs::remove_all(path, unknown);
  }
}

}  // namespace

Result<std::string> read_file(const std::string& path, std::size_t bytes_max) {
  std::error_code problem;
  if (fs::is_directory(path, problem)) {
    return error(ErrorKind::io, "{}: is a folder, expected a file", printable(path));
  }
  std::ifstream file(path, std::ios::binary);
  if (!file) return file_error(path);
  errno = 0;
  std::string text;
  char block[64 * 1024];
  while (file.read(block, sizeof block) || file.gcount() > 0) {
    text.append(block, static_cast<std::size_t>(file.gcount()));
    if (text.size() > bytes_max) {
      return error(ErrorKind::io, "{}: over {} bytes, expected less", printable(path), bytes_max);
    }
  }
  if (file.bad()) return file_error(path);  // what came before is not the file
  return text;
}

std::optional<std::string> user_folder(const char* variable, const char* in_home) {
  // Relative paths are ignored (XDG Base Directory Specification 0.8).
  if (const char* folder = std::getenv(variable); folder != nullptr && *folder == '/') {
    return (fs::path(folder) / "drover").string();
  }
  if (const char* home = std::getenv("HOME"); home != nullptr && *home == '/') {
    return (fs::path(home) / in_home / "drover").string();
  }
  return {};
}

// New folders are private after the XDG Base Directory Specification 0.8.
Status make_private_folder(const std::string& folder) {
  fs::path made;
  for (const fs::path& part : fs::path(folder)) {
    made /= part;
    if (::mkdir(made.c_str(), S_IRWXU) == 0 || errno == EEXIST) continue;
    // Folders above may give other errors; they only have to exist.
    std::error_code ignored;
    if (!fs::is_directory(made, ignored)) return file_error(made.string());
  }
  return {};
}

Status replace_file(const std::string& path, const std::string& text, WrittenTo written_to) {
  std::string draft = path + ".XXXXXX";
  const int file = mkostemp(draft.data(), O_CLOEXEC);  // 0600
  if (file < 0) return file_error(path);
  Status status;
  const bool written =
      write_all(file, text) && (written_to == WrittenTo::system || ::fsync(file) == 0);
  if (!written) status = file_error(path);
  // A file system on another machine may tell only now that it is full.
  if (::close(file) != 0 && status.ok()) status = file_error(path);
  if (status.ok() && std::rename(draft.c_str(), path.c_str()) != 0) status = file_error(path);
  if (!status.ok()) ::unlink(draft.c_str());
  return status;
}

Result<TemporaryFolder> TemporaryFolder::make() {
  std::error_code problem;
  const fs::path parent = fs::temp_directory_path(problem);
  if (problem) return error(ErrorKind::io, "no folder for temporary files: {}", problem.message());
  remove_orphans(parent);
  std::string pattern = (parent / folder_prefix).string() + "XXXXXX";
  if (mkdtemp(pattern.data()) == nullptr) {
    return error(ErrorKind::io, "{}: {}", printable(parent.string()), std::strerror(errno));
  }
  return TemporaryFolder(pattern, lock_folder(pattern));
}

TemporaryFolder::~TemporaryFolder() {
  std::error_code ignored;
  if (!path_.empty() && !kept_) fs::remove_all(path_, ignored);
}

void TemporaryFolder::keep() {
  kept_ = true;
  std::ofstream(fs::path(path_) / kept_mark) << "kept for inspection\n";
}

TemporaryFolder::TemporaryFolder(TemporaryFolder&& other) noexcept
    : path_(std::exchange(other.path_, {})), lock_(std::move(other.lock_)), kept_(other.kept_) {}

TemporaryFolder& TemporaryFolder::operator=(TemporaryFolder&& other) noexcept {
  std::swap(path_, other.path_);
  std::swap(lock_, other.lock_);
  std::swap(kept_, other.kept_);
  return *this;
}

}  // namespace drover::commands
