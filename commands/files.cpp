#include "commands/files.h"

#include <algorithm>
#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <system_error>
#include <utility>
#include <vector>

#include "fleet/text.h"

namespace drover::commands {

namespace fs = std::filesystem;

Result<std::string> read_file(const std::string& path, std::size_t bytes_max) {
  std::error_code problem;
  if (fs::is_directory(path, problem)) {
    return error("{}: is a folder, expected a file", printable(path));
  }
  std::ifstream file(path, std::ios::binary);
  if (!file) return error("{}: {}", printable(path), std::strerror(errno));
  std::string text;
  char block[64 * 1024];
  while (file.read(block, sizeof block) || file.gcount() > 0) {
    text.append(block, static_cast<std::size_t>(file.gcount()));
    if (text.size() > bytes_max) {
      return error("{}: over {} bytes, expected less", printable(path), bytes_max);
    }
  }
  return text;
}

Result<devices::Catalogue> load_catalogue(const std::string& folder) {
  devices::Catalogue catalogue = devices::Catalogue::embedded();
  if (folder.empty()) return catalogue;
  std::error_code problem;
  std::vector<std::string> paths;
  for (fs::directory_iterator entry(folder, problem), end; !problem && entry != end;
       entry.increment(problem)) {
    if (entry->path().extension() == ".toml") paths.push_back(entry->path().string());
  }
  if (problem) return error("--catalogue {}: {}", printable(folder), problem.message());
  if (paths.empty()) {
    return error("--catalogue {}: holds no *.toml, expected device or model specs",
                 printable(folder));
  }
  std::sort(paths.begin(), paths.end());
  for (const std::string& path : paths) {
    const auto text = read_file(path);
    if (!text) return text.error();
    if (const Status added = catalogue.add(*text, path); !added) return added.error();
  }
  return catalogue;
}

Result<TemporaryFolder> TemporaryFolder::make() {
  std::error_code problem;
  const fs::path parent = fs::temp_directory_path(problem);
  if (problem) return error("no folder for temporary files: {}", problem.message());
  std::string pattern = (parent / "drover-XXXXXX").string();
  if (mkdtemp(pattern.data()) == nullptr) {
    return error("{}: {}", pattern, std::strerror(errno));
  }
  return TemporaryFolder(pattern);
}

TemporaryFolder::~TemporaryFolder() {
  std::error_code ignored;
  if (!path_.empty() && !kept_) fs::remove_all(path_, ignored);
}

TemporaryFolder::TemporaryFolder(TemporaryFolder&& other) noexcept
    : path_(std::exchange(other.path_, {})), kept_(other.kept_) {}

TemporaryFolder& TemporaryFolder::operator=(TemporaryFolder&& other) noexcept {
  std::swap(path_, other.path_);
  std::swap(kept_, other.kept_);
  return *this;
}

}  // namespace drover::commands
