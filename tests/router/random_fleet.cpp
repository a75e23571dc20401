#include "tests/router/random_fleet.h"

#include <algorithm>
#include <array>
#include <utility>

#include "router/jobs/pool_reports.h"

namespace drover::router {
namespace {

using std::chrono::seconds;

constexpr const char* three_pools = R"([pool.h100]
match = { model = "h100*" }
[pool.l4]
match = { model = "l4" }
[pool.v5e]
match = { model = "v5e" }
[[rule]]
name = "train"
when = { kind = "training" }
pools = ["h100"]
[[rule]]
name = "serve"
pools = ["h100", "l4"]
)";

const JobId other_job{8, 1};

std::string with_more_memory(std::string text, double bytes) {
  const std::string key = "capacity_gib = ";
  const std::size_t at = text.find(key) + key.size();
  std::size_t read = 0;
  const double gib = std::stod(text.substr(at), &read) + bytes / (1024.0 * 1024 * 1024);
  return text.replace(at, read, fmt::format("{:.6f}", gib));
}

}  // namespace

RandomFleet::RandomFleet(std::uint64_t seed, const MoreMemory& more)
    : DecisionFixture(three_pools), random_(seed), trouble_(random_.uniform(0.2, 1)) {
  draw_pools();
  for (Rule& rule : policy.rules) draw_fallbacks(rule);
  draw_limits();
  draw_network();
  const Instant then = now;
  now -= seconds(100);
  add("fast", "h100-sxm", 8, more);
  if (draw(0.4)) add("twin", "h100-sxm", 8, more);
  add("small", "l4", 4, more);
  if (draw(0.6)) add("slice", "tpu-v5e", 8, more);
  now = then;
  for (HostIndex host = 0; host < fleet_state.hosts().size(); ++host) draw_state(host);
  // What is silent now was heard once.
  now -= seconds(50);
  for (const HostIndex host : silent_) sample_host(host);
  now = then;
  sample_all();
  draw_job();
  if (draw(0.3)) draw_reservation(0);
}

HostIndex RandomFleet::add(const std::string& name, const std::string& device, std::uint16_t count,
                           const MoreMemory& more) {
  Register said = registration(name, device, count, device.starts_with("tpu") ? "2x4" : "");
  said.rack = "rack-" + name;
  said.site = name == "slice" ? "there" : "here";
  if (more.host == name) said.specs[0].text = with_more_memory(said.specs[0].text, more.bytes);
  const auto index = fleet_state.register_host(now, said);
  DROVER_REQUIRE(index.ok());
  assign_pools(policy, fleet_state);
  return *index;
}

void RandomFleet::draw_pools() {
  for (Pool& pool : policy.pools) {
    if (draw(0.1)) pool.concurrency = 2;
    if (draw(0.15)) pool.max_share = 0.5;
    if (draw(0.15)) pool.context_max = 8192;
    if (draw(0.25)) pool.frameworks = {"jax"};
    if (draw(0.1)) pool.versions["cuda"] = *parse_version_range(">=12");
    if (draw(0.3)) pool.missing_ops = {"custom_cuda"};
  }
  policy.replicas.manage = draw(0.7);
}

void RandomFleet::draw_limits() {
  Limits& limits = policy.limits;
  if (draw(0.15)) limits.site_power_cap_w = random_.uniform(1500, 6000);
  if (draw(0.1)) limits.pool_power_cap_w["h100"] = random_.uniform(1000, 4000);
  if (draw(0.15)) limits.rack_power_w = random_.uniform(800, 4000);
  if (draw(0.15)) limits.budget_usd_per_h = random_.uniform(0.5, 30);
  if (draw(0.15)) tenant_devices_max = 1 + static_cast<double>(random_.below(6));
}

void RandomFleet::draw_fallbacks(Rule& rule) {
  if (draw(0.15)) rule.precisions = {Precision::bf16};
  if (draw(0.2)) rule.over_hosts = MultiHost::if_full;
  if (draw(0.1)) rule.interconnects = {"ici"};
  if (draw(0.7)) rule.slo_ttft_s = random_.uniform(0.001, 0.05);
  if (draw(0.3)) {
    Fallback& to = rule.fallbacks.emplace_back();
    if (draw(0.6)) to.on = {Reason::capacity};
    to.to = rule.pools.size() > 1 ? "v5e" : "l4";
    if (draw(0.6)) to.guard.finish_ratio_max = random_.uniform(0.5, 3);
    if (draw(0.2)) to.guard.extra_cost_max = random_.uniform(0, 1);
    if (draw(0.2)) to.change_precision = Precision::int8;
    if (draw(0.4)) {
      to.failback = {seconds(600), 1, draw(0.5) ? "h100" : ""};
      route_.fallback = 0;
      route_.fell_back = now;
      route_.probes = 1;
    }
  }
  if (draw(0.4)) rule.pools.push_back(rule.pools.size() > 1 ? "v5e" : "l4");
  const bool leads_nowhere_new =
      !rule.fallbacks.empty() &&
      std::find(rule.pools.begin(), rule.pools.end(), rule.fallbacks[0].to) != rule.pools.end();
  if (leads_nowhere_new) rule.fallbacks.clear();
  if (draw(0.8)) {
    Fallback& wait_unasked = rule.fallbacks.emplace_back();
    wait_unasked.action = FallbackAction::queue;
    wait_unasked.on = {Reason::queue_slo, Reason::deadline, Reason::cooldown};
  }
}

void RandomFleet::draw_network() {
  if (!draw(0.7)) return;
  policy.network.clients = "there";
  policy.network.otherwise = {0.05, 1e8, 0.1};
  policy.network.data_sets["images"] = {{"there"}, random_.uniform(1e9, 1e11)};
  for (Rule& rule : policy.rules) {
    if (draw(0.2)) rule.rtt_max_s = 0.02;
    if (draw(0.8)) rule.data_within = seconds(60);
  }
}

void RandomFleet::draw_state(HostIndex host) {
  const auto count = static_cast<std::uint16_t>(fleet_state.hosts()[host].devices.size());
  for (std::uint16_t device = 0; device < count; ++device) {
    if (random_.chance(0.15)) draw_replica(host, device);
  }
  draw_gangs(host);
  const auto any = [&] { return static_cast<std::uint16_t>(random_.below(count)); };
  if (draw(0.2)) fleet_state.set_drained(host, any(), true);
  if (draw(0.1)) {
    for (std::uint16_t device = 0; device < count; ++device)
      fleet_state.set_drained(host, device, true);
  }
  if (draw(0.15)) fleet_state.set_usable(host, any(), false);
  if (draw(0.06)) fleet_state.host(host).draining = true;
  if (draw(0.1)) fleet_state.set_health(now, host, Health::suspect);
  if (draw(0.08)) fleet_state.set_health(now, host, Health::lost);
  if (draw(0.12)) silent_.insert(host);
  if (draw(0.12)) hot_.insert(host);
  if (draw(0.12)) fleet_state.group(fleet_state.hosts()[host].groups[0]).outlier.ejected = true;
}

void RandomFleet::draw_replica(HostIndex host, std::uint16_t device) {
  Replica replica;
  replica.id = {fleet_state.hosts()[host].registration.host, device};
  replica.model = draw(0.6) ? "llama-3.1-8b" : "llama-2-7b";
  replica.devices = {device};
  replica.state = draw(0.15) ? ReplicaState::loading : ReplicaState::ready;
  replica.ready_at = now + from_seconds(random_.uniform(-5, 60));
  replica.started_by_router = draw(0.6);
  const bool loading = replica.state == ReplicaState::loading;
  replica.kv_capacity_tokens = loading ? 0 : draw(0.5) ? 4'000 : 100'000;
  replica.batch_max = 4;
  const ReplicaIndex index = fleet_state.apply(now, host, replica);
  DROVER_REQUIRE(index != no_index);
  const std::uint64_t requests = random_.below(7);
  for (std::uint64_t request = 0; request < requests && !loading; ++request) {
    served_.push_back({index, 100 + random_.below(1000)});
    fleet_state.reserve_request(now, index, served_.back().tokens, now + seconds(5));
  }
  if (draw(0.1)) fleet_state.replica(index).retiring = true;
  if (draw(0.1)) fleet_state.replica(index).outlier.ejected = true;
}

void RandomFleet::draw_gangs(HostIndex host) {
  const double share = random_.uniform(0, 1);
  const std::size_t count = fleet_state.hosts()[host].devices.size();
  for (std::uint16_t device = 0; device < count; ++device) {
    const DeviceIndex index = fleet_state.hosts()[host].devices[device];
    if (fleet_state.devices().replicas[index] != 0 || !draw(share)) continue;
    const double left_s = draw(0.1) ? -5 : random_.uniform(10, 20'000);
    const Gang gang{{++jobs << 32U, 7}, host, {device}, now + from_seconds(left_s)};
    fleet_state.reserve_gang(now, gang.job, host, gang.devices, gang.until, 0);
    gangs_.push_back(gang);
  }
}

/// For another job, or for the one that waits, to which its own are free. Gangs there make room.
void RandomFleet::draw_reservation(HostIndex host) {
  Preemption kept;
  const bool own = draw(0.5);
  kept.job = own ? job.id : other_job;
  kept.grace_until = now + seconds(20);
  for (std::size_t device = 0; device < 4; ++device) {
    const DeviceIndex index = fleet_state.hosts()[host].devices[device];
    kept.devices.push_back(index);
    fleet_state.set_reserved(index, !own);
    const JobId& gang = fleet_state.devices().gang[index];
    if (!gang.empty()) kept.leaving[gang] = {};
  }
  wait.kept.push_back(std::move(kept));
}

void RandomFleet::draw_training() {
  constexpr std::array<std::uint16_t, 7> sizes = {1, 2, 4, 6, 8, 8, 12};
  job = training(sizes[random_.below(sizes.size())]);
  job.work.steps = static_cast<std::uint32_t>(random_.uniform(10, 100'000));
  if (draw(0.15)) {
    job.work.model = "llama-3.1-8b";
    job.work.batch = 16;
    job.work.sequence = 2048;
  }
  if (draw(0.1)) job.work.precisions = {Precision::fp4};
  if (draw(0.1)) job.work.precisions = {Precision::fp16};
  if (draw(0.3)) job.work.loss_scaling = true;
  if (policy.network.given() && draw(0.8)) job.data_set = "images";
}

void RandomFleet::draw_job() {
  if (draw(0.4)) {
    job = request();
    const double most = draw(0.3) ? 200'000 : 6'000;
    job.work.input_tokens = static_cast<std::uint32_t>(random_.uniform(100, most));
  } else {
    draw_training();
  }
  if (draw(0.3)) job.deadline = from_seconds(random_.uniform(1, 10'000));
  if (draw(0.3)) job.work.framework = "pytorch";
  if (draw(0.2)) job.work.versions["cuda"] = "11.8";
  if (draw(0.3)) job.work.ops = {"custom_cuda"};
  if (draw(0.15)) {
    RandomStream same(1);
    const PlacementResult result = router::decide(fleet_state, policy, estimator, ask(), now, same);
    if (result.place) avoid.insert(result.decision.target);
  }
}

PlacementRequest RandomFleet::ask() const {
  PlacementRequest ask = DecisionFixture::ask(job);
  ask.submitted = Instant{} + std::chrono::hours(24);
  ask.avoid = avoid;
  ask.avoid_binds = true;
  std::set<JobId> running;
  for (const JobId& gang : fleet_state.devices().gang) {
    if (!gang.empty()) running.insert(gang);
  }
  ask.running_jobs = static_cast<double>(running.size() + served_.size());
  ask.spend_usd_per_h = spend_usd_per_h(fleet_state, policy);
  ask.tenant_devices = 1;
  ask.tenant_devices_max = tenant_devices_max;
  if (route_.fallback) ask.failback = &route_;
  return ask;
}

}  // namespace drover::router
