// Nothing waits without a reason: work that waits while a place would take it is placed within a
// while, what is said of why it waits is true at that moment, and every waiting job has a why.
#pragma once

#include <chrono>
#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "fleet/messages.h"
#include "simulator/simulation.h"
#include "tests/simulator/placement_ground_truth.h"
#include "tests/simulator/transient_violations.h"

namespace drover::simulator {

class QueueInvariants {
 public:
  /// All classes are asked again each heartbeat, and news of it is soon there: a few of them are
  /// long enough. With `truth`, what is said against each place is held against the devices there.
  explicit QueueInvariants(Simulation& world, Duration bound = std::chrono::seconds(4),
                           PlacementGroundTruth* truth = nullptr)
      : world_(world), bound_(bound), truth_(truth) {}

  /// Asks why some of these jobs wait. What has been wrong for too long goes to `broken`.
  void look(const std::map<JobId, JobChanged>& shown, std::vector<std::string>& broken);
  std::uint64_t asked() const { return asked_; }

 private:
  /// What is wrong with this waiting job.
  std::map<std::string, TransientViolation> wrong_with(const JobChanged& shown,
                                                       const WhyReply& why) const;

  Simulation& world_;
  Duration bound_;
  PlacementGroundTruth* truth_;
  std::map<JobId, TransientViolations> transients_;
  std::uint64_t life_ = 0;  // of the router that was asked
  JobId last_;              // that was asked about
  std::uint64_t asked_ = 0;
};

}  // namespace drover::simulator
