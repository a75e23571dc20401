// What alert rules cost each beat: the rules that ship, and pools' reports, over a fleet at rest.
#include <benchmark/benchmark.h>

#include "devices/catalogue/catalogue.h"
#include "router/alerts/alert_rule_evaluator.h"
#include "router/jobs/pool_reports.h"
#include "router/lint/policy_file.h"
#include "router/policy/alert_rules.h"

namespace drover::router {
namespace {

constexpr std::uint16_t devices_per_host = 8;

struct Watched {
  FleetState fleet_state;
  Policy policy = builtin_policy();
  JobTable jobs{1};
  DeviceConditionTable conditions;
  BoardTable boards;
  AlertTable alerts;
  AlertRuleEvaluator rules;
  Summary totals;
  Instant now = Instant{} + std::chrono::hours(24);

  explicit Watched(std::size_t devices) {
    const auto& device = *devices::Catalogue::embedded().device("h100-sxm").value();
    for (std::size_t host = 0; host * devices_per_host < devices; ++host) {
      Register registration;
      registration.host = fmt::format("host-{}", host);
      registration.specs = {{"h100-sxm", device.text}};
      registration.groups = {{0, 0, devices_per_host, "h100-sxm", "", 0}};
      const auto index = fleet_state.register_host(now, registration);
      DROVER_REQUIRE(index.ok());
      fleet_state.apply(now, *index, 1, batch_of(registration.host));
    }
    assign_pools(policy, fleet_state);
    alerts.set_rules(policy.alerts);
    rules.set_rules(policy.alerts);
    totals.pools = pool_reports(fleet_state, policy, {});
  }

  static SampleBatch batch_of(const std::string& host) {
    std::vector<Sample> samples(devices_per_host);
    for (std::uint16_t row = 0; row < devices_per_host; ++row) {
      samples[row].device = row;
      samples[row][Metric::utilization] = 0.7;
      samples[row][Metric::memory_used] = 60e9;
      samples[row][Metric::memory_total] = 80e9;
      samples[row][Metric::power] = 500 + row;
      samples[row][Metric::power_cap] = 700;
      samples[row][Metric::temperature] = 60 + row;
      samples[row][Metric::throttle] = 0;
      samples[row][Metric::running] = 1;
    }
    return pack(host, samples);
  }
};

void look_with_shipped_rules(benchmark::State& state) {
  Watched fleet(static_cast<std::size_t>(state.range(0)));
  const AlertInputs watched{fleet.fleet_state, fleet.policy, fleet.jobs,   fleet.conditions,
                            fleet.boards,      fleet.alerts, fleet.totals, fleet.now};
  std::vector<AlertCondition> seen;
  for (auto _ : state) {
    seen.clear();
    fleet.rules.evaluate(watched, seen);
    benchmark::DoNotOptimize(seen.data());
  }
  DROVER_REQUIRE(seen.empty());
}
BENCHMARK(look_with_shipped_rules)->Arg(1'000)->Arg(10'000)->Unit(benchmark::kMicrosecond);

void report_pools(benchmark::State& state) {
  Watched fleet(static_cast<std::size_t>(state.range(0)));
  for (auto _ : state) {
    benchmark::DoNotOptimize(pool_reports(fleet.fleet_state, fleet.policy, {}));
  }
}
BENCHMARK(report_pools)->Arg(1'000)->Arg(10'000)->Unit(benchmark::kMicrosecond);

}  // namespace
}  // namespace drover::router
