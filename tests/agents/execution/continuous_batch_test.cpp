#include "agents/execution/continuous_batch.h"

#include <gtest/gtest.h>

#include "fleet/base/random_stream.h"
#include "tests/agents/agent_harness.h"
#include "tests/agents/execution/token_by_token.h"

namespace drover::agents {
namespace {

struct BatchCase {
  const char* name;
  const char* device;
  int devices;
  const char* model;
  Precision precision;
  std::uint64_t kv_capacity_tokens;
  std::uint32_t batch_max;
  std::uint64_t seed;
};

void PrintTo(const BatchCase& the_case, std::ostream* out) { *out << the_case.name; }

std::vector<PlainRequest> draw_requests(RandomStream random) {
  std::vector<PlainRequest> requests;
  Instant arrival = beginning();
  for (int number = 0; number < 300; ++number) {
    PlainRequest request;
    // Bursts, and now and then a pause in which the replica runs empty.
    arrival += from_seconds(random.exponential(random.chance(0.05) ? 5.0 : 0.05));
    request.arrival_s = to_seconds(arrival - beginning());
    request.input = 1 + static_cast<std::uint32_t>(random.below(random.chance(0.1) ? 7000 : 900));
    request.output = static_cast<std::uint32_t>(random.below(300));
    requests.push_back(request);
  }
  return requests;
}

std::vector<PaceChange> draw_paces(RandomStream random) {
  std::vector<PaceChange> paces;
  Instant at = beginning();
  for (int number = 0; number < 60; ++number) {
    at += from_seconds(random.exponential(0.5));
    paces.push_back({to_seconds(at - beginning()), random.uniform(0.4, 1.0)});
  }
  return paces;
}

/// Feeds the batch from a plain first-come queue, event by event.
class Driver {
 public:
  Driver(const devices::Placement& placement, const devices::ModelSpec& model,
         ContinuousBatch::Limits limits)
      : batch_(placement, model, limits), limits_(limits) {}

  void run(std::vector<PlainRequest>& requests, const std::vector<PaceChange>& paces) {
    std::size_t next = 0, change = 0, open = requests.size();
    while (open > 0) {
      const Instant arrival = next < requests.size() ? at(requests[next].arrival_s) : never;
      const Instant pace = change < paces.size() ? at(paces[change].at_s) : never;
      const Instant now = std::min({arrival, pace, batch_.next_event()});
      if (now == pace) batch_.set_pace(now, paces[change++].pace);
      if (now == batch_.next_event()) {
        for (const ContinuousBatch::EndedRequest& left : batch_.finish_phase({now, 0})) {
          EXPECT_TRUE(left.complete);
          requests[left.number].first_token_s = to_seconds(left.first_token - beginning());
          requests[left.number].end_s = to_seconds(now - beginning());
          --open;
        }
      }
      if (now == arrival) waiting_.push_back(next++);
      admit(requests, now);
      ++events_;
    }
  }

  std::uint64_t events() const { return events_; }

 private:
  static Instant at(double seconds) { return beginning() + from_seconds(seconds); }

  void admit(const std::vector<PlainRequest>& requests, Instant now) {
    while (!waiting_.empty()) {
      const PlainRequest& request = requests[waiting_.front()];
      if (!batch_.fits(request.input + request.output)) break;
      batch_.join(waiting_.front(), request.input, request.output);
      waiting_.erase(waiting_.begin());
      EXPECT_LE(batch_.kv_used_tokens(), limits_.kv_capacity_tokens);
      EXPECT_LE(batch_.running(), limits_.batch_max);
      batch_.interrupt(now);
    }
    if (!batch_.busy()) batch_.begin_phase({now, 0});
  }

  ContinuousBatch batch_;
  ContinuousBatch::Limits limits_;
  std::vector<std::size_t> waiting_;
  std::uint64_t events_ = 0;
};

class ContinuousBatchPromise : public testing::TestWithParam<BatchCase> {};

TEST_P(ContinuousBatchPromise, EqualsATokenByTokenSimulation) {
  const BatchCase& the_case = GetParam();
  const devices::Placement placement{&device_spec(the_case.device), the_case.devices,
                                     the_case.precision};
  const devices::ModelSpec& model = model_spec(the_case.model);
  const RandomStream random(the_case.seed);
  std::vector<PlainRequest> closed = draw_requests(random.child("requests"));
  std::vector<PlainRequest> plain = closed;
  const std::vector<PaceChange> paces = draw_paces(random.child("paces"));

  Driver driver(placement, model, {the_case.kv_capacity_tokens, the_case.batch_max});
  driver.run(closed, paces);
  ReferenceBatch(placement, model,
                 {the_case.kv_capacity_tokens, the_case.batch_max, prefill_chunk_tokens}, paces)
      .run(plain);

  std::uint64_t tokens = 0;
  for (std::size_t number = 0; number < plain.size(); ++number) {
    tokens += plain[number].output;
    // Instants are whole nanoseconds; beyond that, a relative 1e-9.
    const double tolerance = 1e-9 + 1e-9 * plain[number].end_s;
    EXPECT_NEAR(closed[number].end_s, plain[number].end_s, tolerance) << "request " << number;
    EXPECT_NEAR(closed[number].first_token_s, plain[number].first_token_s, tolerance)
        << "request " << number;
  }
  EXPECT_LT(driver.events(), tokens / 10) << "events must not grow with tokens";
}

INSTANTIATE_TEST_SUITE_P(
    Workloads, ContinuousBatchPromise,
    testing::Values(
        BatchCase{"roomy", "h100-sxm", 1, "llama-3.1-8b", Precision::bf16, 400'000, 256, 1},
        BatchCase{"tight_cache", "h100-sxm", 1, "llama-3.1-8b", Precision::bf16, 12'000, 256, 2},
        BatchCase{"small_batch", "a100-sxm-80gb", 1, "llama-3.1-8b", Precision::bf16, 400'000, 4,
                  3},
        BatchCase{"four_devices", "h100-sxm", 4, "llama-3.1-70b", Precision::bf16, 400'000, 64, 4},
        BatchCase{"one_at_a_time", "l4", 1, "llama-3.1-8b", Precision::bf16, 20'000, 1, 5},
        BatchCase{"compiling", "tpu-v5e", 8, "llama-3.1-70b", Precision::int8, 200'000, 32, 6}),
    [](const auto& one) { return std::string(one.param.name); });

/// One request alone on an H100, 10 tokens in and `output` out.
struct Alone {
  devices::Placement placement{&device_spec("h100-sxm"), 1, Precision::bf16};
  const devices::ModelSpec& model = model_spec("llama-3.1-8b");
  ContinuousBatch batch{placement, model, {100'000, 8}};
};

TEST(ContinuousBatch, FiveThousandTokensTakeTwoEvents) {
  Alone alone;
  alone.batch.join(1, 10, 5000);
  Instant now = beginning();
  int events = 0;
  for (alone.batch.begin_phase({now, 0}); alone.batch.busy(); alone.batch.begin_phase({now, 0})) {
    now = alone.batch.next_event();
    (void)alone.batch.finish_phase({now, 0});
    ++events;
  }
  EXPECT_EQ(events, 2);  // the prompt, the answer
}

TEST(ContinuousBatch, ChargesEachStepEquallyAndCompletely) {
  Alone alone;
  alone.batch.join(1, 100, 50);
  alone.batch.join(2, 200, 80);
  alone.batch.begin_phase({beginning(), 0});
  Usage sum;
  Usage first;
  double joules = 0;
  Instant now = beginning();
  while (alone.batch.busy()) {
    now = alone.batch.next_event();
    joules += 7;  // each phase draws seven joules
    for (const auto& left : alone.batch.finish_phase({now, joules})) {
      sum += left.usage;
      if (left.number == 1) first = left.usage;
    }
    alone.batch.begin_phase({now, joules});
  }
  EXPECT_NEAR(sum.device_s, to_seconds(now - beginning()), 1e-12);
  EXPECT_NEAR(sum.energy_j, joules, 1e-9);
  // Its prompt, a step alone while the other prompt waits, half of the steps they share.
  EXPECT_DOUBLE_EQ(first.energy_j, 7 + 7 + 3.5);
}

TEST(ContinuousBatch, ALeavingRequestEndsAtTheNextStepBoundary) {
  Alone alone;
  alone.batch.join(1, 10, 5000);
  alone.batch.begin_phase({beginning(), 0});
  const Instant prefilled = alone.batch.next_event();
  (void)alone.batch.finish_phase({prefilled, 0});
  alone.batch.begin_phase({prefilled, 0});
  const Instant end = alone.batch.next_event();
  const Instant middle = prefilled + (end - prefilled) / 3;
  alone.batch.leave(1);
  alone.batch.interrupt(middle);
  const Instant boundary = alone.batch.next_event();
  EXPECT_GE(boundary, middle);
  EXPECT_LT(boundary, middle + milliseconds(20));
  const auto left = alone.batch.finish_phase({boundary, 0});
  ASSERT_EQ(left.size(), 1u);
  EXPECT_FALSE(left[0].complete);
  EXPECT_EQ(alone.batch.kv_used_tokens(), 0u);
}

TEST(ContinuousBatch, RefusesToFitMoreThanItsCacheOrItsBatch) {
  Alone alone;
  EXPECT_TRUE(alone.batch.fits(100'000));
  EXPECT_FALSE(alone.batch.fits(100'001));
  for (std::uint64_t number = 1; number <= 8; ++number) alone.batch.join(number, 10, 10);
  EXPECT_FALSE(alone.batch.fits(1));
}

TEST(ContinuousBatch, ASlowdownStretchesOnlyTheRemainingWork) {
  Alone fast, slow;
  for (Alone* alone : {&fast, &slow}) {
    alone->batch.join(1, 2000, 1);
    alone->batch.begin_phase({beginning(), 0});
  }
  const Duration whole = fast.batch.next_event() - beginning();
  slow.batch.set_pace(beginning() + whole / 2, 0.5);
  const Duration stretched = slow.batch.next_event() - beginning();
  Alone half;
  half.batch.set_pace(beginning(), 0.5);
  half.batch.join(1, 2000, 1);
  half.batch.begin_phase({beginning(), 0});
  const Duration slow_whole = half.batch.next_event() - beginning();
  EXPECT_NEAR(to_seconds(stretched), (to_seconds(whole) + to_seconds(slow_whole)) / 2, 2e-9);
}

}  // namespace
}  // namespace drover::agents
