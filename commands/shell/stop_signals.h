// Delivers SIGTERM, SIGINT and SIGHUP through a descriptor, so that a loop ends between two turns.
#pragma once

#include <string>
#include <utility>

namespace drover::commands {

/// Make it before any thread is started (ZeroMQ's too), so that all threads block the signals.
class StopSignals {
 public:
  /// `hangup_stops` false: SIGHUP does not end the program; `hung_up` reports it.
  explicit StopSignals(bool hangup_stops = true);
  ~StopSignals();
  StopSignals(const StopSignals&) = delete;
  StopSignals& operator=(const StopSignals&) = delete;

  /// Readable once a signal has arrived.
  int descriptor() const { return descriptor_; }
  /// True from the first signal on. Reads the pending signals.
  bool stopped();
  /// Whether SIGHUP has arrived since the last call. Call it after `stopped`.
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
