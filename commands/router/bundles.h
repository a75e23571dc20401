// Gathers what the router publishes into bundles: subscribers wake a few times a second instead of
// once for each of a thousand agents and each change of a job.
#pragma once

#include <chrono>
#include <cstddef>
#include <string>
#include <vector>

#include "commands/shell/clock.h"
#include "fleet/messages.h"
#include "fleet/socket/socket.h"

namespace drover::commands {

// How long a message may wait for others. Dashboards draw four frames a second.
inline constexpr std::chrono::milliseconds samples_wait_max{250};
inline constexpr std::chrono::milliseconds changes_wait_max{50};

class Bundles {
 public:
  /// Adds an encoded envelope that is published under this topic.
  void add(WallTime now, Topic topic, std::string bytes);
  /// Those that are full, and the open one when a message in it has waited long enough.
  std::vector<Bundle> take_due(WallTime now);
  /// The same with the open one in any case: the router ends.
  std::vector<Bundle> take_all();
  WallTime next_deadline() const { return due_; }

 private:
  void close();

  std::vector<Bundle> full_;
  Bundle open_;
  std::size_t bytes_ = 0;  // in the open one
  WallTime due_ = WallTime::max();
};

}  // namespace drover::commands
