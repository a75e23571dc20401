// Signals while a terminal is in use: noted for its loop, and on a crash answered by a terminal
// that is as it was found.
#pragma once

#include <csignal>
#include <map>
#include <string>

#include <termios.h>

#include "fleet/base/result.h"

namespace drover::tui {

/// What came since one last looked.
struct NotedSignals {
  bool resized = false;
  bool stop = false;     // Ctrl-Z from elsewhere
  bool went_on = false;  // after a stop, of whatever kind
  bool end = false;      // any signal that others send to end a process
};

/// At most one of it at a time: handlers are the process's.
class TerminalSignals {
 public:
  TerminalSignals() = default;
  ~TerminalSignals();
  TerminalSignals(const TerminalSignals&) = delete;
  TerminalSignals& operator=(const TerminalSignals&) = delete;

  Status open();
  /// Can be read when a signal has come.
  int descriptor() const { return pipe_read_; }
  /// `restore` goes to `output`, and the modes to the terminal, before a crash ends the process.
  void install(int output, const std::string& restore, const termios& modes);
  void remove();
  NotedSignals take();
  /// Stops this process as if nobody had asked to be told. Comes back when it goes on; at once
  /// where no shell could wake it.
  void stop_here();

 private:
  int pipe_read_ = -1, pipe_write_ = -1;
  std::map<int, struct sigaction> before_;  // by signal, while ours are installed
};

}  // namespace drover::tui
