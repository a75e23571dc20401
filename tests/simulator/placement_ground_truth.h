// What is said against places while work waits, held against the devices as they are: by none of
// the router's filters, and from nothing that the router believes.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "agents/agent.h"
#include "fleet/messages.h"
#include "router/policy/policy.h"
#include "simulator/simulation.h"
#include "tests/simulator/transient_violations.h"

namespace drover::simulator {

/// Whether a rule of it may rather wait for ever than take a bad bargain.
bool has_guards(const router::Policy& policy);

class PlacementGroundTruth {
 public:
  /// All of them must outlive it.
  PlacementGroundTruth(const Simulation& world, const std::vector<agents::AgentSettings>& hosts,
                       const devices::Catalogue& catalogue, const router::Policy& policy)
      : world_(world),
        hosts_(hosts),
        catalogue_(catalogue),
        policy_(policy),
        has_guards_(has_guards(policy)) {}

  /// One look at the fleet, for any number of jobs.
  void look() { devices_ = world_.devices(); }
  /// What is said against a place of its own accord, where it is the only thing said against it and
  /// is not so. REQUIRES a job that waits.
  void judge(const WhyReply& why, std::map<std::string, TransientViolation>& wrong) const;

 private:
  struct Group {
    std::uint16_t first = 0, count = 0;
    const devices::DeviceSpec* spec = nullptr;
  };
  std::optional<Group> group_of(const std::string& host, std::size_t number) const;
  /// `wanted`: no guard stands before it.
  void judge_group(const JobChanged& job, const CandidateStatus& standing, bool wanted,
                   std::map<std::string, TransientViolation>& wrong) const;
  /// Devices on which nothing is, or nothing but replicas of the router's that serve nobody.
  bool has_room(const std::vector<agents::DeviceTruth>& devices, const Group& group,
                const std::string& host, int count, bool idle_replicas) const;

  const Simulation& world_;
  const std::vector<agents::AgentSettings>& hosts_;
  const devices::Catalogue& catalogue_;
  const router::Policy& policy_;
  bool has_guards_;
  std::map<std::string, std::vector<agents::DeviceTruth>> devices_;
};

}  // namespace drover::simulator
