// What real devices say about themselves, for late subscribers.
#pragma once

#include "router/fleet_state/device_conditions.h"
#include "router/health/connection_table.h"
#include "router/publishing/outbox_builder.h"
#include "router/publishing/rejected_messages.h"

namespace drover::router {

struct BoardsDependencies {
  const FleetState& fleet_state;
  OutboxBuilder& outbox;
  RejectedMessages& rejected;
  BoardTable& boards;
};

/// Keeps and publishes the last report of each real device.
class Boards : BoardsDependencies {
 public:
  explicit Boards(const BoardsDependencies& uses) : BoardsDependencies(uses) {}

  void handle(Instant now, const Caller& caller, const BoardReport& report);
  /// Its agent has registered again, and reports its devices again.
  void forget_host(HostIndex host);
};

}  // namespace drover::router
