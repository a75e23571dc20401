// A folder with files in the places of the kernel's, removed at the end; and what tests ask of the
// readings from it.
#pragma once

#include <gtest/gtest.h>

#include <cmath>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <string>
#include <string_view>

#include "agents/drivers/driver.h"
#include "agents/watch/reading.h"
#include "fleet/base/search.h"

namespace drover::agents {

class FileTree {
 public:
  FileTree() {
    std::string name = (std::filesystem::temp_directory_path() / "drover-files-XXXXXX").string();
    root_ = mkdtemp(name.data());
  }
  ~FileTree() { std::filesystem::remove_all(root_); }
  FileTree(const FileTree&) = delete;
  FileTree& operator=(const FileTree&) = delete;

  const std::string& root() const { return root_; }
  std::string path(std::string_view name) const { return root_ + "/" + std::string(name); }

  void write(std::string_view name, std::string_view text) const {
    make_folder_of(name);
    std::ofstream(path(name), std::ios::binary) << text;
  }
  void link(std::string_view name, const std::string& target) const {
    make_folder_of(name);
    std::filesystem::create_symlink(target, path(name));
  }
  void remove(std::string_view name) const { std::filesystem::remove_all(path(name)); }
  std::string text_of(std::string_view name) const {
    std::ifstream file(path(name), std::ios::binary);
    return {std::istreambuf_iterator<char>(file), {}};
  }

 private:
  void make_folder_of(std::string_view name) const {
    std::filesystem::create_directories(std::filesystem::path(path(name)).parent_path());
  }
  std::string root_;
};

inline DriverPlaces places_in(const FileTree& tree) {
  DriverPlaces places;
  places.root = tree.root();
  return places;
}

/// Why the metric is missing; empty: no reason is given.
inline std::string why_missing(const BoardReading& reading, Metric metric) {
  const auto* missing =
      find_by(reading.board.missing, &MissingMetric::metric, static_cast<std::uint8_t>(metric));
  return missing == nullptr ? "" : missing->why;
}

/// Each metric of a device has a value or a reason, and never both; the reasons are in order. The
/// busiest core is of the host.
inline void expect_value_or_reason_for_all(const BoardReading& reading) {
  for (int number = 0; number < metric_count; ++number) {
    const auto metric = static_cast<Metric>(number);
    if (metric == Metric::busiest_cpu_core) continue;
    EXPECT_NE(std::isnan(reading.values[metric]), why_missing(reading, metric).empty())
        << facts(metric).name << ": " << reading.values[metric] << ", "
        << why_missing(reading, metric);
  }
  for (std::size_t row = 1; row < reading.board.missing.size(); ++row)
    EXPECT_LT(reading.board.missing[row - 1].metric, reading.board.missing[row].metric);
}

/// A process with a name and an open file of a device, and what the kernel says of that file.
inline void write_process(const FileTree& tree, int pid, const std::string& name,
                          const std::string& number, const std::string& target,
                          std::string_view fdinfo = "") {
  const std::string folder = "proc/" + std::to_string(pid);
  tree.write(folder + "/comm", name + "\n");
  tree.link(folder + "/fd/" + number, target);
  if (!fdinfo.empty()) tree.write(folder + "/fdinfo/" + number, fdinfo);
}

}  // namespace drover::agents
