#include "router/explain/trial.h"

#include <algorithm>
#include <optional>

#include "devices/serving/performance.h"
#include "router/jobs/pool_reports.h"

namespace drover::router {

Trial::Trial(Roster& roster, const Policy& in_force, const Ask& asked, Instant at)
    : job(*asked.job),
      policy(in_force),
      ask(asked),
      now(at),
      fleet(roster, at - from_seconds(in_force.stale_after_s)) {
  ask.job = &job;
}

void Trial::pass(double seconds) {
  const bool budgeted = policy.limits.budget_usd_per_h > 0;
  const double before_usd_per_h = budgeted ? spend_usd_per_h(fleet.roster(), policy) : 0;
  now = saturating_add(now, from_seconds(seconds));
  const auto ended = static_cast<double>(fleet.end_gangs(now));
  ask.running_jobs = std::max(0.0, ask.running_jobs - ended);
  if (budgeted) ask.spend_usd_per_h += spend_usd_per_h(fleet.roster(), policy) - before_usd_per_h;
  // What sends samples goes on doing so; what is silent stays so.
  policy.stale_after_s += seconds;
}

Rule* Trial::rule(const std::string& name) {
  const auto found = std::find_if(policy.rules.begin(), policy.rules.end(),
                                  [&](const Rule& each) { return each.name == name; });
  return found == policy.rules.end() ? nullptr : &*found;
}

bool Trial::places(Estimator& estimator) {
  // What is worked out for kinds of devices that do not exist is not to be remembered.
  std::optional<Estimator> imagined;
  if (!specs.empty()) imagined.emplace().learn_from(estimator);
  Estimator& used = imagined ? *imagined : estimator;
  Dice dice(policy.seed);
  if (loads && !load(used, dice)) return false;
  return decide(fleet.roster(), policy, used, ask, now, dice).place.has_value();
}

/// A replica for the job, where the router would load one, ready for its first request.
bool Trial::load(Estimator& estimator, Dice& dice) {
  const Roster& roster = fleet.roster();
  const auto place = decide_replica(roster, policy, estimator, ask, now, dice).place;
  if (!place) return false;
  const GroupEntry& group = roster.groups()[place->group];
  const devices::Placement on{group.spec, static_cast<int>(place->devices.size()),
                              place->precision};
  Replica replica;
  replica.id = {roster.hosts()[place->host].hello.host, roster.next_replica_number(place->host)};
  replica.model = job.work.model;
  replica.precision = place->precision;
  replica.group = group.group.number;
  replica.devices = place->devices;
  replica.state = ReplicaState::ready;
  replica.batch_max = 1;
  replica.kv_capacity_tokens =
      static_cast<std::uint64_t>(devices::kv_capacity_tokens(on, *ask.model));
  pass(place->run_s);
  fleet.load(now, place->host, replica);
  return true;
}

}  // namespace drover::router
