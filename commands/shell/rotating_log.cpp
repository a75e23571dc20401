#include "commands/shell/rotating_log.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <cstring>

#include "commands/shell/files.h"
#include "fleet/base/text.h"

namespace drover::commands {

namespace {

constexpr off_t log_bytes_max = 1 << 20;

}  // namespace

Status RotatingLog::open(const std::string& path) {
  path_ = path;
  if (path.empty()) return {};
  const int file = ::open(path.c_str(), O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0600);
  if (file < 0) return error(ErrorKind::io, "--log {}: {}", printable(path), std::strerror(errno));
  for (const int stream : {STDOUT_FILENO, STDERR_FILENO}) dup2(file, stream);
  close(file);
  return {};
}

void RotatingLog::rotate_when_large() {
  const WallTime now = wall_now();
  if (path_.empty() || now - checked_ < std::chrono::seconds(1)) return;
  checked_ = now;
  struct stat log {};
  if (fstat(STDERR_FILENO, &log) != 0 || log.st_size <= log_bytes_max) return;
  // If this fails the log keeps growing: an agent does not exit because of it.
  if (std::rename(path_.c_str(), (path_ + ".1").c_str()) == 0) (void)open(path_);
}

Status write_state_file(const std::string& path, const std::string& state) {
  if (path.empty()) return {};
  return replace_file(path, state + "\n", WrittenTo::system);
}

}  // namespace drover::commands
