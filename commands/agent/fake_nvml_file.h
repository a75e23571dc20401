// The file in which `drover agent --fake-nvml` publishes its devices to libdrover-nvml.so; see
// agents/fake_nvml/layout.h.
#pragma once

#include <cstddef>
#include <string>

#include "agents/fake_nvml/records.h"
#include "commands/shell/file_descriptor.h"
#include "fleet/base/result.h"

namespace drover::commands {

class FakeNvmlFile {
 public:
  /// Makes the file, for this number of devices. An empty path: $DROVER_FAKE_NVML, else a file in a
  /// folder that only this user may use. An error while another agent serves from there, or if the
  /// file is anything else.
  static Result<FakeNvmlFile> open(const std::string& path, std::size_t devices);
  /// Removes the file.
  ~FakeNvmlFile();
  FakeNvmlFile(FakeNvmlFile&&) = default;
  FakeNvmlFile& operator=(FakeNvmlFile&& other) noexcept = default;

  const std::string& path() const { return path_; }
  /// REQUIRES the number of devices given to open().
  void publish(const fake_nvml::Records& records);
  /// Readers find no driver until the next publish().
  void publish_absence();

 private:
  FakeNvmlFile(std::string path, FileDescriptor file, std::size_t devices);
  void begin();
  void end();

  std::string path_;
  FileDescriptor file_;  // holds the lock by which readers know that the agent lives
  fake_nvml::FileHeader header_;
};

}  // namespace drover::commands
