// The real binary as a child process of a test: started, read, killed, and never left behind.
#pragma once

#include <sys/types.h>

#include <chrono>
#include <string>
#include <vector>

#include "fleet/text/json.h"
#include "tests/commands/folder.h"

namespace drover::commands {

struct ProcessResult {
  int exit_code = -1;  // -1: ended by a signal, or by the time limit
  std::string out;
  std::string err;
};

/// Waits are limited: nothing that a test starts can hang it.
inline constexpr std::chrono::seconds default_timeout{40};

class DroverProcess {
 public:
  /// `drover WORDS`, with stdout and stderr going to files, and DROVER_CONNECT unset.
  explicit DroverProcess(const std::vector<std::string>& words)
      : DroverProcess(DROVER_BINARY, words) {}
  /// Another program than `drover`.
  DroverProcess(const char* binary, const std::vector<std::string>& words);
  /// kill -9, unless it has ended.
  ~DroverProcess();
  DroverProcess(const DroverProcess&) = delete;
  DroverProcess& operator=(const DroverProcess&) = delete;

  pid_t pid() const { return pid_; }
  void signal(int number) const;
  /// True when the text stands in its stdout or stderr before patience ends or the program does.
  bool says(const std::string& text, std::chrono::seconds patience = default_timeout);
  /// True when it has ended by then.
  bool ends(std::chrono::seconds patience = default_timeout);
  ProcessResult wait(std::chrono::seconds patience = default_timeout);
  std::string out() const;
  std::string err() const;

 private:
  TestFolder folder_;
  pid_t pid_ = -1;
  bool ended_ = false;
  int status_ = 0;
};

/// Runs to the end.
ProcessResult run_drover(const std::vector<std::string>& words,
                         std::chrono::seconds patience = default_timeout);

/// A line for the shell, in which `drover` is the binary; the exit code is that of the line.
ProcessResult run_shell(const std::string& line, std::chrono::seconds patience = default_timeout);

/// The object that is all of a program's stdout; null when it is not one object on one line.
Json only_object(const std::string& out);

/// Who runs these tests, as the router names a client of theirs that acts: "ann@node-7".
std::string shown_user();

/// Three free ports in a row: the endpoint of the first.
std::string free_endpoint();

/// Asks again and again until `holds` does or patience ends.
template <typename Condition>
bool eventually(Condition holds, std::chrono::seconds patience = default_timeout);

void rest();  // a short pause between two questions

template <typename Condition>
bool eventually(Condition holds, std::chrono::seconds patience) {
  const auto end = std::chrono::steady_clock::now() + patience;
  while (std::chrono::steady_clock::now() < end) {
    if (holds()) return true;
    rest();
  }
  return holds();
}

}  // namespace drover::commands
