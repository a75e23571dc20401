// Asks sources for readings at a steady rate, and passes what comes to a fleet in this process.
#pragma once

#include <vector>

#include "commands/readings/local_fleet.h"
#include "commands/readings/readings.h"
#include "commands/shell/clock.h"

namespace drover::commands {

class ReadingLoop {
 public:
  /// The fleet and the clock must outlive the loop. The first readings are asked for at once.
  ReadingLoop(const SourceOptions& options, LocalFleet& fleet, Clock& clock);

  /// A turn also ends when this descriptor is readable.
  void watch(int descriptor) { descriptors_.push_back(descriptor); }
  /// Waits at most `longest` for readings, a watched descriptor or a deadline; then passes on what
  /// has come.
  void turn(std::chrono::milliseconds longest);
  /// Sets the power caps that the fleet has asked for, and waits a moment for the answers.
  void settle_caps();

  /// This machine's drivers; null without --real.
  const DriverSource* drivers() const { return readings_.drivers(); }
  const Readings& readings() const { return readings_; }

 private:
  void pass_on(WallTime now);
  std::chrono::milliseconds wait_max(std::chrono::milliseconds longest) const;

  LocalFleet& fleet_;
  Clock& clock_;
  Readings readings_;
  std::vector<int> descriptors_;
};

}  // namespace drover::commands
