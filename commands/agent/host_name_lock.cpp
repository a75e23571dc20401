#include "commands/agent/host_name_lock.h"

#include <fcntl.h>
#include <poll.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstdlib>
#include <filesystem>
#include <system_error>
#include <utility>

#include <fmt/format.h>

#include "commands/shell/clock.h"
#include "commands/shell/output.h"
#include "fleet/base/fnv1a.h"
#include "fleet/base/text.h"
#include "fleet/socket/socket.h"

namespace drover::commands {

namespace {

/// How long a starting agent waits for an earlier one of its name.
constexpr WallSpan claim_max = std::chrono::seconds(3);

/// The endpoint's text, the same for every spelling of this machine's own address.
std::string router_text(const std::string& text) {
  const auto endpoint = parse_endpoint(text, "");
  if (!endpoint) return text;
  return endpoint->loopback() ? fmt::format("loopback:{}", endpoint->port) : endpoint->to_text();
}

/// Each network namespace (such as a container's) has its own loopback.
std::string network() {
  std::error_code unknown;
  return std::filesystem::read_symlink("/proc/self/ns/net", unknown).string();
}

/// The byte of the file that is locked. 62 bits: it must be a valid file offset.
std::uint64_t lock_offset(const std::string& host, const std::string& endpoint) {
  return fnv1a(fmt::format("{}/{}/{}", network(), router_text(endpoint), host)) >> 2U;
}

/// Why others could interfere there. Empty: only this user can write to the folder.
std::string interference_problem(const struct stat& found, const std::string& path) {
  if (found.st_uid != geteuid()) {
    return fmt::format(
        "{}: belongs to user {}, expected this user ({}); remove it, or set XDG_RUNTIME_DIR to a "
        "folder that only this user may use (mode 0700)",
        printable(path), found.st_uid, geteuid());
  }
  if (!S_ISDIR(found.st_mode)) {
    return fmt::format("{}: is {}, expected a folder; remove it", printable(path),
                       S_ISLNK(found.st_mode) ? "a symbolic link" : "a file");
  }
  if ((found.st_mode & others_write) == 0) return {};
  return fmt::format(
      "{}: others may write there (mode {:04o}) and could keep an agent from starting; fix with: "
      "chmod 700 {}",
      printable(path), found.st_mode & 07777U, printable(path));
}

/// Owned by this user and inaccessible to others.
bool is_private(const std::string& path) {
  struct stat found {};
  return path.starts_with('/') && lstat(path.c_str(), &found) == 0 &&
         interference_problem(found, path).empty() && (found.st_mode & 07777U) == S_IRWXU;
}

struct LockFile {
  FileDescriptor file;
  std::string problem;   // why it could not be opened
  bool fixable = false;  // by this user, whose folder it is
};

LockFile unusable(const std::string& path) { return {{}, file_error(path).message, false}; }

LockFile open_lock_file(const std::string& path) {
  PrivateFolder opened = open_private_folder(path);
  if (!opened.problem.empty()) return {{}, std::move(opened.problem), opened.fixable};
  constexpr int flags = O_RDWR | O_CREAT | O_NOFOLLOW | O_CLOEXEC;
  FileDescriptor file(openat(opened.folder.get(), "claims", flags, S_IRUSR | S_IWUSR));
  if (!file.is_open()) return unusable(path + "/claims");
  // Clean-up of old files skips files with this bit (XDG Base Directory Specification 0.8).
  (void)fchmod(file.get(), S_ISVTX | S_IRUSR | S_IWUSR);
  return {std::move(file), {}, false};
}

}  // namespace

PrivateFolder open_private_folder(const std::string& path) {
  if (mkdir(path.c_str(), S_IRWXU) != 0 && errno != EEXIST) {
    return {{}, file_error(path).message, false};
  }
  // O_PATH: the folder may belong to somebody else or be a link.
  FileDescriptor folder(open(path.c_str(), O_PATH | O_NOFOLLOW | O_CLOEXEC));
  struct stat found {};
  if (!folder.is_open() || fstat(folder.get(), &found) != 0) {
    return {{}, file_error(path).message, false};
  }
  std::string unsafe = interference_problem(found, path);
  if (!unsafe.empty()) return {{}, std::move(unsafe), found.st_uid == geteuid()};
  return {std::move(folder), {}, false};
}

std::vector<std::string> host_lock_folders() {
  const std::string user = std::to_string(geteuid());
  const char* from_environment = std::getenv("XDG_RUNTIME_DIR");
  std::vector<std::string> folders;
  for (const std::string& runtime :
       {std::string(from_environment == nullptr ? "" : from_environment), "/run/user/" + user}) {
    if (folders.empty() && is_private(runtime)) folders.push_back(runtime + "/drover");
  }
  folders.push_back("/tmp/drover-claims-" + user);
  return folders;
}

HostNameLock::HostNameLock(const std::string& host, const std::string& endpoint,
                           std::vector<std::string> folders)
    : offset_(lock_offset(host, endpoint)), folders_(std::move(folders)) {}

Result<bool> HostNameLock::take() {
  if (!locks_.empty()) return true;
  passed_over_.clear();
  bool fixable = false;
  std::vector<FileDescriptor> locks;
  for (const std::string& path : folders_) {
    LockFile lock_file = open_lock_file(path);
    if (lock_file.file.is_open()) {
      struct flock request {};
      request.l_type = F_WRLCK;
      request.l_whence = SEEK_SET;
      request.l_start = static_cast<off_t>(offset_);
      request.l_len = 1;
      if (fcntl(lock_file.file.get(), F_OFD_SETLK, &request) == 0) {
        locks.push_back(std::move(lock_file.file));
        continue;
      }
      if (errno == EAGAIN || errno == EACCES) return false;
      lock_file = unusable(path + "/claims");
    }
    fixable = fixable || lock_file.fixable;
    passed_over_.push_back(std::move(lock_file.problem));
  }
  // An agent also runs if another user blocks the folders, or if the machine has none (such as one
  // with a read-only disk).
  if (locks.empty() && fixable) return error(ErrorKind::io, "{}", joined(passed_over_, "; "));
  locks_ = std::move(locks);
  return true;
}

Status claim_host_name(HostNameLock& lock, const std::string& host, StopSignals& signals) {
  const WallTime end = wall_now() + claim_max;
  bool reported = false;
  while (!signals.stopped()) {
    DROVER_ASSIGN(const auto taken, lock.take());
    if (taken) break;
    if (wall_now() >= end) {
      return error(ErrorKind::refused,
                   "another agent named {} runs on this machine: give this one another --name",
                   host);
    }
    if (!std::exchange(reported, true)) {
      write_stderr("drover agent: another agent named {} runs on this machine; waiting\n", host);
    }
    pollfd watched{signals.descriptor(), POLLIN, 0};
    (void)::poll(&watched, 1, 100);
  }
  for (const std::string& why : lock.passed_over()) {
    write_stderr("drover agent: {}; a second agent of this name may not be detected\n", why);
  }
  return {};
}

}  // namespace drover::commands
