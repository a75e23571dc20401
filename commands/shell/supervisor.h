// Starts and watches child processes of this program, and ends them with it.
#pragma once

#include <sys/types.h>

#include <chrono>
#include <string>
#include <vector>

#include "commands/shell/file_descriptor.h"
#include "fleet/base/result.h"

namespace drover::commands {

struct ChildCommand {
  std::string name;                    // for messages and its log
  std::vector<std::string> arguments;  // the command and its options
};

/// How a child ended.
struct Ended {
  std::string name;
  int status = 0;  // from waitpid
  bool succeeded() const;
  std::string how() const;  // "exit code 1", "signal 9 (Killed)"
};

/// Children get the read end of the parent's pipe as `--parent-pipe FD`, the parent-death signal
/// SIGKILL, their own process group (Ctrl-C goes to the parent, which ends them gracefully), no
/// blocked signals, /dev/null as stdin, FOLDER/NAME.log as stderr and a pipe as stdout.
class Supervisor {
 public:
  explicit Supervisor(std::string log_folder);
  /// Ends the children that still run.
  ~Supervisor();
  Supervisor(const Supervisor&) = delete;
  Supervisor& operator=(const Supervisor&) = delete;

  Status start(const ChildCommand& command);
  bool running(const std::string& name);
  void signal(const std::string& name, int signal_number);
  /// The children that have ended since the last call.
  std::vector<Ended> reap();

  /// The next line of the child's stdout. An error if the child ended or printed nothing in time.
  Result<std::string> read_line(const std::string& name, std::chrono::milliseconds timeout);
  /// The last line of the child's log; empty if it has none.
  std::string last_log_line(const std::string& name) const;
  std::string log_path(const std::string& name) const;

  /// Sends SIGTERM to all children, in the reverse order of their start, and SIGKILL to those that
  /// still run after three seconds.
  void stop_all();

 private:
  struct Child {
    std::string name;
    pid_t pid = -1;  // -1: ended and reaped
    FileDescriptor output;
    std::string unread;
  };
  Child* find(const std::string& name);

  std::string log_folder_;
  std::string program_;
  Pipe parent_pipe_;
  std::vector<Child> children_;
};

}  // namespace drover::commands
