// A small mixed fleet and its work, drawn from a seed: what the simulator's tests run.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "fleet/base/random_stream.h"
#include "router/lint/policy_file.h"
#include "simulator/scenario.h"

namespace drover::simulator {

inline agents::AgentSettings host(std::string name, std::string rack, std::string device,
                                  std::uint16_t count, std::string topology,
                                  std::vector<agents::ReplicaRequest> replicas) {
  agents::AgentSettings settings;
  settings.host = std::move(name);
  settings.rack = std::move(rack);
  settings.groups = {{std::move(device), count, std::move(topology)}};
  settings.replicas = std::move(replicas);
  settings.seed = 7;
  return settings;
}

inline std::vector<agents::AgentSettings> mixed_hosts() {
  return {
      host("h100-1", "rack-1", "h100-sxm", 8, "",
           {{"llama-3.1-70b", 0, 3, {}}, {"llama-3.1-8b", 4, 4, {}}, {"llama-3.1-8b", 5, 5, {}}}),
      host("a100-1", "rack-1", "a100-sxm-80gb", 8, "", {}),
      host("v5e-1", "rack-2", "tpu-v5e", 8, "2x4", {{"llama-3.1-70b", 0, 7, Precision::int8}}),
      host("v5e-2", "rack-2", "tpu-v5e", 8, "2x4", {}),
  };
}

inline Job chat(RandomStream& random, std::string model) {
  Job job;
  job.id = generate_job_id(random);
  job.work.kind = WorkKind::serve;
  job.work.model = std::move(model);
  job.work.input_tokens = 1 + static_cast<std::uint32_t>(random.log_normal(1020, 0.9)) % 6000;
  job.work.output_tokens = 1 + static_cast<std::uint32_t>(random.log_normal(129, 0.8)) % 1000;
  job.priority = 10;
  return job;
}

inline Job training(RandomStream& random, std::string model, std::uint16_t devices,
                    std::uint32_t steps) {
  Job job;
  job.id = generate_job_id(random);
  job.work.kind = WorkKind::train;
  job.work.model = std::move(model);
  job.work.devices = devices;
  job.work.steps = steps;
  const bool images = job.work.model == "resnet-50";
  job.work.batch = images ? 256 : 8u * devices;
  job.work.sequence = images ? 1 : 512;
  return job;
}

/// `seconds` of arrivals at `rate` requests a second, and some training.
inline std::vector<Arrival> mixed_work(std::uint64_t seed, double seconds, double rate) {
  RandomStream random = RandomStream(seed).child("work");
  std::vector<Arrival> arrivals;
  for (double at = 1; at < seconds; at += random.exponential(1 / rate)) {
    const bool large = random.chance(0.4);
    arrivals.push_back({from_seconds(at), chat(random, large ? "llama-3.1-70b" : "llama-3.1-8b")});
  }
  arrivals.push_back({std::chrono::seconds(2), training(random, "bert-large", 1, 50)});
  arrivals.push_back({std::chrono::seconds(3), training(random, "resnet-50", 1, 100)});
  arrivals.push_back({std::chrono::seconds(4), training(random, "llama-3.1-8b", 8, 5)});
  return arrivals;
}

inline Scenario mixed_scenario(std::uint64_t seed, double seconds, double rate) {
  Scenario scenario;
  scenario.seed = seed;
  scenario.hosts = mixed_hosts();
  scenario.router.software = "simulator";
  scenario.policy = router::builtin_policy();
  scenario.arrivals = mixed_work(seed, seconds, rate);
  return scenario;
}

}  // namespace drover::simulator
