// A child process with pipes to its standard streams.
#pragma once

#include <sys/types.h>

#include <cstddef>
#include <string>
#include <vector>

#include "commands/shell/file_descriptor.h"
#include "fleet/base/result.h"

namespace drover::commands {

struct ChildProcess {
  pid_t pid = -1;      // leads a session and process group of its own; the owner calls waitpid
  FileDescriptor in;   // to its standard input; like the next two, it does not block
  FileDescriptor out;  // from its standard output
  FileDescriptor err;
  FileDescriptor ended;  // readable once it has ended
};

/// The child has no terminal and is killed with this process. If the program cannot be run, the
/// child says so on its standard error and ends with 127. An error if the system has no descriptors
/// or processes left.
Result<ChildProcess> start_child(const std::vector<std::string>& command);

/// Appends what is there to be read, up to `bytes_max` in all, and drops the rest. Closes the
/// descriptor at the end.
void read_available(FileDescriptor& descriptor, std::string& text, std::size_t bytes_max);

}  // namespace drover::commands
