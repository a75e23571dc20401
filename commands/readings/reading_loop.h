// Asks sources for readings at a steady rate, and passes what comes to a fleet in this process.
#pragma once

#include <map>
#include <memory>
#include <string>
#include <vector>

#include "commands/readings/driver_source.h"
#include "commands/readings/local_fleet.h"
#include "commands/readings/source_options.h"
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
  const DriverSource* drivers() const { return drivers_; }
  /// Targets that fail now, each with its reason.
  const std::map<std::string, std::string>& failing() const { return failing_; }

 private:
  void request_when_due(WallTime now);
  void pass_on(WallTime now);
  void note_failure(Instant now, const agents::TargetNews& news);
  void say(Instant now, Severity severity, const std::string& subject, const std::string& text);
  std::chrono::milliseconds wait_max(std::chrono::milliseconds longest) const;

  LocalFleet& fleet_;
  Clock& clock_;
  WallSpan every_;
  std::vector<std::unique_ptr<ReadingSource>> sources_;
  DriverSource* drivers_ = nullptr;
  std::vector<int> descriptors_;
  WallTime next_request_{};
  std::map<std::string, std::string> failing_;
};

}  // namespace drover::commands
