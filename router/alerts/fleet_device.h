// What alert rules are evaluated over: the fleet at one moment, and each of its devices.
#pragma once

#include "fleet/filter/device_subject.h"
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
  const BoardTable& boards;
  const AlertTable& alerts;  // before this evaluation
  const Summary& totals;
  Instant now;
};

/// A device of the FleetState as the subject of alert rules.
class FleetDevice final : public filter::DeviceSubject {
 public:
  explicit FleetDevice(const AlertInputs& fleet, DeviceIndex device = 0)
      : fleet_(fleet), device_(device) {}
  void select(DeviceIndex device) { device_ = device; }

  double reading(Metric metric) const override;
  DeviceCondition condition() const override;
  const Register& registration() const override { return host().registration; }
  const Group& group() const override { return entry().group; }
  std::uint16_t index() const override { return fleet_.fleet_state.devices().number[device_]; }
  DeviceClass device_class() const override { return entry().spec->device_class; }
  double slowdown_c() const override;
  bool real() const override { return entry().spec->real; }
  const Board* board() const override;
  double price_usd_per_h() const override;
  void each_pool(const PoolVisitor& visit) const override;
  void each_replica(const ReplicaVisitor& visit) const override;
  void each_job(const JobVisitor& visit) const override;
  void each_alert(const AlertVisitor& visit) const override;

 private:
  const HostEntry& host() const;
  const GroupEntry& entry() const;

  const AlertInputs& fleet_;
  DeviceIndex device_;
};

}  // namespace drover::router
