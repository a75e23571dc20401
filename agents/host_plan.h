// The devices, groups and replicas of a host, from the agent's settings.
#pragma once

#include <vector>

#include "agents/agent.h"
#include "agents/execution/executor.h"
#include "devices/catalogue/catalogue.h"
#include "fleet/messages.h"

namespace drover::agents {

struct PlannedReplica {
  StartReplica start;
  const devices::ModelSpec* model = nullptr;  // in the catalogue
};

struct HostPlan {
  std::vector<Executor::Device> devices;  // specs are in the catalogue
  std::vector<Group> groups;              // without power caps
  std::vector<SpecText> specs;            // each distinct device spec once
  std::vector<PlannedReplica> replicas;
};

/// REQUIRES that Agent::check() passes.
HostPlan plan_host(const AgentSettings& settings, const devices::Catalogue& catalogue);

}  // namespace drover::agents
