// What a router core must do fast: decide, and take in samples. Goals stand in docs; the raw decode
// of the same bytes runs beside the samples.
#include <benchmark/benchmark.h>

#include "devices/catalogue/catalogue.h"
#include "fleet/codec/codec.h"
#include "router/decision/decide.h"
#include "router/decision/estimate.h"
#include "router/fleet_state/fleet_state.h"
#include "router/lint/policy_file.h"
#include "router/policy/policy.h"

namespace drover::router {
namespace {

constexpr std::uint16_t devices_per_host = 8;

Policy bench_policy(std::string_view pick) {
  auto policy = parse_policy(
      fmt::format("[pool.gpus]\nmatch = {{ kind = \"gpu\" }}\n[[rule]]\nname = \"chat\"\n"
                  "require = {{ precision = [\"bf16\", \"int8\"] }}\n"
                  "score = {{ queue = 0.3, latency = 0.2, cost = 0.2, energy = 0.1, temperature = "
                  "0.2 }}\npick = \"{}\"\nslo = {{ ttft_ms = 5000 }}\n",
                  pick),
      "bench.toml");
  DROVER_REQUIRE(policy.ok());
  return std::move(policy).value();
}

struct Fleet {
  FleetState fleet_state;
  Policy policy;
  Estimator estimator;
  RandomStream random{1};
  Instant now = Instant{} + std::chrono::hours(24);
  Job job;
  PlacementRequest ask;

  Fleet(std::size_t devices, std::string_view pick) : policy(bench_policy(pick)) {
    const auto& catalogue = devices::Catalogue::embedded();
    const auto& device = *catalogue.device("h100-sxm").value();
    for (std::size_t host = 0; host * devices_per_host < devices; ++host) {
      Register registration;
      registration.host = fmt::format("host-{}", host);
      registration.specs = {{"h100-sxm", device.text}};
      registration.groups = {{0, 0, devices_per_host, "h100-sxm", "", 0}};
      const auto index = fleet_state.register_host(now, registration);
      DROVER_REQUIRE(index.ok());
      add_replicas(*index);
      fleet_state.apply(now, *index, 1, batch_of(registration.host, devices_per_host));
    }
    assign_pools(policy, fleet_state);
    job.work.model = "llama-3.1-8b";
    job.work.input_tokens = 700;
    job.work.output_tokens = 200;
    ask.job = &job;
    ask.model = &catalogue.model("llama-3.1-8b").value()->spec;
    ask.submitted = now;
  }

  void add_replicas(HostIndex host) {
    for (std::uint16_t number = 0; number < devices_per_host; ++number) {
      Replica replica;
      replica.id.number = number;
      replica.model = "llama-3.1-8b";
      replica.devices = {number};
      replica.state = ReplicaState::ready;
      replica.kv_capacity_tokens = 400'000;
      replica.batch_max = 64;
      const ReplicaIndex index = fleet_state.apply(now, host, replica);
      for (std::uint64_t load = random.below(20); load > 0; --load) {
        fleet_state.reserve_request(now, index, 900, now);
      }
    }
  }

  static SampleBatch batch_of(const std::string& host, std::uint16_t rows) {
    std::vector<Sample> samples(rows);
    for (std::uint16_t row = 0; row < rows; ++row) {
      samples[row].device = row;
      for (int metric = 0; metric < metric_count; ++metric) {
        samples[row][static_cast<Metric>(metric)] = 0.5 + row;
      }
      samples[row][Metric::throttle] = 0;
      for (const Metric share :
           {Metric::utilization, Metric::tensor_activity, Metric::memory_activity}) {
        samples[row][share] = static_cast<double>(row) / rows;
      }
    }
    return pack(host, samples);
  }
};

void decide_full_scan(benchmark::State& state) {
  Fleet fleet(static_cast<std::size_t>(state.range(0)), "max");
  for (auto _ : state) {
    fleet.job.work.input_tokens = 100 + (fleet.job.work.input_tokens * 7 + 1) % 3000;
    benchmark::DoNotOptimize(decide(fleet.fleet_state, fleet.policy, fleet.estimator, fleet.ask,
                                    fleet.now, fleet.random));
  }
  state.counters["decisions/s"] =
      benchmark::Counter(static_cast<double>(state.iterations()), benchmark::Counter::kIsRate);
}
BENCHMARK(decide_full_scan)->Arg(32)->Arg(1000);

void decide_two_drawn(benchmark::State& state) {
  Fleet fleet(static_cast<std::size_t>(state.range(0)), "p2c");
  for (auto _ : state) {
    fleet.job.work.input_tokens = 100 + (fleet.job.work.input_tokens * 7 + 1) % 3000;
    benchmark::DoNotOptimize(decide(fleet.fleet_state, fleet.policy, fleet.estimator, fleet.ask,
                                    fleet.now, fleet.random));
  }
  state.counters["decisions/s"] =
      benchmark::Counter(static_cast<double>(state.iterations()), benchmark::Counter::kIsRate);
}
BENCHMARK(decide_two_drawn)->Arg(10'000);

constexpr std::uint16_t rows_per_message = 100;

std::string sample_bytes() {
  Envelope envelope;
  envelope.sender = "host-0";
  envelope.sequence = 1;
  envelope.body = Fleet::batch_of("host-0", rows_per_message);
  return encode(envelope);
}

void count_rows(benchmark::State& state) {
  state.counters["rows/s"] = benchmark::Counter(
      static_cast<double>(state.iterations()) * rows_per_message, benchmark::Counter::kIsRate);
}

/// The peer: the same bytes to an envelope and no further.
void samples_raw_decode(benchmark::State& state) {
  const std::string bytes = sample_bytes();
  for (auto _ : state) benchmark::DoNotOptimize(decode(bytes));
  count_rows(state);
}
BENCHMARK(samples_raw_decode);

void samples_bytes_to_roster(benchmark::State& state) {
  const std::string bytes = sample_bytes();
  FleetState fleet_state;
  Register registration;
  registration.host = "host-0";
  registration.specs = {
      {"h100-sxm", devices::Catalogue::embedded().device("h100-sxm").value()->text}};
  registration.groups = {{0, 0, rows_per_message, "h100-sxm", "", 0}};
  const Instant now = Instant{} + std::chrono::hours(24);
  const auto host = fleet_state.register_host(now, registration);
  DROVER_REQUIRE(host.ok());
  std::uint64_t sequence = 0;
  for (auto _ : state) {
    const auto envelope = decode(bytes);
    const auto& batch = std::get<SampleBatch>(envelope->body);
    DROVER_REQUIRE(check(batch).ok());
    fleet_state.apply(now, *host, ++sequence, batch);
  }
  benchmark::DoNotOptimize(fleet_state.power_w());
  count_rows(state);
}
BENCHMARK(samples_bytes_to_roster);

}  // namespace
}  // namespace drover::router
