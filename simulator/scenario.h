// What a simulated run consists of: fleet, arrivals, faults, delays, one seed.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "agents/agent.h"
#include "fleet/base/time.h"
#include "fleet/job.h"
#include "fleet/messages.h"
#include "router/policy/policy.h"
#include "router/router.h"

namespace drover::simulator {

/// All times count from the start of the run.
struct Arrival {
  Duration at{};
  Job job;
};

/// The agent's process dies at once; another life of the same host starts later, or never.
struct AgentKill {
  Duration at{};
  std::string host;
  std::optional<Duration> restart_after;
  bool in_order = false;  // it is told to end: it gives its work back first, and says so
};

/// The router's process dies at once; what its store had not committed is gone; it starts again on
/// what was committed.
struct RouterKill {
  Duration at{};
  Duration restart_after{};
};

/// Nothing passes between a host and the router, both ways.
struct Partition {
  Duration at{};
  std::string host;
  Duration lasts{};
};

/// Something that the client asks for: Inject, SetPowerCap, SetDrain, CancelJobs, ApplyPolicy,
/// AcknowledgeAlert, ForgetHost, Caption.
struct ClientAction {
  Duration at{};
  Message message;
};

struct Scenario {
  std::uint64_t seed = 1;
  Instant start{std::chrono::hours(24 * 365 * 56)};
  std::vector<agents::AgentSettings> hosts;
  router::RouterSettings router;
  router::Policy policy;
  std::vector<Arrival> arrivals;
  std::vector<AgentKill> agent_kills;
  std::vector<RouterKill> router_kills;
  std::vector<Partition> partitions;
  std::vector<ClientAction> actions;
  /// Each message takes a time drawn from here; messages of one link keep their order.
  Duration delay_min{std::chrono::microseconds(200)};
  Duration delay_max{std::chrono::milliseconds(3)};
  /// One commit of the store takes a time drawn from here.
  Duration commit_min{std::chrono::microseconds(300)};
  Duration commit_max{std::chrono::milliseconds(8)};
  double sample_loss = 0;  // share of sample batches that never arrive
  /// A submit without an answer for so long is sent again, with the same ids.
  Duration resend_after{std::chrono::seconds(5)};
  bool journal = false;  // keep the router's inputs and outboxes
};

}  // namespace drover::simulator
