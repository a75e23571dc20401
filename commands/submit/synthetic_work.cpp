// The requests follow Microsoft's Azure LLM inference traces of 2023 (Splitwise, ISCA 2024;
// github.com/Azure/AzurePublicDataset, CC-BY 4.0):
//   conversation: 5.53 requests/s; input p50 1020, p99 4142; output p50 129, p99 601 tokens
//   code:         2.57 requests/s, variance over mean of counts per second 13.2;
//                 input p50 1469, p90 5194, max 7437; output p50 13, p99 252, max 1899 tokens
// Each length is log-normal: sigma = ln(high / p50) / z, with z = 2.326 for p99 and 1.2816 for p90.
// The training jobs are assumed: common batch sizes, and arrival rates that keep a gang and about
// six jobs of one device in the system. The gang runs for most of an hour on the A100 of the demo's
// two hosts, the others for some minutes on TPUs or, if these are full, on H100.
#include "commands/submit/synthetic_work.h"

#include <algorithm>
#include <cmath>

#include "fleet/base/identity.h"

namespace drover::commands {

namespace {

constexpr std::int8_t request_priority = 10;
constexpr std::int8_t training_priority = 0;

const std::vector<RequestStream>& request_streams() {
  static const std::vector<RequestStream> streams = {
      {"chat",
       5.53,
       1.0,
       {1020, 0.602, 14'050},  // ln(4142 / 1020) / 2.326; max: assumed, cuts off improbable lengths
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
      {"llama-3.1-8b", 8, 64, 4096, 300, 3600, 1},
      {"bert-large", 1, 128, 128, 900, 75, 4},
      {"resnet-50", 1, 256, 1, 1800, 75, 4},
  };
  return streams;
}

}  // namespace

std::uint32_t LengthDistribution::draw(RandomStream& random) const {
  const double tokens = std::round(random.log_normal(median, sigma));
  return static_cast<std::uint32_t>(std::clamp(tokens, 1.0, static_cast<double>(max)));
}

double draw_gamma(RandomStream& random, double shape) {
  // Marsaglia and Tsang, "A simple method for generating gamma variables" (2000); a shape under 1
  // is that of shape + 1 times uniform^(1 / shape), from the same paper.
  if (shape < 1) {
    const double boosted = draw_gamma(random, shape + 1);
    return boosted * std::pow(1 - random.uniform(), 1 / shape);
  }
  const double d = shape - 1.0 / 3.0;
  const double c = 1 / std::sqrt(9 * d);
  for (;;) {
    const double x = random.normal();
    const double root = 1 + c * x;
    if (root <= 0) continue;
    const double v = root * root * root;
    const double u = 1 - random.uniform();
    if (std::log(u) < 0.5 * x * x + d - d * v + d * std::log(v)) return d * v;
  }
}

BurstArrivals::BurstArrivals(double rate_per_s, double burstiness, RandomStream random)
    : rate_per_s_(rate_per_s), burstiness_(burstiness), random_(random), rate_now_(rate_per_s) {}

double BurstArrivals::next_s() {
  if (burstiness_ <= 1) return now_s_ += random_.exponential(1 / rate_per_s_);
  // A Poisson count whose rate is gamma with shape k and mean m has variance / mean = 1 + m / k.
  const double shape = rate_per_s_ / (burstiness_ - 1);
  for (;;) {
    // Within one second the rate is constant. An arrival after its end is drawn again in the next
    // second (the exponential distribution is memoryless).
    if (now_s_ < second_ends_s_) {
      const double wait_s = rate_now_ > 0 ? random_.exponential(1 / rate_now_) : 2.0;
      if (now_s_ + wait_s < second_ends_s_) return now_s_ += wait_s;
      now_s_ = second_ends_s_;
    }
    second_ends_s_ += 1;
    rate_now_ = draw_gamma(random_, shape) * rate_per_s_ / shape;
  }
}

SyntheticWork::SyntheticWork(std::uint64_t seed, double load) : load_(load) {
  const RandomStream random = RandomStream(seed).child("synthetic work");
  for (const RequestStream& stream : request_streams()) {
    const RandomStream own = random.child(stream.name);
    BurstArrivals arrivals(stream.rate_per_s * load, stream.burstiness, own.child("arrivals"));
    requests_.push_back({&stream, arrivals, own.child("jobs"), 0});
    requests_.back().at_s = requests_.back().arrivals.next_s();
  }
  for (const TrainingStream& stream : training_streams()) {
    trainings_.push_back({&stream, random.child("training").child(stream.model), 0, 0});
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
  job.id = generate_job_id(requests.random);
  job.tenant = stream.name;
  job.priority = request_priority;
  job.work.kind = WorkKind::serve;
  job.work.input_tokens = stream.input.draw(requests.random);
  job.work.output_tokens = stream.output.draw(requests.random);
  double point = requests.random.uniform();
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
  job.id = generate_job_id(trainings.random);
  job.tenant = "research";
  job.priority = training_priority;
  job.work.kind = WorkKind::train;
  job.work.model = stream.model;
  job.work.devices = stream.devices;
  job.work.batch = stream.batch;
  job.work.sequence = stream.sequence;
  // Runs differ in length by up to a third, so that they do not end at the same time.
  job.work.steps = static_cast<std::uint32_t>(stream.steps * trainings.random.uniform(0.67, 1.33));
  if (++trainings.submitted >= stream.at_once) {
    trainings.at_s += stream.every_s / load_ * trainings.random.uniform(0.5, 1.5);
  }
  return job;
}

}  // namespace drover::commands
