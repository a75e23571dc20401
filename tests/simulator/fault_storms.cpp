// What a storm consists of.
#include "tests/simulator/fault_storms.h"

#include <algorithm>
#include <array>
#include <fstream>
#include <iterator>
#include <utility>

#include <fmt/format.h>

#include "router/lint/policy_file.h"
#include "tests/simulator/fleet_under_test.h"

namespace drover::simulator {
namespace {

constexpr double work_s = 45;
constexpr double faults_until_s = 60;
constexpr double requests_per_s = 2.5;

std::vector<agents::AgentSettings> hosts_of(RandomStream& random) {
  std::vector<agents::AgentSettings> hosts = mixed_hosts();
  hosts.push_back(host("a100-2", "rack-2", "a100-sxm-80gb", 8, "", {}));
  hosts.back().labels["price"] = "spot";
  hosts.push_back(host("k80-1", "rack-3", "k80", 8, "", {}));
  hosts.push_back(
      host("v100-1", "rack-3", "v100-sxm2-16gb", 8, "", {{"llama-3.1-8b", 0, 1, Precision::fp16}}));
  hosts.push_back(host("l4-1", "rack-2", "l4", 4, "", {{"llama-3.1-8b", 0, 0, {}}}));
  // Never the same fleet: some hosts are not there, the first and the last TPU always are.
  std::erase_if(hosts, [&](const agents::AgentSettings& each) {
    return each.host != "h100-1" && each.host != "v5e-1" && random.chance(0.3);
  });
  return hosts;
}

template <typename List>
auto any_of(RandomStream& random, const List& list) {
  return list[random.below(list.size())];
}

/// Words that some devices cannot live up to.
void make_demanding(RandomStream& random, Job& job) {
  static const std::array<std::vector<Precision>, 6> precisions = {
      {{Precision::bf16},
       {Precision::fp32},
       {Precision::fp16, Precision::bf16},
       {Precision::int8},
       {Precision::fp64},
       {Precision::fp8, Precision::fp16}}};
  static const std::array<std::string, 4> ops = {"custom_cuda", "triton", "fp64", "dynamic_shape"};
  static const std::array<std::string, 3> frameworks = {"pytorch", "jax", "tensorflow"};
  if (random.chance(0.3)) job.work.precisions = any_of(random, precisions);
  if (random.chance(0.15)) job.work.ops = {any_of(random, ops)};
  if (random.chance(0.2)) job.work.framework = any_of(random, frameworks);
  if (random.chance(0.1)) job.stage = "production";
  job.tenant = random.chance(0.3) ? "other" : "house";
}

std::vector<Arrival> demanding_work(RandomStream& random) {
  static const std::array<std::string, 4> models = {"bert-large", "resnet-50", "resnet-18-cifar",
                                                    "llama-3.1-8b"};
  static const std::array<std::uint16_t, 7> gangs = {1, 1, 2, 3, 4, 8, 16};
  std::vector<Arrival> arrivals;
  for (double at = 1; at < work_s; at += random.exponential(1 / requests_per_s)) {
    Job job = chat(random, random.chance(0.3) ? "llama-3.1-70b" : "llama-3.1-8b");
    if (random.chance(0.05)) job.work.input_tokens = 30'000 + random.below(120'000);
    if (random.chance(0.1)) {
      job.work.kind = WorkKind::batch;
      job.work.items = 1 + static_cast<std::uint32_t>(random.below(20));
    }
    make_demanding(random, job);
    arrivals.push_back({from_seconds(at), std::move(job)});
  }
  for (int count = 0; count < 25; ++count) {
    const std::uint16_t gang = any_of(random, gangs);
    const std::string model = any_of(random, models);
    const std::uint32_t steps = model == "llama-3.1-8b" ? 2 : 20;
    Job job =
        training(random, model, gang, steps + static_cast<std::uint32_t>(random.below(steps)));
    if (random.chance(0.2)) job.priority = 5;
    if (random.chance(0.3)) job.work.checkpoint_steps = 5;
    make_demanding(random, job);
    arrivals.push_back({from_seconds(random.uniform(1, work_s)), std::move(job)});
  }
  return arrivals;
}

/// The latest end of anything that was added.
class Faults {
 public:
  Faults(RandomStream random, Scenario& scenario) : random_(random), scenario_(scenario) {}

  Duration add_all() {
    for (const agents::AgentSettings& settings : scenario_.hosts) add_for_host(settings.host);
    kill_routers();
    inject();
    scenario_.sample_loss = random_.uniform(0, 0.1);
    return last_;
  }

 private:
  Duration until(double at_s, double lasts_s) {
    const Duration end = from_seconds(at_s) + from_seconds(lasts_s);
    last_ = std::max(last_, end);
    return from_seconds(lasts_s);
  }
  double moment() { return random_.uniform(2, faults_until_s); }

  void add_for_host(const std::string& name) {
    if (random_.chance(0.35)) {
      const double at = moment();
      const bool graceful = random_.chance(0.3);
      // One that shuts down gracefully takes a moment for it.
      const Duration back = until(at, random_.uniform(graceful ? 3 : 0.2, 40));
      scenario_.agent_kills.push_back({from_seconds(at), name, back, graceful});
    }
    if (random_.chance(0.35)) {
      const double at = moment();
      scenario_.partitions.push_back({from_seconds(at), name, until(at, random_.uniform(0.5, 30))});
    }
  }

  void kill_routers() {
    double at = random_.uniform(2, 20);
    while (random_.chance(0.6) && at < faults_until_s) {
      const double down = random_.uniform(0.1, 15);
      scenario_.router_kills.push_back({from_seconds(at), until(at, down)});
      at += down + random_.uniform(0.1, 30);
    }
  }

  /// The kinds take turns with the seeds, so that a few storms have met all of them.
  void inject() {
    static const std::array<const char*, 12> faults = {
        "throttle=0.3", "hang",          "xid=79",    "xid=48",  "xid=13",     "ecc",
        "lose",         "slow-link=0.1", "inlet=+9C", "fan=0.5", "reclaim=10", "lose"};
    const std::uint64_t count = random_.below(6);
    for (std::uint64_t i = 0; i < count; ++i) {
      const double at = moment();
      InjectFault wanted;
      wanted.fault = parse_fault(faults[(scenario_.seed + i) % faults.size()]).value();
      const std::string& host = scenario_.hosts[random_.below(scenario_.hosts.size())].host;
      const bool anywhere = random_.chance(0.5) || wanted.fault.kind == FaultKind::reclaim;
      const bool loses_devices = wanted.fault.kind == FaultKind::lose && anywhere;
      wanted.target = !anywhere ? "host:" + host : loses_devices ? host + "/0" : "site";
      wanted.fault.duration = until(at, random_.uniform(1, 30));
      if (wanted.fault.kind == FaultKind::reclaim)
        until(at, 10 + to_seconds(wanted.fault.duration));
      wanted.any = loses_devices ? 0 : 1 + static_cast<std::uint32_t>(random_.below(3));
      wanted.seed = random_.bits();
      scenario_.actions.push_back({from_seconds(at), wanted});
    }
    for (const Arrival& arrival : scenario_.arrivals) {
      if (!random_.chance(0.05)) continue;
      const Duration at = arrival.at + from_seconds(random_.uniform(0, 5));
      scenario_.actions.push_back({at, CancelJobs{{to_text(arrival.job.id)}}});
    }
  }

  RandomStream random_;
  Scenario& scenario_;
  Duration last_{};
};

/// What people do to the fleet meanwhile: drains that end, caps that end, and smaller things.
class Operators {
 public:
  Operators(RandomStream random, FaultStorm& storm)
      : random_(random), scenario_(storm.scenario), storm_(storm) {}

  void act() {
    for (std::uint64_t count = random_.below(4); count > 0; --count) drain();
    for (std::uint64_t count = random_.below(3); count > 0; --count) cap();
    for (std::uint64_t count = random_.below(3); count > 0; --count) add(AcknowledgeAlert{});
    for (std::uint64_t count = random_.below(3); count > 0; --count) add(ForgetHost{any_host()});
    if (random_.chance(0.3)) apply_policy();
  }

 private:
  double moment() { return random_.uniform(2, faults_until_s); }
  const std::string& any_host() {
    return scenario_.hosts[random_.below(scenario_.hosts.size())].host;
  }
  std::string any_pool() {
    const auto& pools = scenario_.policy.pools;
    return "pool:" + pools[random_.below(pools.size())].name;
  }
  void add(Message message) {
    scenario_.actions.push_back({from_seconds(moment()), std::move(message)});
  }

  std::string target() {
    switch (random_.below(8)) {
      case 0:
        return "site";
      case 1:
        return "rack:" + scenario_.hosts[random_.below(scenario_.hosts.size())].rack;
      case 2:
        return any_pool();
      case 3:
      case 4:
        return any_host() + "/0";
      default:
        return "host:" + any_host();
    }
  }

  void drain() {
    const double at = moment(), duration = random_.uniform(1, 30);
    const std::string drained = target();
    const Duration deadline = random_.chance(0.5) ? from_seconds(duration / 2) : Duration{};
    scenario_.actions.push_back({from_seconds(at), SetDrain{drained, true, deadline}});
    // Said again, as somebody would who sees that a router was not there to hear it.
    for (const double again : {0.0, 20.0}) {
      const Duration end = from_seconds(at + duration + again);
      scenario_.actions.push_back({end, SetDrain{drained, false, {}}});
      storm_.calm = std::max(storm_.calm, end);
    }
  }

  void cap() {
    const double at = moment(), duration = random_.uniform(15, 40);
    SetPowerCap wanted;
    const bool of_pool = random_.chance(0.3);
    wanted.target = of_pool ? any_pool() : "site";
    wanted.watts = of_pool ? random_.uniform(1000, 6000) : random_.uniform(3000, 12000);
    wanted.duration = from_seconds(duration);
    wanted.admission_only = random_.chance(0.2);
    wanted.confirmed = true;
    scenario_.actions.push_back({from_seconds(at), wanted});
    storm_.calm = std::max(storm_.calm, from_seconds(at + duration));
    if (!random_.chance(0.3)) return;
    wanted.watts = 0;
    wanted.duration = {};
    scenario_.actions.push_back({from_seconds(at + duration / 2), wanted});
  }

  /// The same policy under its next version: everything is assigned and asked anew.
  void apply_policy() {
    std::string text = scenario_.policy.text;
    const std::string version = "version = 1";
    const auto found = text.find(version);
    if (found == std::string::npos) return;
    text.replace(found, version.size(), "version = 2");
    add(ApplyPolicy{std::move(text), "storm.toml"});
  }

  RandomStream random_;
  Scenario& scenario_;
  FaultStorm& storm_;
};

}  // namespace

std::vector<router::Policy> storm_policies(const std::string& folder) {
  std::vector<router::Policy> policies = {router::builtin_policy()};
  for (const char* name :
       {"examples/policies/cost", "examples/policies/energy", "examples/policies/latency",
        "examples/policies/balanced", "examples/policies/gpu-first", "examples/policies/tpu-first",
        "examples/policies/spot-with-floor", "tests/simulator/crowded"}) {
    const std::string path = fmt::format("{}/{}.toml", folder, name);
    std::ifstream file(path);
    auto policy = router::parse_policy(std::string(std::istreambuf_iterator<char>(file), {}), path);
    DROVER_REQUIRE(policy.ok());
    policies.push_back(*std::move(policy));
  }
  return policies;
}

FaultStorm random_fault_storm(std::uint64_t seed, router::Policy policy) {
  FaultStorm storm;
  RandomStream random = RandomStream(seed).child("storm");
  storm.scenario.seed = seed;
  storm.scenario.hosts = hosts_of(random);
  storm.scenario.router.software = "simulator";
  storm.scenario.policy = std::move(policy);
  storm.scenario.arrivals = demanding_work(random);
  // A kill that comes while its host is already dead is no other one: each host has one at most.
  storm.calm = std::max(Faults(random.child("faults"), storm.scenario).add_all(),
                        from_seconds(faults_until_s));
  Operators(random.child("operators"), storm).act();
  return storm;
}

}  // namespace drover::simulator
