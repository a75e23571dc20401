// The real binary as a child process of a test: started, read, killed, and never left behind.
#pragma once

#include <sys/types.h>

#include <chrono>
#include <string>
#include <vector>

#include "fleet/text/json.h"
#include "tests/commands/folder.h"

namespace drover::commands {

struct Ran {
  int exit_code = -1;  // -1: ended by a signal, or by the time limit
  std::string out;
  std::string err;
};

/// Waits are limited: nothing that a test starts can hang it.
inline constexpr std::chrono::seconds usual_patience{40};

class Program {
 public:
  /// `drover WORDS`, with stdout and stderr going to files, and DROVER_CONNECT unset.
  explicit Program(const std::vector<std::string>& words) : Program(DROVER_BINARY, words) {}
  /// Another program than `drover`.
  Program(const char* binary, const std::vector<std::string>& words);
  /// kill -9, unless it has ended.
  ~Program();
  Program(const Program&) = delete;
  Program& operator=(const Program&) = delete;

  pid_t pid() const { return pid_; }
  void signal(int number) const;
  /// True when the text stands in its stdout or stderr before patience ends or the program does.
  bool says(const std::string& text, std::chrono::seconds patience = usual_patience);
  /// True when it has ended by then.
  bool ends(std::chrono::seconds patience = usual_patience);
  Ran wait(std::chrono::seconds patience = usual_patience);
  std::string out() const;
  std::string err() const;

 private:
  Folder folder_;
  pid_t pid_ = -1;
  bool ended_ = false;
  int status_ = 0;
};

/// Runs to the end.
Ran run_drover(const std::vector<std::string>& words,
               std::chrono::seconds patience = usual_patience);

/// A line for the shell, in which `drover` is the binary; the exit code is that of the line.
Ran run_shell(const std::string& line, std::chrono::seconds patience = usual_patience);

/// The object that is all of a program's stdout; null when it is not one object on one line.
Json only_object(const std::string& out);

/// Three free ports in a row: the endpoint of the first.
std::string free_endpoint();

/// Asks again and again until `holds` does or patience ends.
template <typename Condition>
bool eventually(Condition holds, std::chrono::seconds patience = usual_patience);

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
