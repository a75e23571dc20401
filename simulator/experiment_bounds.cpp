// Lower bounds for any policy.
#include <algorithm>
#include <limits>
#include <map>

#include "router/decision/estimate.h"
#include "simulator/experiment.h"
#include "simulator/placement_validator.h"

namespace drover::simulator {
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
