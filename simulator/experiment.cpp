#include "simulator/experiment.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "router/policy/text.h"
#include "simulator/placement_validator.h"
#include "simulator/simulation.h"

namespace drover::simulator {
namespace {

/// The router's wall times, as `drover router` sets them.
router::RouterSettings router_at(double speed) {
  router::RouterSettings settings;
  settings.software = "study";
  settings.speed = speed;
  for (Duration* span : {&settings.heartbeat_every, &settings.suspect_after, &settings.lease,
                         &settings.lost_after, &settings.summary_every}) {
    *span = from_seconds(to_seconds(*span) * speed);
  }
  return settings;
}

Scenario scenario_of(const Experiment& experiment) {
  Scenario scenario;
  scenario.seed = experiment.seed;
  scenario.hosts = experiment.hosts;
  for (agents::AgentSettings& host : scenario.hosts) {
    host.sample_every = from_seconds(experiment.speed);
    host.sample_every_min = host.sample_every;
  }
  scenario.router = router_at(experiment.speed);
  scenario.policy = router::at_speed(experiment.policy, experiment.speed);
  scenario.arrivals = experiment.arrivals;
  scenario.resend_after = from_seconds(5 * experiment.speed);
  return scenario;
}

/// A subscriber's records of the jobs.
class Notes {
 public:
  explicit Notes(const std::vector<agents::AgentSettings>& hosts) {
    for (const agents::AgentSettings& host : hosts) device_of_[host.host] = host.groups[0].device;
  }

  void record(const JobChanged& changed) {
    Note& note = notes_[changed.job.id];
    if (changed.state == JobState::running && changed.attempt != note.attempt) {
      note.attempt = changed.attempt;
      note.started = changed.since;
    }
    if (!is_terminal(changed.state)) return;
    last_end_ = std::max(last_end_, changed.since);
    if (changed.state != JobState::finished) {
      ++failures_[changed.reason.value_or(Reason::invalid)];
      return;
    }
    completion_s_.push_back(changed.latency_s);
    queueing_s_.push_back(to_seconds(note.started - changed.submitted));
    const std::string host = changed.target.substr(0, changed.target.find('/'));
    device_s_[device_of_[host]] += changed.usage.device_s;
  }

  std::uint64_t ended() const {
    std::uint64_t count = completion_s_.size();
    for (const auto& [reason, jobs] : failures_) count += jobs;
    return count;
  }

  void write(Instant first_arrival, ExperimentResult& result) const {
    result.completed = completion_s_.size();
    result.failures = failures_;
    result.makespan_s = std::max(0.0, to_seconds(last_end_ - first_arrival));
    result.completion = duration_stats(completion_s_);
    result.queueing = duration_stats(queueing_s_);
    result.device_s = device_s_;
  }

 private:
  struct Note {
    std::uint32_t attempt = 0;
    Instant started{};
  };
  std::map<std::string, std::string> device_of_;  // by host
  std::map<JobId, Note> notes_;
  std::map<Reason, std::uint64_t> failures_;
  std::vector<double> completion_s_, queueing_s_;
  std::map<std::string, double> device_s_;
  Instant last_end_{};
};

}  // namespace

DurationStats duration_stats(std::vector<double> values_s) {
  DurationStats spans;
  if (values_s.empty()) return spans;
  std::sort(values_s.begin(), values_s.end());
  double sum_s = 0;
  for (const double value_s : values_s) sum_s += value_s;
  const auto count = static_cast<double>(values_s.size());
  const auto quantile = [&](double share) {
    const auto rank = static_cast<std::size_t>(std::ceil(share * count));
    return values_s[std::max<std::size_t>(rank, 1) - 1];
  };
  spans.mean_s = sum_s / count;
  spans.p50_s = quantile(0.5);
  spans.p99_s = quantile(0.99);
  spans.max_s = values_s.back();
  return spans;
}

ExperimentResult run_experiment(Experiment experiment, const devices::Catalogue& catalogue) {
  ExperimentResult result;
  result.jobs = experiment.arrivals.size();
  Duration first = experiment.arrivals.empty() ? Duration{} : experiment.arrivals.front().at;
  Duration last{};
  for (const Arrival& arrival : experiment.arrivals) {
    first = std::min(first, arrival.at);
    last = std::max(last, arrival.at);
  }
  Scenario scenario = scenario_of(experiment);
  const Instant start = scenario.start;
  Notes notes(experiment.hosts);
  PlacementValidator validator(experiment.hosts, catalogue);
  Simulation world(std::move(scenario), catalogue);
  world.subscriber = [&](const Envelope& envelope) {
    if (const auto* changed = std::get_if<JobChanged>(&envelope.body)) notes.record(*changed);
    validator.published(envelope);
  };
  world.assigned = [&](const std::string& host, const Assign& assign) {
    validator.assigned(host, assign);
  };
  const Duration step = from_seconds(10 * experiment.speed);
  for (Duration until = first;
       notes.ended() < result.jobs && until < last + experiment.give_up_after;) {
    until += step;
    world.run_for(until);
  }
  notes.write(start + first, result);
  const Summary summary = world.summary();
  result.charged = summary.charged;
  result.wasted = summary.wasted;
  result.fleet_energy_j = summary.fleet_energy_j;
  result.fleet_cost_usd = summary.fleet_cost_usd;
  result.fallbacks = summary.fallbacks;
  result.assignments = validator.checked();
  result.violations = validator.violations();
  result.simulated_s = to_seconds(world.now() - start);
  result.events = world.events();
  return result;
}

}  // namespace drover::simulator
