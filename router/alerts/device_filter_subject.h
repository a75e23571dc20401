// A device as the subject of alert rules: filter fields read from FleetState's columns.
#pragma once

#include <string>

#include "fleet/device_state.h"
#include "fleet/filter/filter.h"
#include "fleet/sample/sample.h"
#include "fleet/summary.h"
#include "router/alerts/alerts.h"
#include "router/fleet_state/device_conditions.h"
#include "router/fleet_state/fleet_state.h"
#include "router/jobs/job_table.h"
#include "router/policy/policy.h"

namespace drover::router {

/// The input of rules at one moment.
struct AlertInputs {
  const FleetState& fleet_state;
  const Policy& policy;
  const JobTable& jobs;
  const DeviceConditionTable& conditions;
  const AlertTable& alerts;  // before this evaluation
  const Summary& totals;
  Instant now;
};

class DeviceFilterSubject : public filter::FilterSubject {
 public:
  explicit DeviceFilterSubject(const AlertInputs& fleet) : fleet_(fleet) {}
  void select(DeviceIndex device) { device_ = device; }
  std::string id() const;  // "h1/3"

  double number(filter::Field field) const override;
  void texts(filter::Field field, filter::TextMatcher& test) const override;

 private:
  const HostEntry& host() const;
  const GroupEntry& group() const;
  void show_place(filter::Field field, filter::TextMatcher& test) const;
  DeviceCondition device_condition() const;
  template <typename Visit>
  void each_replica(const Visit& visit) const;
  template <typename Visit>
  void each_job(const Visit& visit) const;
  void show_pauses(filter::TextMatcher& test) const;
  void show_models(filter::TextMatcher& test) const;
  void show_jobs(filter::Field field, filter::TextMatcher& test) const;
  void show_alerts(filter::TextMatcher& test) const;

  const AlertInputs& fleet_;
  DeviceIndex device_ = 0;
};

}  // namespace drover::router
