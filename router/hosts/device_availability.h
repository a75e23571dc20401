// Which devices may take new work: those that their agents report as usable, that nobody has
// drained, and whose host stays; and which faults are in force on them.
#pragma once

#include "router/actions/drain_table.h"
#include "router/fleet_state/device_conditions.h"
#include "router/jobs/queue.h"
#include "router/publishing/rejected_messages.h"

namespace drover::router {

struct DeviceAvailabilityDependencies {
  const Policy& policy;
  const DrainTable& drains;
  FleetState& fleet_state;
  DeviceConditionTable& conditions;
  JobQueue& queue;
  Publisher& publisher;
  RejectedMessages& rejected;
};

/// Applies each change of a device's condition to FleetState, and publishes it.
class DeviceAvailability : DeviceAvailabilityDependencies {
 public:
  explicit DeviceAvailability(const DeviceAvailabilityDependencies& uses)
      : DeviceAvailabilityDependencies(uses) {}

  void handle(Instant now, const Caller& caller, const DeviceReport& report);
  /// Replaces the faults known of the host's devices with those that its Register names.
  void replace_reported_faults(Instant now, HostIndex host, const Register& registration,
                               Instant asked_at);
  void inject(Instant now, DeviceKey device, const Fault& fault, bool of_host);
  void end_faults(Instant now);
  /// Forgets the conditions of the host's devices: it is lost, or a new incarnation runs.
  void forget_conditions(Instant now, HostIndex host, bool in_force = false);
  /// The host is forgotten with everything that is known of its devices.
  void forget_host(Instant now, HostIndex host);
  /// Applies the drain orders to each device.
  void reapply_drains(Instant now);
  void reapply_drains(Instant now, HostIndex host);
  /// The host's devices take no new work because it will leave: published as drained.
  void set_leaving(Instant now, HostIndex host, bool leaving);
  /// Discards samples of unusable devices that were in flight when their agent reported them.
  void discard_stale_readings(Instant now);

 private:
  void update_device(Instant now, DeviceKey device);
};

}  // namespace drover::router
