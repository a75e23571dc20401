// Work for a fleet when there is no trace: requests and training jobs drawn from a seed with the
// published statistics of real traces. Pure; the same seed and load give the same jobs.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "commands/submit/work_source.h"
#include "fleet/base/dice.h"

namespace drover::commands {

/// Token counts: log-normal through a median and a high percentile, cut at the largest seen.
struct Lengths {
  double median = 1;
  double sigma = 0;
  std::uint32_t most = 1;
  std::uint32_t draw(Dice& dice) const;
};

/// Requests of one kind.
struct RequestStream {
  std::string name;  // its tenant, and its child of the dice
  double rate_per_s = 1;
  /// Variance over mean of the counts per second: 1 is Poisson, more comes in bursts.
  double burstiness = 1;
  Lengths input;
  Lengths output;
  struct Target {
    std::string model;
    double share;
  };
  std::vector<Target> targets;
};

/// Training jobs of one model, one after the other.
struct TrainingStream {
  std::string model;
  std::uint16_t devices = 1;
  std::uint32_t batch = 1;
  std::uint32_t sequence = 1;
  std::uint32_t steps = 1;
  double every_s = 1;     // mean time between two
  std::uint32_t at_once;  // so many at the very start
};

const std::vector<RequestStream>& request_streams();
const std::vector<TrainingStream>& training_streams();

/// Times of arrivals with a mean rate and burstiness: in each second the rate is drawn anew from a
/// gamma distribution, so counts per second are negative binomial.
class BurstArrivals {
 public:
  BurstArrivals(double rate_per_s, double burstiness, Dice dice);
  double next_s();

 private:
  double rate_per_s_;
  double burstiness_;
  Dice dice_;
  double now_s_ = 0;
  double second_ends_s_ = 0;
  double rate_now_ = 0;
};

/// A gamma variate of this shape and scale 1.
double draw_gamma(Dice& dice, double shape);

/// All streams merged by time. `load` multiplies the arrivals. Never ends.
class SyntheticWork : public WorkSource {
 public:
  SyntheticWork(std::uint64_t seed, double load);
  std::optional<Arrival> next() override;

 private:
  struct Requests {
    const RequestStream* stream;
    BurstArrivals arrivals;
    Dice dice;
    double at_s;
  };
  struct Trainings {
    const TrainingStream* stream;
    Dice dice;
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
