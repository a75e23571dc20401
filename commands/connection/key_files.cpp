#include "commands/connection/key_files.h"

#include <dirent.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <filesystem>
#include <iterator>
#include <system_error>
#include <utility>

#include <fmt/format.h>

#include "fleet/base/text.h"
#include "fleet/keys/keys.h"

namespace drover::commands {

namespace fs = std::filesystem;

namespace {

constexpr mode_t others_all = S_IRWXG | S_IRWXO;

/// Reads the whole file, but stops once it is over key_file_bytes_max.
bool read_all(int descriptor, std::string& text) {
  char block[16 * 1024];
  while (text.size() <= key_file_bytes_max) {
    const ssize_t size = read(descriptor, block, sizeof block);
    if (size < 0 && errno == EINTR) continue;
    if (size < 0) return false;
    if (size == 0) return true;
    text.append(block, static_cast<std::size_t>(size));
  }
  return true;
}

/// The names in an open folder. Closes the descriptor. `path` is for messages.
Result<std::vector<std::string>> names_of(int descriptor, std::string_view ending,
                                          const std::string& path) {
  DIR* listing = fdopendir(descriptor);
  if (listing == nullptr) {
    const Error problem = file_error(path);
    close(descriptor);
    return problem;
  }
  std::vector<std::string> names;
  errno = 0;
  const dirent* entry = nullptr;
  for (; (entry = readdir(listing)) != nullptr; errno = 0) {
    const std::string_view file = entry->d_name;
    if (!file.starts_with('.') && file.ends_with(ending)) {
      names.emplace_back(file.substr(0, file.size() - ending.size()));
    }
  }
  const bool whole = errno == 0;
  const Error problem = file_error(path);
  closedir(listing);
  if (!whole) return problem;
  std::sort(names.begin(), names.end());
  return names;
}

/// The problem if others than the owner may write there; empty: none.
std::string writing_others(const struct stat& found, const std::string& path) {
  if ((found.st_mode & others_write) == 0) return {};
  return fmt::format(
      "{}: others may write there (mode {:04o}) and could grant themselves access; fix with: chmod "
      "go-w {}",
      printable(path), found.st_mode & 07777U, printable(path));
}

/// The problem if others than root and this user may write there; empty: none.
std::string write_access_problem(const struct stat& found, const std::string& path) {
  if (found.st_uid == 0 || found.st_uid == geteuid()) return writing_others(found, path);
  return fmt::format(
      "{}: belongs to user {}, who could grant access; expected this user ({}) or root; fix with: "
      "chown {} {}",
      printable(path), found.st_uid, geteuid(), geteuid(), printable(path));
}

/// Whether the error may go away by itself and implies nothing about the file.
bool is_temporary(int code) {
  constexpr int retryable[] = {EMFILE, ENFILE, ENOMEM, ENOBUFS, EIO, ESTALE, EINTR, ETIMEDOUT};
  return std::find(std::begin(retryable), std::end(retryable), code) != std::end(retryable);
}

}  // namespace

Status make_key_folder(const std::string& path) {
  const fs::path parent = fs::path(path).parent_path();
  std::error_code problem;
  if (!parent.empty()) fs::create_directories(parent, problem);
  if (problem) return error(ErrorKind::io, "{}: {}", printable(parent.string()), problem.message());
  if (mkdir(path.c_str(), S_IRWXU) != 0 && errno != EEXIST) return file_error(path);
  struct stat found {};
  if (stat(path.c_str(), &found) != 0) return file_error(path);
  if (!S_ISDIR(found.st_mode))
    return error(ErrorKind::io, "{}: expected a folder", printable(path));
  const std::string others = writing_others(found, path);
  if (!others.empty()) return error(ErrorKind::refused, "{}", others);
  return {};
}

Result<bool> write_new_key_file(const std::string& path, const std::string& text, Secrecy secrecy) {
  // Written under another name first: a key is never half written, and an existing one stays.
  const fs::path target(path);
  const std::string draft =
      (target.parent_path() / fmt::format(".{}.{}", target.filename().string(), getpid())).string();
  const mode_t mode = secrecy == Secrecy::secret ? S_IRUSR | S_IWUSR : 0644;
  unlink(draft.c_str());
  const FileDescriptor file(
      open(draft.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, mode));
  if (file.get() < 0) return file_error(draft);
  bool fresh = true;
  bool done = write_all(file.get(), text) && fsync(file.get()) == 0;
  if (done && link(draft.c_str(), path.c_str()) != 0) {
    fresh = errno != EEXIST;
    done = !fresh;
  }
  const Error problem = file_error(path);
  unlink(draft.c_str());
  if (!done) return problem;
  return fresh;
}

Result<std::string> read_key_text(const std::string& path, Secrecy secrecy) {
  const FileDescriptor file(open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK));
  if (!file.is_open()) return file_error(path);
  struct stat found {};
  if (fstat(file.get(), &found) != 0) return file_error(path);
  if (!S_ISREG(found.st_mode)) return error("{}: expected a file", printable(path));
  if (secrecy == Secrecy::secret && (found.st_mode & others_all) != 0) {
    return error(
        "{}: others may read this secret (mode {:04o}, expected 0600); fix with: chmod "
        "600 {}; if anybody may have read it, make a new one",
        printable(path), found.st_mode & 07777U, printable(path));
  }
  std::string text;
  if (!read_all(file.get(), text)) return file_error(path);
  if (text.size() <= key_file_bytes_max) return text;
  return error("{}: over {} bytes, expected less", printable(path), key_file_bytes_max);
}

Result<bool> path_exists(const std::string& path) {
  struct stat found {};
  if (stat(path.c_str(), &found) == 0) return true;
  if (errno == ENOENT) return false;
  return file_error(path);
}

Result<std::vector<std::string>> names_in(const std::string& folder, std::string_view ending) {
  const int descriptor = open(folder.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  if (descriptor >= 0) return names_of(descriptor, ending, folder);
  if (errno == ENOENT) return std::vector<std::string>{};
  return file_error(folder);
}

Result<AllowFolder> open_allow_folder(const std::string& folder) {
  AllowFolder opened;
  opened.path = (fs::path(folder) / "authorized").string();
  constexpr int flags = O_DIRECTORY | O_CLOEXEC;
  // O_PATH is enough: only the owner and mode matter, that is, who could replace `authorized`.
  const FileDescriptor above(open(folder.c_str(), O_PATH | flags));
  if (!above.is_open() && errno != ENOENT) return file_error(folder);
  if (above.is_open()) {
    opened.files = FileDescriptor(openat(above.get(), "authorized", O_RDONLY | flags));
    if (!opened.files.is_open() && errno != ENOENT) return file_error(opened.path);
  }
  const auto check = [&](const FileDescriptor& file, const std::string& path) {
    struct stat found {};
    if (!file.is_open()) return true;
    if (fstat(file.get(), &found) != 0) return false;
    opened.marks += fmt::format("{} {} {:o}\n", found.st_ino, found.st_uid, found.st_mode);
    if (opened.unsafe.empty()) opened.unsafe = write_access_problem(found, path);
    return true;
  };
  if (!check(above, folder) || !check(opened.files, opened.path)) return file_error(opened.path);
  return opened;
}

Result<std::vector<std::string>> names_in(const AllowFolder& folder, std::string_view ending) {
  if (!folder.files.is_open()) return std::vector<std::string>{};
  // A new open file description, so that the read position of the listing is not shared.
  const int again = openat(folder.files.get(), ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  if (again < 0) return file_error(folder.path);
  return names_of(again, ending, folder.path);
}

AllowText read_allow_text(const AllowFolder& folder, const std::string& file) {
  using State = AllowText::State;
  const std::string path = (fs::path(folder.path) / file).string();
  const auto failed = [&] {
    const State state = errno == ENOENT       ? State::absent
                        : is_temporary(errno) ? State::unreadable
                                              : State::bad;
    return AllowText{state, file_error(path).message};
  };
  // O_NONBLOCK: the file may be a pipe.
  const FileDescriptor opened(
      openat(folder.files.get(), file.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK));
  struct stat found {};
  if (!opened.is_open() || fstat(opened.get(), &found) != 0) return failed();
  if (!S_ISREG(found.st_mode)) {
    return {State::bad, fmt::format("{}: expected a file", printable(path))};
  }
  if (std::string unsafe = write_access_problem(found, path); !unsafe.empty()) {
    return {State::bad, std::move(unsafe)};
  }
  AllowText read;
  if (!read_all(opened.get(), read.text)) return failed();
  if (read.text.size() <= key_file_bytes_max) return read;
  return {State::bad,
          fmt::format("{}: over {} bytes, expected less", printable(path), key_file_bytes_max)};
}

}  // namespace drover::commands
