#include "agents/fake_nvml/library/published_file.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include <cstdio>
#include <cstdlib>

namespace drover::fake_nvml {

namespace {

/// The agent writes for microseconds. One that was stopped meanwhile is as good as lost.
constexpr int tries_max = 200;
constexpr long pause_ns = 100'000;

class File {
 public:
  // O_NONBLOCK: a pipe of this name must not stop the program.
  explicit File(const char* path)
      : descriptor_(open(path, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC)) {}
  ~File() {
    if (descriptor_ >= 0) close(descriptor_);
  }
  File(const File&) = delete;
  File& operator=(const File&) = delete;

  bool is_open() const { return descriptor_ >= 0; }

  template <typename Record>
  bool read(std::size_t at, Record& record) const {
    return pread(descriptor_, &record, sizeof record, static_cast<off_t>(at)) ==
           static_cast<ssize_t>(sizeof record);
  }

  /// A file of this user or of root that nobody else can write, and an agent that holds its lock.
  bool trusted_and_alive(std::size_t& bytes) const {
    struct stat found {};
    if (fstat(descriptor_, &found) != 0 || !S_ISREG(found.st_mode)) return false;
    if (found.st_uid != geteuid() && found.st_uid != 0) return false;
    if ((found.st_mode & (S_IWGRP | S_IWOTH)) != 0) return false;
    bytes = static_cast<std::size_t>(found.st_size);
    struct flock held {};
    held.l_type = F_RDLCK;
    held.l_whence = SEEK_SET;
    return fcntl(descriptor_, F_OFD_GETLK, &held) == 0 && held.l_type == F_WRLCK;
  }

 private:
  int descriptor_;
};

bool understood(const FileHeader& header, std::size_t bytes) {
  return header.magic == file_magic && header.version == file_version &&
         header.header_bytes == sizeof(FileHeader) && header.error_bytes == sizeof(NvmlError) &&
         header.device_bytes == sizeof(NvmlDevice) && header.device_count <= devices_max &&
         bytes == file_bytes(header.device_count);
}

/// Reads header and record as the agent wrote them together.
template <typename Record>
Return read_together(const File& file, std::size_t bytes, std::size_t at, FileHeader& header,
                     Record* record) {
  for (int attempt = 0; attempt < tries_max; ++attempt) {
    std::uint64_t after = 0;
    if (!file.read(0, header) || !understood(header, bytes)) return driver_not_loaded;
    const bool there = record == nullptr || at + sizeof(Record) <= bytes;
    if (there && record != nullptr && !file.read(at, *record)) return driver_not_loaded;
    if (!file.read(offsetof(FileHeader, sequence), after)) return driver_not_loaded;
    if (header.sequence == after && after % 2 == 0) {
      if (header.present == 0) return driver_not_loaded;
      return there ? success : not_found;
    }
    const timespec pause{0, pause_ns};
    nanosleep(&pause, nullptr);
  }
  return driver_not_loaded;
}

template <typename Record>
Return read_at(const char* path, std::size_t at, FileHeader& header, Record* record) {
  const File file(path);
  std::size_t bytes = 0;
  if (!file.is_open() || !file.trusted_and_alive(bytes)) return driver_not_loaded;
  return read_together(file, bytes, at, header, record);
}

/// Where agents publish unless they are told another place: commands/agent/host_name_lock.cpp has
/// the same folders.
template <typename Record>
Return read(std::size_t at, FileHeader& header, Record* record) {
  const char* named = std::getenv(path_variable);
  if (named != nullptr && *named != '\0') return read_at(named, at, header, record);
  char path[4096];
  const char* runtime = std::getenv("XDG_RUNTIME_DIR");
  if (runtime != nullptr && *runtime == '/') {
    std::snprintf(path, sizeof path, "%s/drover/%s", runtime, file_name);
    const Return result = read_at(path, at, header, record);
    if (result != driver_not_loaded) return result;
  }
  for (const char* folder : {"/run/user/%u/drover/%s", "/tmp/drover-claims-%u/%s"}) {
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wformat-nonliteral"
    std::snprintf(path, sizeof path, folder, static_cast<unsigned>(geteuid()), file_name);
#pragma GCC diagnostic pop
    const Return result = read_at(path, at, header, record);
    if (result != driver_not_loaded) return result;
  }
  return driver_not_loaded;
}

}  // namespace

Return read_header(FileHeader& header) { return read<NvmlError>(0, header, nullptr); }

Return read_errors(Published& published) {
  return read(errors_at, published.header, &published.errors);
}

Return read_device(std::size_t index, FileHeader& header, NvmlDevice& device) {
  return read(devices_at + index * sizeof(NvmlDevice), header, &device);
}

}  // namespace drover::fake_nvml
