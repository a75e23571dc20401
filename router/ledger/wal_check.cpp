// The log's format: https://www.sqlite.org/fileformat2.html#walformat
#include "router/ledger/wal_check.h"

#include <cstdint>
#include <fstream>
#include <string_view>
#include <vector>

namespace drover::router {
namespace {

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
    return error(ErrorKind::io, "ledger {}: damaged: the header of its log is invalid", path);
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
  return error(ErrorKind::io,
               "ledger {}: damaged: frame {} of its log has a wrong checksum, and the {} commits "
               "after it would be lost",
               path, first_bad, commits_behind);
}

}  // namespace drover::router
