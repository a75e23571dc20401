// The public MCAP library, @mcap/core, in a folder of its own.
#pragma once

#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <string>

namespace drover::recording_test {

struct Ended {
  int status = -1;
  std::string output;
};

/// Of a shell command: standard output and error together.
inline Ended run(const std::string& command) {
  Ended result;
  FILE* pipe = popen((command + " 2>&1").c_str(), "r");
  if (pipe == nullptr) return result;
  char bytes[4096];
  for (std::size_t got; (got = fread(bytes, 1, sizeof bytes, pipe)) > 0;) {
    result.output.append(bytes, got);
  }
  result.status = pclose(pipe);
  return result;
}

class PublicReader {
 public:
  /// Installs it. `missing` says why it is not there.
  explicit PublicReader(const std::filesystem::path& source_folder) {
    namespace fs = std::filesystem;
    if (run("node --version && npm --version").status != 0) {
      missing = "node and npm are not installed";
      return;
    }
    std::string name = (fs::temp_directory_path() / "mcap_core_XXXXXX").string();
    folder_ = mkdtemp(name.data());
    for (const char* file : {"package.json", "read.mjs"}) {
      fs::copy_file(source_folder / "tests/recording_reader" / file, folder_ / file);
    }
    const Ended install = run("cd '" + folder_.string() +
                              "' && timeout 120 npm install --no-package-lock --no-audit --no-fund "
                              "--loglevel=error");
    if (install.status != 0) missing = "npm gave no @mcap/core: " + install.output;
  }
  PublicReader(const PublicReader&) = delete;
  PublicReader& operator=(const PublicReader&) = delete;
  ~PublicReader() {
    if (!folder_.empty()) std::filesystem::remove_all(folder_);
  }

  /// What read.mjs prints of a file.
  Ended read(const std::string& path) const {
    return run("cd '" + folder_.string() + "' && timeout 60 node read.mjs '" + path + "'");
  }

  std::string missing;

 private:
  std::filesystem::path folder_;
};

}  // namespace drover::recording_test
