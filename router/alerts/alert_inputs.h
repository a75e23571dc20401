// What alert rules are evaluated over: the fleet at one moment.
#pragma once

#include "fleet/summary.h"
#include "router/alerts/alerts.h"
#include "router/fleet_state/device_conditions.h"
#include "router/fleet_state/fleet_state.h"
#include "router/jobs/job_table.h"
#include "router/policy/policy.h"

namespace drover::router {

struct AlertInputs {
  const FleetState& fleet_state;
  const Policy& policy;
  const JobTable& jobs;
  const DeviceConditionTable& conditions;
  const AlertTable& alerts;  // before this evaluation
  const Summary& totals;
  Instant now;
};

}  // namespace drover::router
