#include "commands/launch/payload.h"

#include <elf.h>
#include <link.h>
#include <sys/utsname.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <cstring>
#include <filesystem>
#include <string_view>
#include <utility>
#include <vector>

#include "agents/launch/tar.h"
#include "commands/shell/files.h"

namespace drover::commands {

namespace {

namespace fs = std::filesystem;

constexpr std::size_t payload_file_bytes_max = std::size_t{1} << 30;

/// Libraries of glibc and the kernel: the host uses its own, whose version is checked.
constexpr std::array glibc_parts = {
    "ld-linux",    "libc.so",  "libm.so",         "libmvec.so",         "libpthread.so",
    "libdl.so",    "librt.so", "libresolv.so",    "libutil.so",         "libanl.so",
    "libnsl.so.1", "libnss_",  "libthread_db.so", "libBrokenLocale.so", "linux-vdso",
    "linux-gate",
};

bool is_glibc(const std::string& name) {
  return std::any_of(glibc_parts.begin(), glibc_parts.end(),
                     [&](const char* part) { return name.starts_with(part); });
}

/// Paths of the shared libraries of this process, as its loader found them.
std::vector<std::string> loaded_libraries() {
  std::vector<std::string> paths;
  const auto visit = [](dl_phdr_info* object, std::size_t, void* list) {
    const std::string path = object->dlpi_name == nullptr ? "" : object->dlpi_name;
    if (path.starts_with("/") && !is_glibc(fs::path(path).filename().string())) {
      static_cast<std::vector<std::string>*>(list)->push_back(path);
    }
    return 0;
  };
  dl_iterate_phdr(visit, &paths);
  std::sort(paths.begin(), paths.end());
  return paths;
}

/// Cuts off the debug information, which follows the loaded segments and is most of a debug build.
/// Leaves files of other formats as they are.
void keep_loaded_part(std::string& bytes) {
  ElfW(Ehdr) header;
  if (bytes.size() < sizeof header || !bytes.starts_with(ELFMAG)) return;
  std::memcpy(&header, bytes.data(), sizeof header);
  std::size_t end = header.e_phoff + std::size_t{header.e_phnum} * sizeof(ElfW(Phdr));
  for (std::size_t i = 0; i < header.e_phnum; ++i) {
    ElfW(Phdr) part;
    const std::size_t at = header.e_phoff + i * sizeof part;
    if (header.e_phentsize != sizeof part || at + sizeof part > bytes.size()) return;
    std::memcpy(&part, bytes.data() + at, sizeof part);
    end = std::max<std::size_t>(end, part.p_offset + part.p_filesz);
  }
  if (header.e_phnum == 0 || end > bytes.size()) return;
  bytes.resize(end);
  header.e_shoff = 0;
  header.e_shnum = 0;
  header.e_shstrndx = SHN_UNDEF;
  std::memcpy(bytes.data(), &header, sizeof header);
}

/// The largest N of the versions GLIBC_2.N that a file requires, at least `newest`.
int newest_glibc(std::string_view bytes, int newest) {
  constexpr std::string_view prefix = "GLIBC_2.";
  for (std::size_t at = bytes.find(prefix); at != std::string_view::npos;
       at = bytes.find(prefix, at)) {
    at += prefix.size();
    int minor = 0;
    const char* start = bytes.data() + at;
    std::from_chars(start, start + std::min<std::size_t>(3, bytes.size() - at), minor);
    newest = std::max(newest, minor);
  }
  return newest;
}

}  // namespace

Result<LaunchPayload> build_launch_payload(bool packed) {
  LaunchPayload payload;
  utsname machine{};
  if (uname(&machine) != 0)
    return error(ErrorKind::io, "uname failed: the architecture is unknown");
  payload.needs.machine = machine.machine;
  std::vector<std::pair<std::string, std::string>> files;  // name in the archive, contents
  const auto add = [&](const std::string& name, const std::string& path) -> Status {
    DROVER_ASSIGN(auto bytes, read_file(path, payload_file_bytes_max));
    keep_loaded_part(bytes);
    payload.needs.glibc_minor = newest_glibc(bytes, payload.needs.glibc_minor);
    files.emplace_back(name, std::move(bytes));
    return {};
  };
  DROVER_TRY(add("drover", "/proc/self/exe"));
  for (const std::string& path : loaded_libraries()) {
    const Status added = add("lib/" + fs::path(path).filename().string(), path);
    if (!added) return added.error();
  }
  std::vector<std::string_view> parts;
  std::size_t total = 0;
  for (const auto& [name, bytes] : files) {
    parts.insert(parts.end(), {name, bytes});
    total += bytes.size() + 1024;
  }
  payload.needs.version = launch::content_name(parts);
  if (!packed) return payload;
  payload.tar.reserve(total + 4096);
  for (const auto& [name, bytes] : files) launch::add_to_tar(payload.tar, name, 0755, bytes);
  // The last file marks a complete archive: many tar programs accept one that ends early between
  // two files.
  launch::add_to_tar(payload.tar, "whole", 0644, payload.needs.version);
  launch::end_tar(payload.tar);
  return payload;
}

}  // namespace drover::commands
