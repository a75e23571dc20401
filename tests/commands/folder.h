// A folder of a test's own, and the files there.
#pragma once

#include <sys/stat.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>
#include <system_error>

#include <gtest/gtest.h>

namespace drover::commands {

/// The bytes of a file; none where it is not there.
inline std::string text_of(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), {}};
}

/// Who may read and write a file.
inline mode_t mode_of(const std::string& path) {
  struct stat found {};
  EXPECT_EQ(stat(path.c_str(), &found), 0) << path;
  return found.st_mode & 07777U;
}

/// Removed at the end.
class TestFolder {
 public:
  TestFolder() { path_ = mkdtemp(path_.data()) != nullptr ? path_ : std::string(); }
  ~TestFolder() {
    std::error_code ignored;
    std::filesystem::remove_all(path_, ignored);
  }
  TestFolder(const TestFolder&) = delete;
  TestFolder& operator=(const TestFolder&) = delete;

  const std::string& path() const { return path_; }
  std::string file(const std::string& name) const { return path_ + "/" + name; }
  /// A file of this folder, whole.
  std::string read(const std::string& name) const { return text_of(file(name)); }
  /// Writes a file there; answers its path.
  std::string write(const std::string& name, const std::string& text) const {
    std::ofstream(file(name), std::ios::binary) << text;
    return file(name);
  }

 private:
  std::string path_ = (std::filesystem::temp_directory_path() / "drover-test-XXXXXX").string();
};

}  // namespace drover::commands
