// The inputs of a simulated run: fleet, arrivals, faults, delays, one seed.
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

/// A job's submission. All times count from the start of the run.
struct Arrival {
  Duration at{};
  Job job;
};

/// The agent's process is killed; a new incarnation of the host starts later, or never.
struct AgentKill {
  Duration at{};
  std::string host;
  std::optional<Duration> restart_after;
  bool graceful = false;  // stopped gracefully: it returns its work and sends Leave first
};

/// The router's process is killed; uncommitted writes are lost; it restarts from what was
/// committed.
struct RouterKill {
  Duration at{};
  Duration restart_after{};
};

/// No messages pass between the host and the router, in either direction.
struct Partition {
  Duration at{};
  std::string host;
  Duration duration{};
};

/// A client request: InjectFault, SetPowerCap, SetDrain, CancelJobs, ApplyPolicy,
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
  /// Delay of a message, drawn from this range; messages on one link keep their order.
  Duration delay_min{std::chrono::microseconds(200)};
  Duration delay_max{std::chrono::milliseconds(3)};
  /// Duration of a commit of the store, drawn from this range.
  Duration commit_min{std::chrono::microseconds(300)};
  Duration commit_max{std::chrono::milliseconds(8)};
  double sample_loss = 0;  // share of sample batches that never arrive
  /// A submit without a reply for this long is sent again, with the same ids.
  Duration resend_after{std::chrono::seconds(5)};
  bool journal = false;  // keep the router's inputs and outboxes
};

}  // namespace drover::simulator
