#include "commands/agent/fake_nvml_file.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <utility>

#include "commands/agent/host_name_lock.h"
#include "fleet/base/text.h"

namespace drover::commands {

namespace {

using namespace fake_nvml;

/// The first of this user's folders that can be used.
Result<std::string> usual_path() {
  if (const char* named = std::getenv(path_variable); named != nullptr && *named != '\0') {
    return std::string(named);
  }
  std::string problem;
  for (const std::string& folder : host_lock_folders()) {
    const PrivateFolder opened = open_private_folder(folder);
    if (opened.problem.empty()) return folder + "/" + file_name;
    problem = opened.problem;
  }
  return error(ErrorKind::io, "--fake-nvml: {}", problem);
}

struct flock whole_file(short type) {
  struct flock request {};
  request.l_type = type;
  request.l_whence = SEEK_SET;
  return request;
}

/// Nothing is there, or what an agent left that has ended.
Status check_free(const std::string& path) {
  const FileDescriptor there(::open(path.c_str(), O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC));
  if (!there.is_open()) {
    if (errno == ENOENT) return {};
    return error(ErrorKind::io, "--fake-nvml: {}", file_error(path).message);
  }
  FileHeader header;
  if (pread(there.get(), &header, sizeof header, 0) != sizeof header ||
      header.magic != file_magic) {
    return error(ErrorKind::io,
                 "--fake-nvml: {}: is another file, expected none or one of an earlier agent",
                 printable(path));
  }
  struct flock held = whole_file(F_RDLCK);
  if (fcntl(there.get(), F_OFD_GETLK, &held) == 0 && held.l_type != F_UNLCK) {
    return error(ErrorKind::refused,
                 "--fake-nvml: another agent serves NVML from {}: give this one another file, with "
                 "--fake-nvml=FILE, and its readers {}=FILE",
                 printable(path), path_variable);
  }
  return {};
}

}  // namespace

FakeNvmlFile::FakeNvmlFile(std::string path, FileDescriptor file, std::size_t devices)
    : path_(std::move(path)), file_(std::move(file)) {
  header_.error_bytes = sizeof(NvmlError);
  header_.device_bytes = sizeof(NvmlDevice);
  header_.device_count = static_cast<std::uint32_t>(devices);
  const auto now = std::chrono::system_clock::now().time_since_epoch();
  header_.generation = static_cast<std::uint64_t>(now.count());
}

FakeNvmlFile::~FakeNvmlFile() {
  if (file_.is_open()) unlink(path_.c_str());
}

/// A complete and locked file takes the place of the one before: readers of that one go on to see
/// that its agent has ended.
Result<FakeNvmlFile> FakeNvmlFile::open(const std::string& path, std::size_t devices) {
  DROVER_ASSIGN(const std::string place, path.empty() ? usual_path() : Result<std::string>(path));
  DROVER_TRY(check_free(place));
  std::string new_place = place + ".XXXXXX";
  FileDescriptor file(mkostemp(new_place.data(), O_CLOEXEC));
  if (!file.is_open()) return error(ErrorKind::io, "--fake-nvml: {}", file_error(place).message);
  struct flock request = whole_file(F_WRLCK);
  const auto bytes = static_cast<off_t>(file_bytes(devices));
  const bool made = fchmod(file.get(), S_IRUSR | S_IWUSR | S_IRGRP | S_IROTH) == 0 &&
                    (errno = posix_fallocate(file.get(), 0, bytes)) == 0 &&
                    fcntl(file.get(), F_OFD_SETLK, &request) == 0;
  FakeNvmlFile published(place, std::move(file), devices);
  published.publish_absence();
  if (!made || std::rename(new_place.c_str(), place.c_str()) != 0) {
    Error problem = error(ErrorKind::io, "--fake-nvml: {}", file_error(place).message);
    unlink(new_place.c_str());
    published.file_.reset();
    return problem;
  }
  return published;
}

void FakeNvmlFile::publish(const Records& records) {
  DROVER_REQUIRE(records.devices.size() == header_.device_count);
  begin();
  (void)pwrite(file_.get(), records.errors.data(), sizeof records.errors, errors_at);
  (void)pwrite(file_.get(), records.devices.data(), records.devices.size() * sizeof(NvmlDevice),
               devices_at);
  header_.errors_total = records.errors_total;
  header_.present = 1;
  end();
}

void FakeNvmlFile::publish_absence() {
  begin();
  header_.present = 0;
  end();
}

/// The space was reserved, so writing cannot fail for lack of it.
void FakeNvmlFile::begin() {
  ++header_.sequence;  // now odd
  (void)pwrite(file_.get(), &header_, sizeof header_, 0);
}

void FakeNvmlFile::end() {
  ++header_.sequence;
  const auto now = std::chrono::system_clock::now().time_since_epoch();
  header_.published_us = static_cast<std::uint64_t>(
      std::chrono::duration_cast<std::chrono::microseconds>(now).count());
  (void)pwrite(file_.get(), &header_, sizeof header_, 0);
}

}  // namespace drover::commands
