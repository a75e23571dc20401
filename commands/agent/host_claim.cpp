#include "commands/agent/host_claim.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <system_error>
#include <utility>

#include <fmt/format.h>

#include "fleet/base/fnv1a.h"
#include "fleet/base/text.h"
#include "fleet/socket/socket.h"

namespace drover::commands {

namespace {

constexpr mode_t others_write = S_IWGRP | S_IWOTH;

/// The same for every spelling of this machine's own address.
std::string router_text(const std::string& text) {
  const auto endpoint = parse_endpoint(text, "");
  if (!endpoint) return text;
  return endpoint->loopback() ? fmt::format("loopback:{}", endpoint->port) : endpoint->to_text();
}

/// Of two network namespaces, as containers have them, each has a loopback of its own.
std::string network() {
  std::error_code unknown;
  return std::filesystem::read_symlink("/proc/self/ns/net", unknown).string();
}

/// Which byte of the file is locked. 62 bits: it must be a place in a file.
std::uint64_t place_of(const std::string& host, const std::string& endpoint) {
  return fnv1a(fmt::format("{}/{}/{}", network(), router_text(endpoint), host)) >> 2U;
}

/// Why others could be in the way there. Empty: the folder is this user's alone.
std::string unsafe_by(const struct stat& found, const std::string& path) {
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
      "{}: others may write there (mode {:04o}), and so keep an agent from starting; mend it with: "
      "chmod 700 {}",
      printable(path), found.st_mode & 07777U, printable(path));
}

/// Owned by this user, and of use to nobody else.
bool is_private(const std::string& path) {
  struct stat found {};
  return path.starts_with('/') && lstat(path.c_str(), &found) == 0 &&
         unsafe_by(found, path).empty() && (found.st_mode & 07777U) == S_IRWXU;
}

struct ClaimFile {
  OpenFile file;
  std::string problem;    // why there is none
  bool mendable = false;  // by this user, and nobody else has done it
};

ClaimFile unusable(const std::string& path) {
  return {OpenFile(), fmt::format("{}: {}", printable(path), std::strerror(errno)), false};
}

ClaimFile open_claims(const std::string& path) {
  if (mkdir(path.c_str(), S_IRWXU) != 0 && errno != EEXIST) return unusable(path);
  // Only looked at, so that it can be somebody else's, or a link.
  const OpenFile folder(open(path.c_str(), O_PATH | O_NOFOLLOW | O_CLOEXEC));
  struct stat found {};
  if (!folder.is_open() || fstat(folder.get(), &found) != 0) return unusable(path);
  if (std::string unsafe = unsafe_by(found, path); !unsafe.empty()) {
    return {OpenFile(), std::move(unsafe), found.st_uid == geteuid()};
  }
  constexpr int flags = O_RDWR | O_CREAT | O_NOFOLLOW | O_CLOEXEC;
  OpenFile file(openat(folder.get(), "claims", flags, S_IRUSR | S_IWUSR));
  if (!file.is_open()) return unusable(path + "/claims");
  // What cleans up old files leaves those with this bit (XDG Base Directory Specification 0.8).
  (void)fchmod(file.get(), S_ISVTX | S_IRUSR | S_IWUSR);
  return {std::move(file), {}, false};
}

}  // namespace

std::vector<std::string> claim_folders() {
  const std::string user = std::to_string(geteuid());
  const char* told = std::getenv("XDG_RUNTIME_DIR");
  std::vector<std::string> folders;
  for (const std::string& runtime :
       {std::string(told == nullptr ? "" : told), "/run/user/" + user}) {
    if (folders.empty() && is_private(runtime)) folders.push_back(runtime + "/drover");
  }
  folders.push_back("/tmp/drover-claims-" + user);
  return folders;
}

HostClaim::HostClaim(const std::string& host, const std::string& endpoint,
                     std::vector<std::string> folders)
    : place_(place_of(host, endpoint)), folders_(std::move(folders)) {}

Result<bool> HostClaim::take() {
  if (!locks_.empty()) return true;
  passed_over_.clear();
  bool mendable = false;
  std::vector<OpenFile> locks;
  for (const std::string& path : folders_) {
    ClaimFile claims = open_claims(path);
    if (claims.file.is_open()) {
      struct flock wanted {};
      wanted.l_type = F_WRLCK;
      wanted.l_whence = SEEK_SET;
      wanted.l_start = static_cast<off_t>(place_);
      wanted.l_len = 1;
      if (fcntl(claims.file.get(), F_OFD_SETLK, &wanted) == 0) {
        locks.push_back(std::move(claims.file));
        continue;
      }
      if (errno == EAGAIN || errno == EACCES) return false;
      claims = unusable(path + "/claims");
    }
    mendable = mendable || claims.mendable;
    passed_over_.push_back(std::move(claims.problem));
  }
  // What another user has put in the way keeps no agent from running, and neither does a machine
  // without such folders, as one that only reads its disk.
  if (locks.empty() && mendable) return error("{}", fmt::join(passed_over_, "; "));
  locks_ = std::move(locks);
  return true;
}

}  // namespace drover::commands
