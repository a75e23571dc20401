#include "router/ledger/store_file.h"

#include <fcntl.h>
#include <sys/file.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <string_view>

namespace drover::router {
namespace {

namespace files = std::filesystem;

// More symbolic links than this are a cycle; the kernel's own limit.
constexpr int links_max = 40;

/// Links are resolved by hand: the library does not follow a link to a file that does not exist
/// yet.
Result<files::path> resolve(const std::string& given) {
  std::error_code problem;
  files::path path = files::absolute(given, problem);
  for (int link = 0; files::is_symlink(path, problem); ++link) {
    if (link == links_max)
      return error(ErrorKind::io, "ledger {}: its symbolic links form a loop", given);
    const files::path target = files::read_symlink(path, problem);
    if (problem) return error(ErrorKind::io, "ledger {}: {}", given, problem.message());
    path = path.parent_path() / target;  // an absolute target replaces the folder
  }
  const files::path folder = files::weakly_canonical(path.parent_path(), problem);
  if (problem) return error(ErrorKind::io, "ledger {}: {}", given, problem.message());
  const auto kind = files::status(folder, problem).type();
  if (kind == files::file_type::not_found) {
    return error(ErrorKind::io, "ledger {}: there is no folder {}", given, folder.string());
  }
  if (kind != files::file_type::directory) {
    return error(ErrorKind::io, "ledger {}: {} is not a folder that can be read", given,
                 folder.string());
  }
  return folder / path.filename();
}

}  // namespace

FileDescriptor::~FileDescriptor() {
  if (descriptor_ >= 0) ::close(descriptor_);
}

Result<std::string> find_ledger(const std::string& path) {
  const auto resolved = resolve(path);
  if (!resolved) return resolved.error();
  const std::string file = resolved->string();
  std::error_code problem;
  const auto kind = files::status(file, problem).type();
  if (kind == files::file_type::not_found) return file;
  if (kind != files::file_type::regular) {
    return error(ErrorKind::io, "ledger {}: {}, expected a file", path,
                 kind == files::file_type::directory ? "a folder" : "not a plain file");
  }
  if (const auto names = files::hard_link_count(file, problem); !problem && names > 1) {
    return error(ErrorKind::io, "ledger {}: the file has {} names (hard links), expected one", path,
                 names);
  }
  constexpr std::string_view magic("SQLite format 3\0", 16);
  std::string begin(magic.size(), '\0');
  std::ifstream stream(file, std::ios::binary);
  if (!stream) return error(ErrorKind::io, "ledger {}: {}", path, std::strerror(errno));
  stream.read(begin.data(), static_cast<std::streamsize>(begin.size()));
  if (stream.gcount() == 0 || begin == magic) return file;
  return error(ErrorKind::io, "ledger {}: not an SQLite file, expected a ledger or no file", path);
}

Status lock_ledger(const std::string& file, FileDescriptor& lock) {
  const std::string name = file + ".lock";
  lock.take(::open(name.c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0644));
  if (lock.number() < 0) return error(ErrorKind::io, "ledger {}: {}", name, std::strerror(errno));
  if (::flock(lock.number(), LOCK_EX | LOCK_NB) == 0) return {};
  if (errno == EWOULDBLOCK) {
    return error(ErrorKind::refused, "ledger {}: another router uses it (it holds {})", file, name);
  }
  return error(ErrorKind::io, "ledger {}: {}", name, std::strerror(errno));
}

}  // namespace drover::router
