// The requests follow Microsoft's Azure LLM inference traces of 2023 (Splitwise, ISCA 2024;
// github.com/Azure/AzurePublicDataset, CC-BY 4.0):
//   conversation: 5.53 requests/s; input p50 1020, p99 4142; output p50 129, p99 601 tokens
//   code:         2.57 requests/s, variance over mean of counts per second 13.2;
//                 input p50 1469, p90 5194, max 7437; output p50 13, p99 252, max 1899 tokens
// Each length is log-normal: sigma = ln(high / p50) / z, with z = 2.326 for p99 and 1.2816 for p90.
// The training jobs are assumed: common batch sizes, steps for a minute or two, arrivals so that
// one or two of each are in the system. The gang asks for four devices, half of one of the demo's
// hosts: the other half always serves, and one of eight would wait until nobody asks for an answer
// there.
#include "commands/submit/synthetic_work.h"

#include <algorithm>
#include <cmath>

#include "fleet/base/identity.h"

namespace drover::commands {

namespace {

constexpr std::int8_t request_priority = 10;
constexpr std::int8_t training_priority = 0;

}  // namespace

const std::vector<RequestStream>& request_streams() {
  static const std::vector<RequestStream> streams = {
      {"chat",
       5.53,
       1.0,
       {1020, 0.602, 14'050},  // ln(4142 / 1020) / 2.326; most: assumed, ten sigmas are no request
       {129, 0.661, 2'000},    // ln(601 / 129) / 2.326
       {{"llama-3.1-70b", 0.6}, {"llama-3.1-8b", 0.4}}},
      {"code",
       2.57,
       13.2,
       {1469, 0.985, 7'437},  // ln(5194 / 1469) / 1.2816
       {13, 1.274, 1'899},    // ln(252 / 13) / 2.326
       {{"llama-3.1-8b", 1.0}}},
  };
  return streams;
}

const std::vector<TrainingStream>& training_streams() {
  static const std::vector<TrainingStream> streams = {
      {"llama-3.1-8b", 4, 32, 4096, 10, 150, 1},
      {"bert-large", 1, 128, 128, 900, 90, 2},
      {"resnet-50", 1, 256, 1, 1800, 90, 2},
  };
  return streams;
}

std::uint32_t Lengths::draw(Dice& dice) const {
  const double tokens = std::round(dice.log_normal(median, sigma));
  return static_cast<std::uint32_t>(std::clamp(tokens, 1.0, static_cast<double>(most)));
}

double draw_gamma(Dice& dice, double shape) {
  // Marsaglia and Tsang, "A simple method for generating gamma variables" (2000); a shape under 1
  // is that of shape + 1 times uniform^(1 / shape), from the same paper.
  if (shape < 1) {
    const double boosted = draw_gamma(dice, shape + 1);
    return boosted * std::pow(1 - dice.uniform(), 1 / shape);
  }
  const double d = shape - 1.0 / 3.0;
  const double c = 1 / std::sqrt(9 * d);
  for (;;) {
    const double x = dice.normal();
    const double root = 1 + c * x;
    if (root <= 0) continue;
    const double v = root * root * root;
    const double u = 1 - dice.uniform();
    if (std::log(u) < 0.5 * x * x + d - d * v + d * std::log(v)) return d * v;
  }
}

BurstArrivals::BurstArrivals(double rate_per_s, double burstiness, Dice dice)
    : rate_per_s_(rate_per_s), burstiness_(burstiness), dice_(dice), rate_now_(rate_per_s) {}

double BurstArrivals::next_s() {
  if (burstiness_ <= 1) return now_s_ += dice_.exponential(1 / rate_per_s_);
  // A Poisson count whose rate is gamma with shape k and mean m has variance / mean = 1 + m / k.
  const double shape = rate_per_s_ / (burstiness_ - 1);
  for (;;) {
    // Within one second the rate is constant; what would come after its end is drawn anew there
    // (the exponential has no memory).
    if (now_s_ < second_ends_s_) {
      const double wait_s = rate_now_ > 0 ? dice_.exponential(1 / rate_now_) : 2.0;
      if (now_s_ + wait_s < second_ends_s_) return now_s_ += wait_s;
      now_s_ = second_ends_s_;
    }
    second_ends_s_ += 1;
    rate_now_ = draw_gamma(dice_, shape) * rate_per_s_ / shape;
  }
}

SyntheticWork::SyntheticWork(std::uint64_t seed, double load) : load_(load) {
  const Dice dice = Dice(seed).child("synthetic work");
  for (const RequestStream& stream : request_streams()) {
    const Dice own = dice.child(stream.name);
    BurstArrivals arrivals(stream.rate_per_s * load, stream.burstiness, own.child("arrivals"));
    requests_.push_back({&stream, arrivals, own.child("jobs"), 0});
    requests_.back().at_s = requests_.back().arrivals.next_s();
  }
  for (const TrainingStream& stream : training_streams()) {
    trainings_.push_back({&stream, dice.child("training").child(stream.model), 0, 0});
  }
}

std::optional<Arrival> SyntheticWork::next() {
  const auto sooner = [](const auto& left, const auto& right) { return left.at_s < right.at_s; };
  auto request = std::min_element(requests_.begin(), requests_.end(), sooner);
  auto training = std::min_element(trainings_.begin(), trainings_.end(), sooner);
  Arrival arrival;
  if (training->at_s <= request->at_s) {
    arrival.at = from_seconds(training->at_s);
    arrival.job = draw_training(*training);
  } else {
    arrival.at = from_seconds(request->at_s);
    arrival.job = draw_request(*request);
  }
  return arrival;
}

Job SyntheticWork::draw_request(Requests& requests) {
  const RequestStream& stream = *requests.stream;
  Job job;
  job.id = draw_job_id(requests.dice);
  job.tenant = stream.name;
  job.priority = request_priority;
  job.work.kind = WorkKind::serve;
  job.work.input_tokens = stream.input.draw(requests.dice);
  job.work.output_tokens = stream.output.draw(requests.dice);
  double point = requests.dice.uniform();
  job.work.model = stream.targets.back().model;
  for (const auto& target : stream.targets) {
    if (point < target.share) {
      job.work.model = target.model;
      break;
    }
    point -= target.share;
  }
  requests.at_s = requests.arrivals.next_s();
  return job;
}

Job SyntheticWork::draw_training(Trainings& trainings) {
  const TrainingStream& stream = *trainings.stream;
  Job job;
  job.id = draw_job_id(trainings.dice);
  job.tenant = "research";
  job.priority = training_priority;
  job.work.kind = WorkKind::train;
  job.work.model = stream.model;
  job.work.devices = stream.devices;
  job.work.batch = stream.batch;
  job.work.sequence = stream.sequence;
  // Runs differ in length by up to a third, so that they do not end in step.
  job.work.steps = static_cast<std::uint32_t>(stream.steps * trainings.dice.uniform(0.67, 1.33));
  if (++trainings.submitted >= stream.at_once) {
    trainings.at_s += stream.every_s / load_ * trainings.dice.uniform(0.5, 1.5);
  }
  return job;
}

}  // namespace drover::commands
