// Preemptions under way: for whom, which devices are kept for it, and who makes room until when.
// They live as long as the router: one that begins anew plans them again.
#pragma once

#include <algorithm>
#include <cstdint>
#include <map>
#include <optional>
#include <utility>
#include <vector>

#include "fleet/base/identity.h"
#include "fleet/base/time.h"
#include "router/jobs/jobs.h"
#include "router/roster/roster.h"

namespace drover::router {

struct Preemption {
  struct Leaving {
    std::uint32_t attempt = 0;      // of the job that makes room
    std::uint32_t steps_saved = 0;  // when it was told
  };
  JobId job;  // that is to have the devices
  std::vector<HostIndex> hosts;
  std::vector<DeviceIndex> devices;
  std::map<JobId, Leaving> leaving;
  Instant grace_until{};
  Instant until{};  // then the devices are anybody's again
};

class PreemptionBook {
 public:
  /// REQUIRES that there is none for this job.
  const Preemption& begin(Preemption preemption) {
    const JobId job = preemption.job;
    const auto [place, fresh] = under_way_.emplace(job, std::move(preemption));
    DROVER_REQUIRE(fresh);
    return place->second;
  }
  /// Null: none.
  const Preemption* of(const JobId& job) const {
    const auto found = under_way_.find(job);
    return found == under_way_.end() ? nullptr : &found->second;
  }
  /// The one for which the record's present attempt makes room; null: none.
  const Preemption* against(const JobRecord& record) const {
    for (const auto& [job, preemption] : under_way_) {
      const auto found = preemption.leaving.find(record.job.id);
      if (found != preemption.leaving.end() && found->second.attempt == record.attempt) {
        return &preemption;
      }
    }
    return nullptr;
  }
  /// It has had its time: the grace is over, or it has written a checkpoint since it was told.
  static bool is_due(const Preemption& preemption, const JobRecord& record, Instant now) {
    if (now >= preemption.grace_until) return true;
    const auto found = preemption.leaving.find(record.job.id);
    return found != preemption.leaving.end() && record.steps_saved > found->second.steps_saved;
  }
  std::optional<Preemption> end(const JobId& job) {
    auto found = under_way_.extract(job);
    if (found.empty()) return std::nullopt;
    return std::move(found.mapped());
  }
  Instant next_end() const {
    Instant next = never;
    for (const auto& [job, preemption] : under_way_) next = std::min(next, preemption.until);
    return next;
  }
  /// When a grace is over next, after `now`.
  Instant next_call(Instant now) const {
    Instant next = never;
    for (const auto& [job, preemption] : under_way_) {
      if (preemption.grace_until > now) next = std::min(next, preemption.grace_until);
    }
    return next;
  }
  const std::map<JobId, Preemption>& all() const { return under_way_; }

 private:
  std::map<JobId, Preemption> under_way_;
};

}  // namespace drover::router
