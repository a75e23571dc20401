// File descriptors that close themselves, and writing to them.
#pragma once

#include <string>
#include <string_view>

#include "fleet/base/result.h"

namespace drover::commands {

class FileDescriptor {
 public:
  FileDescriptor() = default;
  explicit FileDescriptor(int descriptor) : descriptor_(descriptor) {}
  ~FileDescriptor();
  FileDescriptor(FileDescriptor&& other) noexcept;
  FileDescriptor& operator=(FileDescriptor&& other) noexcept;
  int get() const { return descriptor_; }
  bool is_open() const { return descriptor_ >= 0; }
  void reset() { *this = FileDescriptor(); }

 private:
  int descriptor_ = -1;
};

/// Both ends are closed on exec.
struct Pipe {
  FileDescriptor reader;
  FileDescriptor writer;
  /// Not open if it cannot be made; then errno says why. `flags`: further ones of pipe2.
  static Pipe make(int flags = 0);
};

/// Allows this process as many descriptors as the system lets it have (the hard limit).
void raise_descriptor_limit();

/// "PATH: what errno says".
Error file_error(const std::string& path);

/// Whether all of the text was written; if not, errno says why.
bool write_all(int descriptor, std::string_view text);

}  // namespace drover::commands
