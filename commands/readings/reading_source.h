// Where the readings of real devices come from: this machine's drivers, or pages of metrics.
#pragma once

#include <string>
#include <vector>

#include "agents/watch/watched_host.h"
#include "commands/shell/clock.h"

namespace drover::commands {

/// The driver's answer to a power cap.
struct CapAnswer {
  agents::CapBoard asked;
  Status status;
};

class ReadingSource {
 public:
  virtual ~ReadingSource() = default;

  /// Readable while `take` has something.
  virtual int descriptor() const = 0;
  /// Asks for one reading of everything that does not have one on its way. Never waits.
  virtual void request(WallTime now) = 0;
  /// What has come since the last call.
  virtual std::vector<agents::TargetNews> take(WallTime now) = 0;
  /// When `take` has something although nothing new comes; WallTime::max(): never.
  virtual WallTime next_deadline() const { return WallTime::max(); }
  /// What is worth saying once.
  virtual std::vector<std::string> take_notes() = 0;
  /// Sets a power cap of this machine's device; `take_cap_answers` has the answer.
  virtual void set_power_cap(const agents::CapBoard&) {}
  virtual std::vector<CapAnswer> take_cap_answers() { return {}; }
};

}  // namespace drover::commands
