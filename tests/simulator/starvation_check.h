// Long after a storm: what still waits has no place to go.
#pragma once

#include <map>
#include <set>
#include <string>
#include <vector>

#include "agents/agent.h"
#include "fleet/messages.h"
#include "router/policy/policy.h"
#include "simulator/simulation.h"
#include "tests/simulator/placement_ground_truth.h"

namespace drover::simulator {

/// Places with room are held by replicas that somebody loaded, or drained, or the job's rule or its
/// tenant's share keeps it away; the others cannot run it. Of policies with guards nothing is said:
/// they may rather wait for ever than take a bad bargain.
class StarvationCheck {
 public:
  /// All of them must outlive it.
  StarvationCheck(const Simulation& world, const Scenario& scenario,
                  const devices::Catalogue& catalogue)
      : world_(world),
        hosts_(scenario.hosts),
        policy_(scenario.policy),
        has_guards_(has_guards(scenario.policy)),
        catalogue_(catalogue) {}

  /// Of these jobs those that wait although there is a place, each with that place.
  std::vector<std::string> starved_jobs(const std::map<JobId, JobChanged>& jobs) const;

 private:
  using Pools = std::set<std::string>;
  std::string place_for(const JobChanged& waits) const;
  /// Where the job's rule lets it go, for what it waits for.
  Pools pools_for(const JobChanged& waits) const;
  bool is_in(const std::string& host, const Pools& pools) const;
  bool is_drained(const Replica& replica) const;
  /// Its gang is larger than what its tenant may ever hold.
  bool wants_more_than_its_share(const Job& job) const;
  bool runs(const Workload& work, const std::string& device, int count, Precision precision) const;
  std::string free_devices(const Workload& work, const Pools& pools) const;
  std::string ready_replica(const Workload& work, const Pools& pools) const;

  const Simulation& world_;
  const std::vector<agents::AgentSettings>& hosts_;
  const router::Policy& policy_;
  bool has_guards_;
  const devices::Catalogue& catalogue_;
};

}  // namespace drover::simulator
