#include "simulator/experiment.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>
#include <utility>

#include "router/decision/estimate.h"
#include "router/policy/policy.h"
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

// Lower bounds for any policy.

namespace {

/// Over the kinds of devices that can run a job: the shortest run, and the fewest device-seconds.
struct Best {
  double run_s = std::numeric_limits<double>::infinity();
  double device_s = std::numeric_limits<double>::infinity();
};

class Kinds {
 public:
  Kinds(const std::vector<agents::AgentSettings>& hosts, const devices::Catalogue& catalogue)
      : catalogue_(catalogue) {
    for (const agents::AgentSettings& host : hosts) {
      for (const agents::GroupRequest& group : host.groups) {
        const auto entry = catalogue.device(group.device);
        DROVER_REQUIRE(entry.ok());
        int& largest = specs_[&(*entry)->spec];
        largest = std::max<int>(largest, group.count);
        devices_ += group.count;
      }
    }
  }

  double devices() const { return devices_; }

  Best best(const Job& job) {
    Best best;
    const auto model = catalogue_.model(job.work.model);
    if (!model) return best;
    for (const auto& [spec, largest] : specs_) {
      for (const Precision precision : precisions_of(job.work)) {
        const int gang = job.work.devices;
        const int per_host = gang > largest ? largest : 0;
        if (!placement_violations({&job.work, &(*model)->spec, spec, gang, precision, per_host})
                 .empty()) {
          continue;
        }
        const double run_s =
            estimator_.train({spec, gang, precision, 1, per_host}, (*model)->spec, job.work)
                .seconds;
        best.run_s = std::min(best.run_s, run_s);
        best.device_s = std::min(best.device_s, run_s * gang);
      }
    }
    return best;
  }

 private:
  static std::vector<Precision> precisions_of(const Workload& work) {
    if (!work.precisions.empty()) return work.precisions;
    std::vector<Precision> all;
    for (int each = 0; each < precision_count; ++each) all.push_back(static_cast<Precision>(each));
    return all;
  }

  const devices::Catalogue& catalogue_;
  // With the largest group of each; the minimum is taken, so any order is fine.
  std::map<const devices::DeviceSpec*, int> specs_;
  double devices_ = 0;
  router::Estimator estimator_;
};

}  // namespace

ExperimentBounds bounds_of(const Experiment& experiment, const devices::Catalogue& catalogue) {
  Kinds kinds(experiment.hosts, catalogue);
  ExperimentBounds bounds;
  double first_s = std::numeric_limits<double>::infinity();
  double last_s = 0, run_s = 0, device_s = 0;
  std::uint64_t counted = 0;
  for (const Arrival& arrival : experiment.arrivals) {
    first_s = std::min(first_s, to_seconds(arrival.at));
    const Best best = kinds.best(arrival.job);
    if (best.run_s == std::numeric_limits<double>::infinity()) {
      ++bounds.unplaceable;
      continue;
    }
    ++counted;
    run_s += best.run_s;
    device_s += best.device_s;
    last_s = std::max(last_s, to_seconds(arrival.at) + best.run_s);
  }
  if (counted == 0) return bounds;
  bounds.completion_mean_s = run_s / static_cast<double>(counted);
  bounds.longest_s = last_s - first_s;
  bounds.work_s = device_s / kinds.devices();
  bounds.makespan_s = std::max(bounds.longest_s, bounds.work_s);
  return bounds;
}

std::uint64_t drop_gangs_over(std::uint64_t devices, Experiment& experiment) {
  return std::erase_if(experiment.arrivals, [&](const Arrival& arrival) {
    return arrival.job.work.kind == WorkKind::train && arrival.job.work.devices > devices;
  });
}

}  // namespace drover::simulator
