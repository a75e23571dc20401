// Preemptions under way: for which job, which devices are reserved for it, and which jobs are
// preempted until when. They are not stored: a restarted router plans them again.
#pragma once

#include <algorithm>
#include <cstdint>
#include <map>
#include <optional>
#include <utility>
#include <vector>

#include "fleet/base/identity.h"
#include "fleet/base/time.h"
#include "router/fleet_state/fleet_state.h"
#include "router/jobs/job_table.h"

namespace drover::router {

struct Preemption {
  struct Leaving {
    std::uint32_t attempt = 0;      // of the preempted job
    std::uint32_t steps_saved = 0;  // when it was preempted
  };
  JobId job;  // that gets the devices
  std::vector<HostIndex> hosts;
  std::vector<DeviceIndex> devices;
  std::map<JobId, Leaving> leaving;
  Instant grace_until{};
  Instant until{};  // end of the reservation
};

class PreemptionTable {
 public:
  /// Adds a preemption. REQUIRES that there is none for this job.
  const Preemption& begin(Preemption preemption) {
    const JobId job = preemption.job;
    const auto [place, fresh] = under_way_.emplace(job, std::move(preemption));
    DROVER_REQUIRE(fresh);
    return place->second;
  }
  /// The preemption for this job; null: none.
  const Preemption* of(const JobId& job) const { return find_in(under_way_, job); }
  /// The preemption that ends the record's current attempt; null: none.
  const Preemption* against(const JobRecord& record) const {
    for (const auto& [job, preemption] : under_way_) {
      const Preemption::Leaving* mark = find_in(preemption.leaving, record.job.id);
      if (mark != nullptr && mark->attempt == record.attempt) return &preemption;
    }
    return nullptr;
  }
  /// Whether the attempt may be cancelled: the grace is over, or it has written a checkpoint since
  /// it was preempted.
  static bool is_due(const Preemption& preemption, const JobRecord& record, Instant now) {
    if (now >= preemption.grace_until) return true;
    const Preemption::Leaving* mark = find_in(preemption.leaving, record.job.id);
    return mark != nullptr && record.steps_saved > mark->steps_saved;
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
  /// The next end of a grace after `now`.
  Instant next_grace_end(Instant now) const {
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
