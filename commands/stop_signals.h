// SIGTERM, SIGINT and SIGHUP as something to read, so that a loop ends cleanly between two turns.
#pragma once

#include <string>

namespace drover::commands {

/// Make it before any thread (ZeroMQ's too): the signals are blocked in all of them.
class StopSignals {
 public:
  StopSignals();
  ~StopSignals();
  StopSignals(const StopSignals&) = delete;
  StopSignals& operator=(const StopSignals&) = delete;

  /// Can be read once a signal has come.
  int descriptor() const { return descriptor_; }
  /// True from the first signal on; takes what is pending.
  bool stopped();
  /// The first signal's name, "SIGTERM".
  std::string name() const;

 private:
  int descriptor_ = -1;
  bool stopped_ = false;
  int first_ = 0;
};

}  // namespace drover::commands
