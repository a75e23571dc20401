// What an agent knows of its NVIDIA devices, as the records that libdrover-nvml.so reads.
#pragma once

#include <array>
#include <string>
#include <vector>

#include "agents/agent.h"
#include "agents/fake_nvml/layout.h"
#include "fleet/base/time.h"

namespace drover::fake_nvml {

struct Records {
  std::vector<NvmlDevice> devices;  // in the agent's order, without those of other makers
  std::array<NvmlError, errors_kept> errors{};
  std::uint64_t errors_total = 0;
};

/// How many devices `records` has for these groups.
std::size_t device_count(const agents::AgentSettings& settings,
                         const devices::Catalogue& catalogue);

/// `host`: identities (UUID, serial) follow from it and from the device's index. REQUIRES that the
/// agent was ticked to `now`.
Records records(const std::string& host, const agents::Agent& agent, Instant now);

}  // namespace drover::fake_nvml
