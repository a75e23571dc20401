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
#include "router/policy/policy.h"
#include "router/roster/roster.h"

namespace drover::router {

struct SmallFleet {
  Roster roster;
  Policy policy;
  Estimator estimator;
  Instant now = Instant{} + std::chrono::hours(24);
  std::uint64_t sample_sequence = 0;
  std::uint64_t jobs = 0;

  explicit SmallFleet(const std::string& toml, RosterLimits limits = {}) : roster(limits) {
    auto parsed = parse_policy(toml, "test.toml");
    DROVER_REQUIRE(parsed.ok());
    policy = std::move(parsed).value();
  }

  static Hello hello(const std::string& host, const std::string& device, std::uint16_t count,
                     const std::string& topology = "") {
    Hello hello;
    hello.host = host;
    hello.rack = "rack-1";
    hello.site = "here";
    hello.specs.push_back({device, devices::Catalogue::embedded().device(device).value()->text});
    hello.groups.push_back({0, 0, count, device, topology, 0});
    return hello;
  }

  HostIndex add_host(const std::string& name, const std::string& device, std::uint16_t count,
                     const std::string& topology = "") {
    const auto index = roster.enrol(now, hello(name, device, count, topology));
    DROVER_REQUIRE(index.ok());
    assign_pools(policy, roster);
    return *index;
  }

  ReplicaIndex add_replica(HostIndex host, std::uint32_t number, const std::string& model,
                           std::vector<std::uint16_t> devices,
                           Precision precision = Precision::bf16) {
    Replica replica;
    replica.id = {roster.hosts()[host].hello.host, number};
    replica.model = model;
    replica.precision = precision;
    replica.devices = std::move(devices);
    replica.state = ReplicaState::ready;
    replica.kv_capacity_tokens = 100'000;
    replica.batch_max = 8;
    return roster.apply(now, host, replica);
  }

  /// One sample of every device of the host, all with these values.
  void sample(HostIndex host, const std::vector<std::pair<Metric, double>>& values) {
    std::vector<Sample> rows;
    for (std::size_t device = 0; device < roster.hosts()[host].devices.size(); ++device) {
      Sample row;
      row.device = static_cast<std::uint16_t>(device);
      for (const auto& [metric, value] : values) row[metric] = value;
      rows.push_back(row);
    }
    roster.apply(now, host, ++sample_sequence, pack(roster.hosts()[host].hello.host, rows));
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

  Ask ask(const Job& job) const {
    Ask ask;
    ask.job = &job;
    ask.model = &devices::Catalogue::embedded().model(job.work.model).value()->spec;
    ask.submitted = now;
    return ask;
  }

  Verdict decide(const Job& job, std::uint64_t seed = 1) { return decide(ask(job), seed); }
  Verdict decide(const Ask& ask, std::uint64_t seed = 1) {
    Dice dice(seed);
    return router::decide(roster, policy, estimator, ask, now, dice);
  }
  Verdict decide_replica(const Job& job, std::uint64_t seed = 1) {
    Dice dice(seed);
    return router::decide_replica(roster, policy, estimator, ask(job), now, dice);
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
