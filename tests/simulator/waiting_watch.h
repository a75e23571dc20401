// Nothing waits without a reason: whoever waits while a place would take it is placed within a
// while, what is said of why it waits is true at that moment, and every waiting job has a why.
#pragma once

#include <chrono>
#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "fleet/messages.h"
#include "simulator/world.h"

namespace drover::simulator {

class WaitingWatch {
 public:
  /// All classes are asked again each heartbeat, and news of it is soon there: a few of them are
  /// long enough.
  explicit WaitingWatch(World& world, Duration bound = std::chrono::seconds(4))
      : world_(world), bound_(bound) {}

  /// Asks why some of these jobs wait. What has been wrong for too long goes to `broken`.
  void look(const std::map<JobId, JobChanged>& shown, std::vector<std::string>& broken);
  std::uint64_t asked() const { return asked_; }

 private:
  /// What is wrong with this waiting job, in words that stay the same while it is; empty: nothing.
  std::string wrong_with(const JobChanged& shown, const WhyReply& why) const;

  struct Doubt {
    std::string what;
    Instant since{};
  };
  World& world_;
  Duration bound_;
  std::map<JobId, Doubt> doubts_;
  JobId last_;  // that was asked about
  std::uint64_t asked_ = 0;
};

}  // namespace drover::simulator
