#include "commands/key_files.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <filesystem>
#include <string_view>
#include <system_error>

#include <fmt/format.h>

#include "fleet/keys.h"
#include "fleet/text.h"

namespace drover::commands {

namespace fs = std::filesystem;

namespace {

constexpr mode_t others = S_IRWXG | S_IRWXO;
constexpr mode_t others_write = S_IWGRP | S_IWOTH;

Error system_error(const std::string& path) {
  return error("{}: {}", printable(path), std::strerror(errno));
}

/// A descriptor that closes itself.
class File {
 public:
  explicit File(int descriptor) : descriptor_(descriptor) {}
  ~File() {
    if (descriptor_ >= 0) close(descriptor_);
  }
  File(const File&) = delete;
  File& operator=(const File&) = delete;
  int get() const { return descriptor_; }

 private:
  int descriptor_;
};

bool write_all(int descriptor, std::string_view text) {
  while (!text.empty()) {
    const ssize_t written = write(descriptor, text.data(), text.size());
    if (written < 0 && errno == EINTR) continue;
    if (written <= 0) return false;
    text.remove_prefix(static_cast<std::size_t>(written));
  }
  return fsync(descriptor) == 0;
}

}  // namespace

Status make_key_folder(const std::string& path) {
  const fs::path parent = fs::path(path).parent_path();
  std::error_code problem;
  if (!parent.empty()) fs::create_directories(parent, problem);
  if (problem) return error("{}: {}", printable(parent.string()), problem.message());
  if (mkdir(path.c_str(), S_IRWXU) != 0 && errno != EEXIST) return system_error(path);
  return check_key_folder(path);
}

Status check_key_folder(const std::string& path) {
  struct stat found {};
  if (stat(path.c_str(), &found) != 0) return system_error(path);
  if (!S_ISDIR(found.st_mode)) return error("{}: expected a folder", printable(path));
  if ((found.st_mode & others_write) == 0) return {};
  return error(
      "{}: others may write there (mode {:04o}), and so let themselves in; mend it with: "
      "chmod go-w {}",
      printable(path), found.st_mode & 07777U, printable(path));
}

Result<bool> write_new_key_file(const std::string& path, const std::string& text, Secrecy secrecy) {
  // Under another name first: a half-written key is no key, and a present one stays as it is.
  const fs::path target(path);
  const std::string draft =
      (target.parent_path() / fmt::format(".{}.{}", target.filename().string(), getpid())).string();
  const mode_t mode = secrecy == Secrecy::secret ? S_IRUSR | S_IWUSR : 0644;
  unlink(draft.c_str());
  const File file(open(draft.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, mode));
  if (file.get() < 0) return system_error(draft);
  bool fresh = true;
  bool done = write_all(file.get(), text);
  if (done && link(draft.c_str(), path.c_str()) != 0) {
    fresh = errno != EEXIST;
    done = !fresh;
  }
  const Error problem = system_error(path);
  unlink(draft.c_str());
  if (!done) return problem;
  return fresh;
}

Result<std::string> read_key_text(const std::string& path, Secrecy secrecy) {
  // Without waiting: what stands there may be a pipe.
  const File file(open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK));
  if (file.get() < 0) return system_error(path);
  struct stat found {};
  if (fstat(file.get(), &found) != 0) return system_error(path);
  if (!S_ISREG(found.st_mode)) return error("{}: expected a file", printable(path));
  if (secrecy == Secrecy::secret && (found.st_mode & others) != 0) {
    return error(
        "{}: others may read this secret (mode {:04o}, expected 0600); mend it with: chmod "
        "600 {}; if anybody may have read it, make a new one",
        printable(path), found.st_mode & 07777U, printable(path));
  }
  std::string text;
  char block[16 * 1024];
  while (true) {
    const ssize_t size = read(file.get(), block, sizeof block);
    if (size < 0 && errno == EINTR) continue;
    if (size < 0) return system_error(path);
    if (size == 0) return text;
    text.append(block, static_cast<std::size_t>(size));
    if (text.size() > key_file_bytes_max) {
      return error("{}: over {} bytes, expected less", printable(path), key_file_bytes_max);
    }
  }
}

}  // namespace drover::commands
