// Child processes of this very program: started, watched, and never left behind.
#pragma once

#include <sys/types.h>

#include <chrono>
#include <map>
#include <string>
#include <vector>

#include "fleet/base/result.h"

namespace drover::commands {

struct ChildOrder {
  std::string name;                    // for messages and its log
  std::vector<std::string> arguments;  // the verb and its options
};

/// How a child ended.
struct Ended {
  std::string name;
  int status = 0;  // as waitpid tells it
  bool well() const;
  std::string how() const;  // "exit code 1", "signal 9 (Killed)"
};

/// Children get the lifeline's read end as `--lifeline FD`, the parent-death signal SIGKILL, their
/// own process group (a Ctrl-C is for the parent, who ends them in order), no signal blocked,
/// /dev/null as stdin, FOLDER/NAME.log as stderr and a pipe as stdout.
class Supervisor {
 public:
  explicit Supervisor(std::string log_folder);
  /// Ends all that still run.
  ~Supervisor();
  Supervisor(const Supervisor&) = delete;
  Supervisor& operator=(const Supervisor&) = delete;

  Status start(const ChildOrder& order);
  bool running(const std::string& name) const;
  void signal(const std::string& name, int signal_number);
  /// Those that have ended since the last call.
  std::vector<Ended> reap();

  /// The next line of the child's stdout; the error says that it ended or was silent for too long.
  Result<std::string> read_line(const std::string& name, std::chrono::milliseconds patience);
  /// The last line of its log; empty when it wrote none.
  std::string last_words(const std::string& name) const;
  std::string log_path(const std::string& name) const;

  /// SIGTERM to all, in the reverse order of their start, and SIGKILL to those that are still there
  /// after `patience`.
  void stop_all(std::chrono::milliseconds patience);

 private:
  struct Child {
    std::string name;
    pid_t pid = -1;  // -1: ended and reaped
    int output = -1;
    std::string unread;
  };
  Child* find(const std::string& name);
  const Child* find(const std::string& name) const;

  std::string log_folder_;
  std::string program_;
  int lifeline_[2] = {-1, -1};
  std::vector<Child> children_;
};

}  // namespace drover::commands
