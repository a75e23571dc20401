// One change tried: a job, a policy and a fleet as they would be with it, and a decision on that.
#pragma once

#include <deque>

#include "router/decision/decide.h"
#include "router/roster/roster_trial.h"

namespace drover::router {

struct Trial {
  Trial(Roster& roster, const Policy& in_force, const Ask& asked, Instant at);
  Trial(const Trial&) = delete;
  Trial& operator=(const Trial&) = delete;

  /// So much time goes by: gangs end as they are believed to, and what sends samples goes on.
  void pass(double seconds);
  /// The policy's rule of this name; null: there is none.
  Rule* rule(const std::string& name);

  /// Whether the job is placed: with `loads`, once a replica has been loaded for it.
  bool places(Estimator& estimator);

  Job job;
  Policy policy;
  Ask ask;  // of `job`
  Instant now;
  bool loads = false;
  RosterTrial fleet;
  std::deque<devices::DeviceSpec> specs;  // kinds of devices that do not exist

 private:
  bool load(Estimator& estimator, Dice& dice);
};

}  // namespace drover::router
