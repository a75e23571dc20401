// A few hosts, replicas and jobs, put together in one line each, for tests of the router's belief
// and decisions.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "devices/catalogue/catalogue.h"
#include "fleet/base/result.h"
#include "router/decision/decide.h"
#include "router/decision/estimate.h"
#include "router/fleet_state/fleet_state.h"
#include "router/lint/policy_file.h"
#include "router/policy/policy.h"

namespace drover::router {

inline constexpr const char* one_pool = R"([pool.all]
match = {}
[[rule]]
name = "all"
)";

struct DecisionFixture {
  FleetState fleet_state;
  Policy policy;
  Estimator estimator;
  Instant now = Instant{} + std::chrono::hours(24);
  std::uint64_t sample_sequence = 0;
  std::uint64_t jobs = 0;

  explicit DecisionFixture(const std::string& toml, FleetStateLimits limits = {})
      : fleet_state(limits) {
    auto parsed = parse_policy(toml, "test.toml");
    DROVER_REQUIRE(parsed.ok());
    policy = std::move(parsed).value();
  }

  static Register registration(const std::string& host, const std::string& device,
                               std::uint16_t count, const std::string& topology = "") {
    Register registration;
    registration.host = host;
    registration.rack = "rack-1";
    registration.site = "here";
    registration.specs.push_back(
        {device, devices::Catalogue::embedded().device(device).value()->text});
    registration.groups.push_back({0, 0, count, device, topology, 0});
    return registration;
  }

  HostIndex add_host(const std::string& name, const std::string& device, std::uint16_t count,
                     const std::string& topology = "") {
    const auto index = fleet_state.register_host(now, registration(name, device, count, topology));
    DROVER_REQUIRE(index.ok());
    assign_pools(policy, fleet_state);
    return *index;
  }

  ReplicaIndex add_replica(HostIndex host, std::uint32_t number, const std::string& model,
                           std::vector<std::uint16_t> devices,
                           Precision precision = Precision::bf16) {
    Replica replica;
    replica.id = {fleet_state.hosts()[host].registration.host, number};
    replica.model = model;
    replica.precision = precision;
    replica.devices = std::move(devices);
    replica.state = ReplicaState::ready;
    replica.kv_capacity_tokens = 100'000;
    replica.batch_max = 8;
    return fleet_state.apply(now, host, replica);
  }

  /// One sample of every device of the host, all with these values.
  void sample(HostIndex host, const std::vector<std::pair<Metric, double>>& values) {
    std::vector<Sample> rows;
    for (std::size_t device = 0; device < fleet_state.hosts()[host].devices.size(); ++device) {
      Sample row;
      row.device = static_cast<std::uint16_t>(device);
      for (const auto& [metric, value] : values) row[metric] = value;
      rows.push_back(row);
    }
    fleet_state.apply(now, host, ++sample_sequence,
                      pack(fleet_state.hosts()[host].registration.host, rows));
  }

  Job request(const std::string& model = "llama-3.1-8b") {
    Job job;
    job.id = {1, ++jobs};
    job.work.kind = WorkKind::serve;
    job.work.model = model;
    job.work.input_tokens = 512;
    job.work.output_tokens = 128;
    return job;
  }

  Job training(std::uint16_t devices, const std::string& model = "bert-large") {
    Job job;
    job.id = {2, ++jobs};
    job.work.kind = WorkKind::train;
    job.work.model = model;
    job.work.steps = 100;
    job.work.batch = 32;
    job.work.sequence = 512;
    job.work.devices = devices;
    return job;
  }

  PlacementRequest ask(const Job& job) const {
    PlacementRequest ask;
    ask.job = &job;
    ask.model = &devices::Catalogue::embedded().model(job.work.model).value()->spec;
    ask.submitted = now;
    return ask;
  }

  PlacementResult decide(const Job& job, std::uint64_t seed = 1) { return decide(ask(job), seed); }
  PlacementResult decide(const PlacementRequest& ask, std::uint64_t seed = 1) {
    RandomStream random(seed);
    return router::decide(fleet_state, policy, estimator, ask, now, random);
  }
  PlacementResult decide_replica(const Job& job, std::uint64_t seed = 1) {
    RandomStream random(seed);
    return router::decide_replica(fleet_state, policy, estimator, ask(job), now, random);
  }
};

/// How many candidates were rejected for this reason, over all pools and device classes.
inline std::uint32_t rejected(const Decision& decision, Reason reason) {
  std::uint32_t count = 0;
  for (const Rejection& rejection : decision.rejections) {
    if (rejection.reason == reason) count += rejection.count;
  }
  return count;
}

}  // namespace drover::router
