// All sources of readings of a process, asked at a steady rate.
#pragma once

#include <functional>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "commands/readings/driver_source.h"
#include "commands/readings/source_options.h"
#include "commands/shell/clock.h"

namespace drover::commands {

class Readings {
 public:
  /// The first readings are asked for at the first `request_when_due`.
  explicit Readings(const SourceOptions& options);

  void request_when_due(WallTime now);
  /// Somebody can use readings from now on: the next ones need not wait for their time.
  void request_soon(WallTime now);
  /// When something is due that no descriptor tells.
  WallTime next_deadline() const;
  std::vector<int> descriptors() const;

  /// What has come since the last call.
  std::vector<agents::TargetNews> take(WallTime now);
  /// What is worth saying: notes of the sources, and targets that begin or cease to fail.
  struct Notice {
    bool problem = false;
    std::string about;  // a target, or "readings"
    std::string text;
  };
  std::vector<Notice> take_notices();

  void set_power_cap(const agents::CapBoard& cap);
  std::vector<CapAnswer> take_cap_answers();
  /// Sets these power caps, and waits a moment for the answers.
  void set_power_caps_now(const std::vector<agents::CapBoard>& caps);

  /// This machine's drivers; null without --real.
  const DriverSource* drivers() const { return drivers_; }
  /// Targets that fail now, each with its reason.
  const std::map<std::string, std::string>& failing() const { return failing_; }

 private:
  void note_failure(const agents::TargetNews& news);

  WallSpan every_;
  std::vector<std::unique_ptr<ReadingSource>> sources_;
  DriverSource* drivers_ = nullptr;
  WallTime next_request_{};
  std::map<std::string, std::string> failing_;  // the reason, by target
  std::vector<Notice> notices_;
};

/// Why no device was found on this machine; empty: some were, or the first search goes on.
std::string nothing_found_text(const DriverSource& drivers);

}  // namespace drover::commands
