// What a storm consists of.
#include "tests/simulator/storms.h"

#include <algorithm>
#include <array>
#include <fstream>
#include <iterator>
#include <utility>

#include <fmt/format.h>

#include "tests/simulator/fleet_under_test.h"

namespace drover::simulator {
namespace {

constexpr double work_s = 45;
constexpr double faults_until_s = 60;
constexpr double requests_per_s = 2.5;

std::vector<agents::AgentSettings> hosts_of(Dice& dice) {
  std::vector<agents::AgentSettings> hosts = mixed_hosts();
  hosts.push_back(host("a100-2", "rack-2", "a100-sxm-80gb", 8, "", {}));
  hosts.back().labels["price"] = "spot";
  hosts.push_back(host("k80-1", "rack-3", "k80", 8, "", {}));
  hosts.push_back(
      host("v100-1", "rack-3", "v100-sxm2-16gb", 8, "", {{"llama-3.1-8b", 0, 1, Precision::fp16}}));
  hosts.push_back(host("l4-1", "rack-2", "l4", 4, "", {{"llama-3.1-8b", 0, 0, {}}}));
  // Never the same fleet: some hosts are not there, the first and the last TPU always are.
  std::erase_if(hosts, [&](const agents::AgentSettings& each) {
    return each.host != "h100-1" && each.host != "v5e-1" && dice.chance(0.3);
  });
  return hosts;
}

template <typename List>
auto any_of(Dice& dice, const List& list) {
  return list[dice.below(list.size())];
}

/// Words that some devices cannot live up to.
void make_demanding(Dice& dice, Job& job) {
  static const std::array<std::vector<Precision>, 6> precisions = {
      {{Precision::bf16},
       {Precision::fp32},
       {Precision::fp16, Precision::bf16},
       {Precision::int8},
       {Precision::fp64},
       {Precision::fp8, Precision::fp16}}};
  static const std::array<std::string, 4> ops = {"custom_cuda", "triton", "fp64", "dynamic_shape"};
  static const std::array<std::string, 3> frameworks = {"pytorch", "jax", "tensorflow"};
  if (dice.chance(0.3)) job.work.precisions = any_of(dice, precisions);
  if (dice.chance(0.15)) job.work.ops = {any_of(dice, ops)};
  if (dice.chance(0.2)) job.work.framework = any_of(dice, frameworks);
  if (dice.chance(0.1)) job.stage = "production";
  job.tenant = dice.chance(0.3) ? "other" : "house";
}

std::vector<Arrival> demanding_work(Dice& dice) {
  static const std::array<std::string, 4> models = {"bert-large", "resnet-50", "resnet-18-cifar",
                                                    "llama-3.1-8b"};
  static const std::array<std::uint16_t, 7> gangs = {1, 1, 2, 3, 4, 8, 16};
  std::vector<Arrival> arrivals;
  for (double at = 1; at < work_s; at += dice.exponential(1 / requests_per_s)) {
    Job job = chat(dice, dice.chance(0.3) ? "llama-3.1-70b" : "llama-3.1-8b");
    if (dice.chance(0.05)) job.work.input_tokens = 30'000 + dice.below(120'000);
    if (dice.chance(0.1)) {
      job.work.kind = WorkKind::batch;
      job.work.items = 1 + static_cast<std::uint32_t>(dice.below(20));
    }
    make_demanding(dice, job);
    arrivals.push_back({from_seconds(at), std::move(job)});
  }
  for (int count = 0; count < 25; ++count) {
    const std::uint16_t gang = any_of(dice, gangs);
    const std::string model = any_of(dice, models);
    const std::uint32_t steps = model == "llama-3.1-8b" ? 2 : 20;
    Job job = training(dice, model, gang, steps + static_cast<std::uint32_t>(dice.below(steps)));
    if (dice.chance(0.2)) job.priority = 5;
    if (dice.chance(0.3)) job.work.checkpoint_steps = 5;
    make_demanding(dice, job);
    arrivals.push_back({from_seconds(dice.uniform(1, work_s)), std::move(job)});
  }
  return arrivals;
}

/// The latest end of anything that was added.
class Faults {
 public:
  Faults(Dice dice, Scenario& scenario) : dice_(dice), scenario_(scenario) {}

  Duration add_all() {
    for (const agents::AgentSettings& settings : scenario_.hosts) add_for_host(settings.host);
    kill_routers();
    inject();
    scenario_.sample_loss = dice_.uniform(0, 0.1);
    return last_;
  }

 private:
  Duration until(double at_s, double lasts_s) {
    const Duration end = from_seconds(at_s) + from_seconds(lasts_s);
    last_ = std::max(last_, end);
    return from_seconds(lasts_s);
  }
  double moment() { return dice_.uniform(2, faults_until_s); }

  void add_for_host(const std::string& name) {
    if (dice_.chance(0.35)) {
      const double at = moment();
      const bool in_order = dice_.chance(0.3);
      // One that ends in order takes a moment for it.
      const Duration back = until(at, dice_.uniform(in_order ? 3 : 0.2, 40));
      scenario_.agent_kills.push_back({from_seconds(at), name, back, in_order});
    }
    if (dice_.chance(0.35)) {
      const double at = moment();
      scenario_.partitions.push_back({from_seconds(at), name, until(at, dice_.uniform(0.5, 30))});
    }
  }

  void kill_routers() {
    double at = dice_.uniform(2, 20);
    while (dice_.chance(0.6) && at < faults_until_s) {
      const double down = dice_.uniform(0.1, 15);
      scenario_.router_kills.push_back({from_seconds(at), until(at, down)});
      at += down + dice_.uniform(0.1, 30);
    }
  }

  /// The kinds take turns with the seeds, so that a few storms have met all of them.
  void inject() {
    static const std::array<const char*, 12> faults = {
        "throttle=0.3", "hang",          "xid=79",    "xid=48",  "xid=13",     "ecc",
        "lose",         "slow-link=0.1", "inlet=+9C", "fan=0.5", "reclaim=10", "lose"};
    const std::uint64_t count = dice_.below(6);
    for (std::uint64_t i = 0; i < count; ++i) {
      const double at = moment();
      Inject wanted;
      wanted.fault = parse_fault(faults[(scenario_.seed + i) % faults.size()]).value();
      const std::string& host = scenario_.hosts[dice_.below(scenario_.hosts.size())].host;
      const bool anywhere = dice_.chance(0.5) || wanted.fault.kind == FaultKind::reclaim;
      const bool loses_devices = wanted.fault.kind == FaultKind::lose && anywhere;
      wanted.target = !anywhere ? "host:" + host : loses_devices ? host + "/0" : "site";
      wanted.fault.lasts = until(at, dice_.uniform(1, 30));
      if (wanted.fault.kind == FaultKind::reclaim) until(at, 10 + to_seconds(wanted.fault.lasts));
      wanted.any = loses_devices ? 0 : 1 + static_cast<std::uint32_t>(dice_.below(3));
      wanted.seed = dice_.bits();
      scenario_.actions.push_back({from_seconds(at), wanted});
    }
    for (const Arrival& arrival : scenario_.arrivals) {
      if (!dice_.chance(0.05)) continue;
      const Duration at = arrival.at + from_seconds(dice_.uniform(0, 5));
      scenario_.actions.push_back({at, CancelJobs{{to_text(arrival.job.id)}}});
    }
  }

  Dice dice_;
  Scenario& scenario_;
  Duration last_{};
};

/// What people do to the fleet meanwhile: drains that end, caps that end, and smaller things.
class Operators {
 public:
  Operators(Dice dice, Storm& storm) : dice_(dice), scenario_(storm.scenario), storm_(storm) {}

  void act() {
    for (std::uint64_t count = dice_.below(4); count > 0; --count) drain();
    for (std::uint64_t count = dice_.below(3); count > 0; --count) cap();
    for (std::uint64_t count = dice_.below(3); count > 0; --count) add(AcknowledgeAlert{});
    for (std::uint64_t count = dice_.below(3); count > 0; --count) add(ForgetHost{any_host()});
    if (dice_.chance(0.3)) apply_policy();
  }

 private:
  double moment() { return dice_.uniform(2, faults_until_s); }
  const std::string& any_host() {
    return scenario_.hosts[dice_.below(scenario_.hosts.size())].host;
  }
  std::string any_pool() {
    const auto& pools = scenario_.policy.pools;
    return "pool:" + pools[dice_.below(pools.size())].name;
  }
  void add(Message message) {
    scenario_.actions.push_back({from_seconds(moment()), std::move(message)});
  }

  std::string target() {
    switch (dice_.below(8)) {
      case 0:
        return "site";
      case 1:
        return "rack:" + scenario_.hosts[dice_.below(scenario_.hosts.size())].rack;
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
    const double at = moment(), lasts = dice_.uniform(1, 30);
    const std::string drained = target();
    const Duration deadline = dice_.chance(0.5) ? from_seconds(lasts / 2) : Duration{};
    scenario_.actions.push_back({from_seconds(at), SetDrain{drained, true, deadline}});
    // Said again, as somebody would who sees that a router was not there to hear it.
    for (const double again : {0.0, 20.0}) {
      const Duration end = from_seconds(at + lasts + again);
      scenario_.actions.push_back({end, SetDrain{drained, false, {}}});
      storm_.calm = std::max(storm_.calm, end);
    }
  }

  void cap() {
    const double at = moment(), lasts = dice_.uniform(15, 40);
    SetPowerCap wanted;
    const bool of_pool = dice_.chance(0.3);
    wanted.target = of_pool ? any_pool() : "site";
    wanted.watts = of_pool ? dice_.uniform(1000, 6000) : dice_.uniform(3000, 12000);
    wanted.lasts = from_seconds(lasts);
    wanted.admission_only = dice_.chance(0.2);
    wanted.confirmed = true;
    scenario_.actions.push_back({from_seconds(at), wanted});
    storm_.calm = std::max(storm_.calm, from_seconds(at + lasts));
    if (!dice_.chance(0.3)) return;
    wanted.watts = 0;
    wanted.lasts = {};
    scenario_.actions.push_back({from_seconds(at + lasts / 2), wanted});
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

  Dice dice_;
  Scenario& scenario_;
  Storm& storm_;
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

Storm storm_of(std::uint64_t seed, router::Policy policy) {
  Storm storm;
  Dice dice = Dice(seed).child("storm");
  storm.scenario.seed = seed;
  storm.scenario.hosts = hosts_of(dice);
  storm.scenario.router.software = "simulator";
  storm.scenario.policy = std::move(policy);
  storm.scenario.arrivals = demanding_work(dice);
  // A kill that comes while its host is already dead is no other one: each host has one at most.
  storm.calm = std::max(Faults(dice.child("faults"), storm.scenario).add_all(),
                        from_seconds(faults_until_s));
  Operators(dice.child("operators"), storm).act();
  return storm;
}

}  // namespace drover::simulator
