// Synthetic work for a fleet without a trace: random requests and training jobs with the published
// statistics of real traces. Pure; the same seed and load give the same jobs.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "commands/submit/work_source.h"
#include "fleet/base/random_stream.h"

namespace drover::commands {

/// The distribution of token counts: log-normal, fitted to the median and a high percentile, and
/// cut off at the largest observed value.
struct LengthDistribution {
  double median = 1;
  double sigma = 0;
  std::uint32_t max = 1;
  std::uint32_t draw(RandomStream& random) const;
};

/// Requests of one kind.
struct RequestStream {
  std::string name;  // the tenant, and the name of the child random stream
  double rate_per_s = 1;
  /// Variance over mean of the counts per second: 1 is Poisson, higher values are bursty.
  double burstiness = 1;
  LengthDistribution input;
  LengthDistribution output;
  struct Target {
    std::string model;
    double share;
  };
  std::vector<Target> targets;
};

/// Training jobs of one model.
struct TrainingStream {
  std::string model;
  std::uint16_t devices = 1;
  std::uint32_t batch = 1;
  std::uint32_t sequence = 1;
  std::uint32_t steps = 1;
  double every_s = 1;     // mean time between two arrivals
  std::uint32_t at_once;  // number of jobs that arrive at the start
};

/// Arrival times with a mean rate and burstiness. The rate of each second is drawn from a gamma
/// distribution, so counts per second are negative binomial.
class BurstArrivals {
 public:
  BurstArrivals(double rate_per_s, double burstiness, RandomStream random);
  double next_s();

 private:
  double rate_per_s_;
  double burstiness_;
  RandomStream random_;
  double now_s_ = 0;
  double second_ends_s_ = 0;
  double rate_now_ = 0;
};

/// A gamma variate with this shape and scale 1.
double draw_gamma(RandomStream& random, double shape);

/// All streams merged by time. `load` multiplies the arrivals. Never ends.
class SyntheticWork : public WorkSource {
 public:
  SyntheticWork(std::uint64_t seed, double load);
  std::optional<Arrival> next() override;

 private:
  struct Requests {
    const RequestStream* stream;
    BurstArrivals arrivals;
    RandomStream random;
    double at_s;
  };
  struct Trainings {
    const TrainingStream* stream;
    RandomStream random;
    std::uint32_t submitted;
    double at_s;
  };
  Job draw_request(Requests& requests);
  Job draw_training(Trainings& trainings);

  double load_;
  std::vector<Requests> requests_;
  std::vector<Trainings> trainings_;
};

}  // namespace drover::commands
