// Real work under a power cap: prompts, answers and training come and go on one host, and no
// reading at any instant is above the cap.
#include <algorithm>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include "agents/execution/executor.h"
#include "tests/agents/agent_harness.h"

namespace drover::agents {
namespace {

struct Replicas {
  const char* device;
  const char* large;  // over devices 0 to 3
  Precision precision;
  bool trains;
  double cap_low = 0.8;  // caps are lowered to this share of the board's limit at most
};

/// One host of eight with random work, watched at every event and at random instants between.
class BusyHost {
 public:
  explicit BusyHost(const Replicas& kind)
      : kind_(kind),
        executor_("node1", std::vector<Executor::Device>(8, {&device_spec(kind.device), 0}),
                  devices::Ambient{30}, RandomStream(7), beginning()) {
    start(0, kind.large, {0, 1, 2, 3}, kind.precision);
    start(1, "llama-3.1-8b", {4}, Precision::bf16);
    start(2, "llama-3.1-8b", {5}, Precision::int8);
  }

  bool takes_power_cap() const { return device_spec(kind_.device).takes_power_cap(); }
  void run(int rounds) {
    for (int round = 0; round < rounds; ++round) {
      if (random_.chance(0.02)) lower_a_cap();
      if (kind_.trains && random_.chance(0.1)) train();
      serve();
      pass(from_seconds(random_.exponential(0.1)));
    }
  }

  double worst = 0;      // reading over cap
  double limited = 0;    // readings that name the cap, weighted alike
  double share_sum = 0;  // of their power over the cap
  double sampled_j = 0;  // integral of what was read
  std::uint64_t readings = 0;

  double counted_j() const {
    double sum = 0;
    for (std::uint16_t at = 0; at < 8; ++at) sum += executor_.chassis().energy_j(now_, at);
    return sum;
  }

 private:
  void start(std::uint32_t number, const char* model, std::vector<std::uint16_t> devices,
             Precision precision) {
    StartReplica start;
    start.number = number;
    start.model = model;
    start.devices = std::move(devices);
    start.precision = precision;
    executor_.start_replica(now_, start, model_spec(model), true);
    ASSERT_TRUE(executor_.replica(number)) << model;
  }
  void lower_a_cap() {
    const auto device = static_cast<std::uint16_t>(random_.below(8));
    executor_.set_power_cap(
        now_, device, random_.uniform(kind_.cap_low, 1) * device_spec(kind_.device).power.tdp_w);
  }
  void train() {
    if (executor_.holds({job_id(training_), 1})) return;
    training_ = ++job_;
    const Job job = train_job(training_, "bert-large", 1 + random_.below(60), 64, 512, 2);
    EXPECT_FALSE(executor_.train(now_, to_devices(job, {6, 7}), model_spec("bert-large")));
  }
  void serve() {
    const auto number = static_cast<std::uint32_t>(random_.below(3));
    const auto input =
        static_cast<std::uint32_t>(1 + random_.below(random_.chance(0.1) ? 9000 : 1500));
    const auto output = static_cast<std::uint32_t>(1 + random_.below(200));
    const char* model = number == 0 ? kind_.large : "llama-3.1-8b";
    // Refused when the queue is full: then there is work enough.
    (void)executor_.serve(now_, to_replica(serve_job(++job_, model, input, output), number));
  }
  void pass(Duration span) {
    const Instant end = now_ + span;
    while (now_ < end) {
      const Instant halfway = now_ + (end - now_) / 2;
      move_to(std::min({end, executor_.next_event(), std::max(halfway, now_ + Duration(1))}));
    }
  }
  void move_to(Instant next) {
    for (std::uint16_t at = 0; at < 8; ++at) {
      const Sample sample = executor_.reading(now_, at);
      const double share = sample[Metric::power] / sample[Metric::power_cap];
      worst = std::max(worst, share);
      ++readings;
      sampled_j += sample[Metric::power] * to_seconds(next - now_);
      if ((static_cast<std::uint32_t>(sample[Metric::throttle]) & throttle_sw_power_cap) == 0)
        continue;
      ++limited;
      share_sum += share;
    }
    now_ = next;
    executor_.advance(now_);
    (void)executor_.take_changes();
  }

  Replicas kind_;
  Executor executor_;
  Instant now_ = beginning();
  RandomStream random_{23};
  std::uint64_t job_ = 0, training_ = 0;
};

class PowerLimit : public testing::TestWithParam<Replicas> {};

TEST_P(PowerLimit, HoldsAtEveryInstantOfMixedWork) {
  BusyHost host(GetParam());
  host.run(3000);
  EXPECT_GT(host.readings, 100'000u);
  EXPECT_LE(host.worst, 1 + 1e-9);
  EXPECT_NEAR(host.sampled_j / host.counted_j(), 1, 1e-6);
  // A TPU takes no lower cap than what it is made for.
  if (!host.takes_power_cap()) return;
  // The limiter gives away little: real boards sit at 0.90 to 0.97 of their cap, too.
  ASSERT_GT(host.limited, 1000);
  EXPECT_NEAR(host.share_sum / host.limited, 0.96, 0.03);
}

INSTANTIATE_TEST_SUITE_P(
    OfEachBoard, PowerLimit,
    testing::Values(Replicas{"h100-sxm", "llama-3.1-70b", Precision::bf16, true},
                    Replicas{"a100-sxm-80gb", "llama-3.1-70b", Precision::bf16, true},
                    // Its assumed watts stay well under its assumed limit.
                    Replicas{"tpu-v5p", "llama-3.1-70b", Precision::bf16, false, 0.5}),
    [](const testing::TestParamInfo<Replicas>& one) {
      std::string name = one.param.device;
      std::replace(name.begin(), name.end(), '-', '_');
      return name;
    });

}  // namespace
}  // namespace drover::agents
