// Signal handling while the terminal is in use: signals are recorded for the main loop, and a crash
// restores the terminal.
#pragma once

#include <csignal>
#include <map>
#include <string>

#include <termios.h>

#include "fleet/base/result.h"

namespace drover::tui {

/// The signals that arrived since the last call of `take`.
struct PendingSignals {
  bool resized = false;
  bool stop = false;       // SIGTSTP from another process
  bool continued = false;  // after a stop of any kind
  bool end = false;        // any signal that asks the process to end
};

/// At most one instance at a time, because signal handlers belong to the process.
class TerminalSignals {
 public:
  TerminalSignals() = default;
  ~TerminalSignals();
  TerminalSignals(const TerminalSignals&) = delete;
  TerminalSignals& operator=(const TerminalSignals&) = delete;

  Status open();
  /// Readable when a signal has arrived.
  int descriptor() const { return pipe_read_; }
  /// Before a crash ends the process, `restore` is written to `output` and the modes are restored.
  void install(int output, const std::string& restore, const termios& modes);
  void remove();
  PendingSignals take();
  /// Stops this process with SIGTSTP's default action. Returns when it continues; at once if there
  /// is no shell that could continue it.
  void suspend_self();

 private:
  int pipe_read_ = -1, pipe_write_ = -1;
  std::map<int, struct sigaction> before_;  // by signal, while ours are installed
};

}  // namespace drover::tui
