// SIGTERM, SIGINT and SIGHUP as something to read, so that a loop ends cleanly between two turns.
#pragma once

#include <string>
#include <utility>

namespace drover::commands {

/// Make it before any thread (ZeroMQ's too): the signals are blocked in all of them.
class StopSignals {
 public:
  /// `hangup_stops` false: SIGHUP does not end the program, and `hung_up` tells of it.
  explicit StopSignals(bool hangup_stops = true);
  ~StopSignals();
  StopSignals(const StopSignals&) = delete;
  StopSignals& operator=(const StopSignals&) = delete;

  /// Can be read once a signal has come.
  int descriptor() const { return descriptor_; }
  /// True from the first signal on; takes what is pending.
  bool stopped();
  /// Whether SIGHUP has come since the last call; to be asked after `stopped`.
  bool hung_up() { return std::exchange(hung_up_, false); }
  /// The first signal's name, "SIGTERM".
  std::string name() const;

 private:
  int descriptor_ = -1;
  bool hangup_stops_ = true;
  bool hung_up_ = false;
  bool stopped_ = false;
  int first_ = 0;
};

}  // namespace drover::commands
