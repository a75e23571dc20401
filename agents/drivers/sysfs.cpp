#include "agents/drivers/sysfs.h"

#include <dirent.h>
#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <charconv>
#include <climits>
#include <cmath>
#include <cstring>
#include <memory>

#include "fleet/base/text.h"

namespace drover::agents {
namespace {

struct OpenedFile {
  int descriptor = -1;
  explicit OpenedFile(const std::string& path, int flags)
      // Without O_NONBLOCK a pipe in the place of a file would wait for a writer.
      : descriptor(open(path.c_str(), flags | O_CLOEXEC | O_NONBLOCK)) {}
  ~OpenedFile() {
    if (descriptor >= 0) close(descriptor);
  }
  OpenedFile(const OpenedFile&) = delete;
  OpenedFile& operator=(const OpenedFile&) = delete;
};

std::string_view last_part_of(std::string_view path) { return path.substr(path.rfind('/') + 1); }

Error error_of(int code, std::string_view path) {
  const bool absent = code == ENOENT || code == ENOTDIR;
  return Error{reason_of_errno(code, last_part_of(path)), absent           ? ErrorKind::not_found
                                                          : code == EACCES ? ErrorKind::refused
                                                                           : ErrorKind::io};
}

}  // namespace

std::string reason_of_errno(int code, std::string_view name) {
  switch (code) {
    case ENOENT:
    case ENOTDIR:
      return fmt::format("the driver has no file {}", name);
    case EACCES:
      return fmt::format("only root may use {}", name);
    case EPERM:
      return fmt::format(
          "the driver does not allow {} now (EPERM): the board may be suspended or in a reset",
          name);
    case EBUSY:
    case EAGAIN:
      return fmt::format("the driver is busy ({}: {})", name, strerrorname_np(code));
    case EINVAL:
    case EOPNOTSUPP:
    case ENODATA:
    case ENOSYS:
      return fmt::format("the driver does not support {} on this board ({})", name,
                         strerrorname_np(code));
    default:
      return fmt::format("the device does not answer ({}: {})", name, std::strerror(code));
  }
}

Result<std::string> read_kernel_bytes(const std::string& path, std::size_t bytes_max) {
  const OpenedFile file(path, O_RDONLY);
  if (file.descriptor < 0) return error_of(errno, path);
  std::string bytes;
  while (bytes.size() < bytes_max) {
    const std::size_t before = bytes.size();
    bytes.resize(std::min(bytes_max, before + kernel_file_bytes_max));
    const ssize_t count = read(file.descriptor, bytes.data() + before, bytes.size() - before);
    const int code = errno;
    bytes.resize(before + static_cast<std::size_t>(std::max<ssize_t>(count, 0)));
    if (count == 0) break;
    if (count < 0 && code != EINTR) return error_of(code, path);
  }
  return bytes;
}

Result<std::string> read_kernel_file(const std::string& path, std::size_t bytes_max) {
  DROVER_ASSIGN(const std::string bytes, read_kernel_bytes(path, bytes_max + 1));
  if (bytes.size() > bytes_max) {
    return error(ErrorKind::io, "{} has more than {} bytes", last_part_of(path), bytes_max);
  }
  const std::string_view text = trimmed(bytes);
  if (text.empty())
    return error(ErrorKind::io, "the driver's file {} is empty", last_part_of(path));
  return std::string(text);
}

Result<double> read_kernel_number(const std::string& path, double scale) {
  DROVER_ASSIGN(const std::string text, read_kernel_file(path));
  double number = 0;
  const auto [end, code] = std::from_chars(text.data(), text.data() + text.size(), number);
  // "nan" and "inf" are numbers to from_chars.
  if (code != std::errc() || end != text.data() + text.size() || !std::isfinite(number)) {
    return error(ErrorKind::io, "{} contains \"{}\", and a number was expected", last_part_of(path),
                 excerpt(text));
  }
  return number * scale;
}

bool is_absent(const std::string& path) {
  const auto text = read_kernel_file(path);
  return !text && text.error().kind == ErrorKind::not_found;
}

Status write_kernel_file(const std::string& path, std::string_view text) {
  const OpenedFile file(path, O_WRONLY);
  if (file.descriptor < 0) return error_of(errno, path);
  const ssize_t count = write(file.descriptor, text.data(), text.size());
  if (count < 0) return error_of(errno, path);
  if (static_cast<std::size_t>(count) != text.size()) return error_of(EIO, path);
  return {};
}

int for_each_name(const std::string& folder, const std::function<void(const char*)>& call) {
  const std::unique_ptr<DIR, int (*)(DIR*)> opened(opendir(folder.c_str()), closedir);
  if (!opened) return errno;
  for (std::size_t count = 0; count < folder_names_max; ++count) {
    const dirent* entry = readdir(opened.get());
    if (entry == nullptr) break;
    const std::string_view name = entry->d_name;
    if (name != "." && name != "..") call(entry->d_name);
  }
  return 0;
}

std::vector<std::string> folder_names(const std::string& folder, std::string_view prefix) {
  std::vector<std::string> names;
  for_each_name(folder, [&](const char* name) {
    if (std::string_view(name).starts_with(prefix)) names.emplace_back(name);
  });
  std::sort(names.begin(), names.end(), natural_less);
  return names;
}

std::string link_target(const std::string& path) {
  char target[PATH_MAX];
  const ssize_t length = readlink(path.c_str(), target, sizeof target);
  return {target, static_cast<std::size_t>(std::max<ssize_t>(length, 0))};
}

std::string_view value_of_key(std::string_view text, std::string_view key, char separator) {
  while (!text.empty()) {
    const std::string_view line = text.substr(0, text.find('\n'));
    text.remove_prefix(std::min(text.size(), line.size() + 1));
    if (line.size() > key.size() && line.starts_with(key) && line[key.size()] == separator)
      return trimmed(line.substr(key.size() + 1));
  }
  return {};
}

}  // namespace drover::agents
