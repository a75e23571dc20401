// Delivers SIGTERM, SIGINT and SIGHUP through a descriptor, so that a loop ends between two turns.
#pragma once

#include <initializer_list>
#include <string>
#include <utility>

#include "commands/shell/file_descriptor.h"

namespace drover::commands {

/// Blocks these signals and delivers them through the returned descriptor.
FileDescriptor signal_descriptor(std::initializer_list<int> signal_numbers);
/// The number of the next signal; 0: none is pending.
int take_signal(const FileDescriptor& signals);

/// Make it before any thread is started (ZeroMQ's too), so that all threads block the signals.
class StopSignals {
 public:
  /// `hangup_stops` false: SIGHUP does not end the program; `hung_up` reports it.
  explicit StopSignals(bool hangup_stops = true);

  /// Readable once a signal has arrived.
  int descriptor() const { return signals_.get(); }
  /// True from the first signal on. Reads the pending signals.
  bool stopped();
  /// Whether SIGHUP has arrived since the last call. Call it after `stopped`.
  bool hung_up() { return std::exchange(hung_up_, false); }
  /// The first signal's name, "SIGTERM".
  std::string name() const;

 private:
  FileDescriptor signals_;
  bool hangup_stops_ = true;
  bool hung_up_ = false;
  bool stopped_ = false;
  int first_ = 0;
};

}  // namespace drover::commands
