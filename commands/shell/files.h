// Files of the user, read whole, and folders of our own.
#pragma once

#include <cstddef>
#include <optional>
#include <string>

#include "fleet/base/result.h"

namespace drover::commands {

/// The error names the file and what the system says. Refuses files over `bytes_max`.
Result<std::string> read_file(const std::string& path, std::size_t bytes_max = 64U << 20);

/// $XDG_CONFIG_HOME/drover, else ~/.config/drover; nothing where there is no home.
std::optional<std::string> config_folder();

/// A new folder under $TMPDIR that only this user can read; removed by the destructor unless kept.
/// What killed processes have left there is removed first.
class TemporaryFolder {
 public:
  static Result<TemporaryFolder> make();
  ~TemporaryFolder();
  TemporaryFolder(TemporaryFolder&& other) noexcept;
  TemporaryFolder& operator=(TemporaryFolder&& other) noexcept;

  const std::string& path() const { return path_; }
  void keep();

 private:
  explicit TemporaryFolder(std::string path, int lock) : path_(std::move(path)), lock_(lock) {}
  std::string path_;
  int lock_ = -1;  // on the folder, held while its process lives
  bool kept_ = false;
};

}  // namespace drover::commands
