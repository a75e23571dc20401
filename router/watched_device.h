// A device as alert rules ask for it: fields of filters over the roster's columns.
#pragma once

#include <set>
#include <string>
#include <vector>

#include "fleet/filter.h"
#include "fleet/sample.h"
#include "fleet/summary.h"
#include "router/alerts.h"
#include "router/conditions.h"
#include "router/jobs.h"
#include "router/policy.h"
#include "router/roster.h"

namespace drover::router {

/// What rules look at, at one moment.
struct WatchedFleet {
  const Roster& roster;
  const Policy& policy;
  const JobBook& jobs;
  const ConditionBook& conditions;
  const AlertBook& alerts;          // as they stood before this look
  const std::set<HostIndex>& left;  // that went in order
  const Summary& totals;
  Instant now;
};

/// Of what a sample has never told the roster holds zeros: where no device shows a zero (power,
/// temperature, clock) and before the first sample, that is unknown.
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
  double reading(Metric metric) const;
  void show_place(filter::Field field, filter::TextTest& test) const;
  void show_states(filter::TextTest& test) const;
  void show_models(filter::TextTest& test) const;
  void show_jobs(filter::Field field, filter::TextTest& test) const;
  void show_alerts(filter::TextTest& test) const;
  std::string id() const;

  const WatchedFleet& fleet_;
  DeviceIndex device_ = 0;
};

/// Fields of devices that the roster does not keep: no rule may ask for them.
inline constexpr filter::Field unwatched_fields[] = {filter::Field::memory_temperature};

}  // namespace drover::router
