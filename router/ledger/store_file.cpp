#include "router/ledger/store_file.h"

#include <fcntl.h>
#include <sys/file.h>
#include <unistd.h>

#include <cerrno>
#include <cstdint>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <string_view>
#include <vector>

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
    if (link == links_max) return ledger_error(given, "its symbolic links form a loop");
    const files::path target = files::read_symlink(path, problem);
    if (problem) return ledger_error(given, "{}", problem.message());
    path = path.parent_path() / target;  // an absolute target replaces the folder
  }
  const files::path folder = files::weakly_canonical(path.parent_path(), problem);
  if (problem) return ledger_error(given, "{}", problem.message());
  const auto kind = files::status(folder, problem).type();
  if (kind == files::file_type::not_found) {
    return ledger_error(given, "there is no folder {}", folder.string());
  }
  if (kind != files::file_type::directory) {
    return ledger_error(given, "{} is not a folder that can be read", folder.string());
  }
  return folder / path.filename();
}

constexpr std::size_t header_bytes = 32;
constexpr std::size_t frame_header_bytes = 24;
constexpr std::size_t checked_of_frame_header = 8;  // page and size; not salts and checksums
constexpr std::uint32_t magic = 0x377f0682;         // plus 1 for big-endian checksums
constexpr std::size_t page_bytes_max = 65'536;
// A torn commit, and a slice of compaction that waited for its sync.
constexpr int unsynced_commits_max = 2;

std::uint32_t big_endian(const char* bytes) {
  std::uint32_t word = 0;
  for (int byte = 0; byte < 4; ++byte) word = word << 8 | static_cast<unsigned char>(bytes[byte]);
  return word;
}

std::uint32_t little_endian(const char* bytes) {
  std::uint32_t word = 0;
  for (int byte = 3; byte >= 0; --byte) word = word << 8 | static_cast<unsigned char>(bytes[byte]);
  return word;
}

struct Checksum {
  bool by_big_endian = false;
  std::uint32_t first = 0, second = 0;

  void add(std::string_view bytes) {
    for (std::size_t at = 0; at + 8 <= bytes.size(); at += 8) {
      first += word(bytes.data() + at) + second;
      second += word(bytes.data() + at + 4) + first;
    }
  }
  bool is(const char* stored) const {
    return big_endian(stored) == first && big_endian(stored + 4) == second;
  }

 private:
  std::uint32_t word(const char* bytes) const {
    return by_big_endian ? big_endian(bytes) : little_endian(bytes);
  }
};

}  // namespace

FileDescriptor::~FileDescriptor() {
  if (descriptor_ >= 0) ::close(descriptor_);
}

Result<std::string> find_ledger(const std::string& path) {
  DROVER_ASSIGN(const auto resolved, resolve(path));
  const std::string file = resolved.string();
  std::error_code problem;
  const auto kind = files::status(file, problem).type();
  if (kind == files::file_type::not_found) return file;
  if (kind != files::file_type::regular) {
    return ledger_error(path, "{}, expected a file",
                        kind == files::file_type::directory ? "a folder" : "not a plain file");
  }
  if (const auto names = files::hard_link_count(file, problem); !problem && names > 1) {
    return ledger_error(path, "the file has {} names (hard links), expected one", names);
  }
  constexpr std::string_view magic("SQLite format 3\0", 16);
  std::string begin(magic.size(), '\0');
  std::ifstream stream(file, std::ios::binary);
  if (!stream) return ledger_error(path, "{}", std::strerror(errno));
  stream.read(begin.data(), static_cast<std::streamsize>(begin.size()));
  if (stream.gcount() == 0 || begin == magic) return file;
  return ledger_error(path, "not an SQLite file, expected a ledger or no file");
}

Status lock_ledger(const std::string& file, FileDescriptor& lock) {
  const std::string name = file + ".lock";
  lock.take(::open(name.c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0644));
  if (lock.number() < 0) return ledger_error(name, "{}", std::strerror(errno));
  if (::flock(lock.number(), LOCK_EX | LOCK_NB) == 0) return {};
  if (errno == EWOULDBLOCK) {
    return error(ErrorKind::refused, "ledger {}: another router uses it (it holds {})", file, name);
  }
  return ledger_error(name, "{}", std::strerror(errno));
}

// The log's format: https://www.sqlite.org/fileformat2.html#walformat

Status check_wal(const std::string& file) {
  const std::string path = file + "-wal";
  std::ifstream log(path, std::ios::binary);
  std::vector<char> header(header_bytes);
  if (!log.read(header.data(), header_bytes)) return {};
  // The file was extended but not written.
  if (header == std::vector<char>(header_bytes)) return {};
  const std::uint32_t found = big_endian(header.data());
  const std::size_t page_bytes = big_endian(header.data() + 8);
  Checksum sum{(found & 1U) != 0};
  sum.add({header.data(), header_bytes - 8});
  // The header fits into a sector and is synced before the first frame: no power cut tears it.
  if ((found & ~1U) != magic || page_bytes > page_bytes_max || !sum.is(header.data() + 24)) {
    return ledger_error(path, "damaged: the header of its log is invalid");
  }
  const std::string_view salts(header.data() + 16, 8);
  bool whole = true;
  std::vector<char> frame(frame_header_bytes + page_bytes);
  int commits_behind = 0;
  std::uint64_t number = 0, first_bad = 0;
  while (log.read(frame.data(), static_cast<std::streamsize>(frame.size()))) {
    ++number;
    // Frames of an earlier round of the log have other salts.
    if (std::string_view(frame.data() + 8, 8) != salts) {
      if (whole) return {};
      continue;
    }
    sum.add({frame.data(), checked_of_frame_header});
    sum.add({frame.data() + frame_header_bytes, page_bytes});
    if (whole && !sum.is(frame.data() + 16)) {
      whole = false;
      first_bad = number;
    }
    if (!whole && big_endian(frame.data() + 4) != 0) ++commits_behind;
  }
  if (commits_behind <= unsynced_commits_max) return {};
  return ledger_error(path,
                      "damaged: frame {} of its log has a wrong checksum, and the {} commits "
                      "after it would be lost",
                      first_bad, commits_behind);
}

}  // namespace drover::router
