// Reads whole files, and makes the program's own folders.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>

#include "commands/shell/file_descriptor.h"
#include "fleet/base/result.h"

namespace drover::commands {

/// The error names the file and the system's error. Refuses files over `bytes_max`.
Result<std::string> read_file(const std::string& path, std::size_t bytes_max = 64U << 20);

/// $VARIABLE/drover, else ~/in_home/drover; no value without a home folder.
std::optional<std::string> user_folder(const char* variable, const char* in_home);

/// Makes the missing folders of a path; only this user can access new ones. The error names the
/// folder that cannot be made.
Status make_private_folder(const std::string& folder);

/// How far a file is written when the call returns: `system` does not wait for the disk, so that a
/// power failure, but no crash of the program, may lose the text.
enum class WrittenTo : std::uint8_t { system, disk };
/// Replaces the file, or makes it: readers find the old text or the new one. Only this user can
/// read it. The error names the file.
Status replace_file(const std::string& path, const std::string& text, WrittenTo written_to);

/// A new folder under $TMPDIR that only this user can read. The destructor removes it unless it is
/// kept. `make` also removes the folders that killed processes have left there.
class TemporaryFolder {
 public:
  static Result<TemporaryFolder> make();
  ~TemporaryFolder();
  TemporaryFolder(TemporaryFolder&& other) noexcept;
  TemporaryFolder& operator=(TemporaryFolder&& other) noexcept;

  const std::string& path() const { return path_; }
  void keep();

 private:
  TemporaryFolder(std::string path, FileDescriptor lock)
      : path_(std::move(path)), lock_(std::move(lock)) {}
  std::string path_;
  FileDescriptor lock_;  // on the folder, held while the process runs
  bool kept_ = false;
};

}  // namespace drover::commands
