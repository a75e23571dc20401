// A device as alert rules ask for it: fields of filters over the roster's columns.
#pragma once

#include <string>
#include <vector>

#include "fleet/device_state.h"
#include "fleet/filter/filter.h"
#include "fleet/sample/sample.h"
#include "fleet/summary.h"
#include "router/alerts/alerts.h"
#include "router/jobs/jobs.h"
#include "router/policy/policy.h"
#include "router/roster/conditions.h"
#include "router/roster/roster.h"

namespace drover::router {

/// What rules look at, at one moment.
struct WatchedFleet {
  const Roster& roster;
  const Policy& policy;
  const JobBook& jobs;
  const ConditionBook& conditions;
  const AlertBook& alerts;  // as they stood before this look
  const Summary& totals;
  Instant now;
};

class WatchedDevice : public filter::Thing {
 public:
  explicit WatchedDevice(const WatchedFleet& fleet) : fleet_(fleet) {}
  /// From now on it is this one.
  void look_at(DeviceIndex device) { device_ = device; }

  double number(filter::Field field) const override;
  void texts(filter::Field field, filter::TextTest& test) const override;

 private:
  const HostEntry& host() const;
  const GroupEntry& group() const;
  void show_place(filter::Field field, filter::TextTest& test) const;
  DeviceStanding standing() const;
  template <typename Visit>
  void each_replica(const Visit& visit) const;
  template <typename Visit>
  void each_job(const Visit& visit) const;
  void show_pauses(filter::TextTest& test) const;
  void show_models(filter::TextTest& test) const;
  void show_jobs(filter::Field field, filter::TextTest& test) const;
  void show_alerts(filter::TextTest& test) const;
  std::string id() const;

  const WatchedFleet& fleet_;
  DeviceIndex device_ = 0;
};

}  // namespace drover::router
