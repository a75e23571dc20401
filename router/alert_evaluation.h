// The conditions of alerts, evaluated with each summary, and acknowledgements.
#pragma once

#include <vector>

#include "router/alerts/alert_rule_evaluator.h"
#include "router/attempts/outlier_reporting.h"
#include "router/power/power_control.h"
#include "router/publishing/rejected_messages.h"

namespace drover::router {

struct AlertEvaluationDependencies {
  const RouterTiming& settings;
  const Policy& policy;
  const FleetState& fleet_state;
  const JobTable& jobs;
  const JobQueue& queue;
  const DeviceConditionTable& conditions;
  const BoardTable& boards;
  const OutlierReporting& outliers;
  const PowerControl& power;
  RejectedMessages& rejected;
  OutboxBuilder& outbox;
  Publisher& publisher;
};

/// Reads the other tables, and changes none of them.
class AlertEvaluation : AlertEvaluationDependencies {
 public:
  explicit AlertEvaluation(const AlertEvaluationDependencies& uses)
      : AlertEvaluationDependencies(uses), alerts_(settings.heartbeat_every) {}

  void set_rules(const std::vector<AlertRule>& rules);
  void evaluate(Instant now, const Summary& totals);
  void handle(Instant now, const Caller& caller, const AcknowledgeAlert& asked);
  std::vector<Alert> raised() const { return alerts_.raised(); }

 private:
  void add_host_conditions(Instant now, std::vector<AlertCondition>& seen) const;
  void add_ejection_conditions(std::vector<AlertCondition>& seen) const;
  void add_power_conditions(std::vector<AlertCondition>& seen) const;
  void add_job_conditions(Instant now, std::vector<AlertCondition>& seen) const;
  static void add_class_conditions(const Summary& totals, std::vector<AlertCondition>& seen);
  void add_drop_conditions(std::vector<AlertCondition>& seen);

  AlertTable alerts_;
  AlertRuleEvaluator rules_;
};

}  // namespace drover::router
