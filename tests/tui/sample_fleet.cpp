#include "tests/tui/sample_fleet.h"

#include <algorithm>
#include <array>

#include "fleet/codec/codec.h"
#include "fleet/outbox.h"

namespace drover::tui {
namespace {

Group group(std::uint16_t number, std::uint16_t first, std::uint16_t count,
            const std::string& device, const std::string& topology = "") {
  return {number, first, count, device, topology, sample_cap_w(device)};
}

}  // namespace

SampleFleet::SampleFleet() {
  add_host("gpu-a", "r1", {group(0, 0, 8, "h100-sxm")});
  add_host("gpu-b", "r1", {group(0, 0, 8, "a100-sxm-80gb")});
  add_host("tpu-a", "r2", {group(0, 0, 8, "tpu-v5e", "2x4")});
  add_host("tpu-b", "r2", {group(0, 0, 8, "tpu-v5e", "2x4")});
  add_host("edge-1", "r3", {group(0, 0, 2, "l4"), group(1, 2, 2, "l4")});
  hosts[4].health = Health::lost;
  const std::vector<std::vector<std::string>> pools = {
      {"hopper"}, {"ampere"}, {"tpu"}, {"tpu"}, {"edge", "edge"}};
  for (std::size_t i = 0; i < hosts.size(); ++i) hosts[i].pools = pools[i];
  add_replicas();
  add_jobs();
  add_decisions();
  add_events();
  add_summary();
  add_policy();
  add_conditions();
  add_alerts();
}

void SampleFleet::add_host(const std::string& name, const std::string& rack,
                           std::vector<Group> groups) {
  HostChanged host;
  host.registration.host = name;
  host.registration.rack = rack;
  host.registration.site = "lab";
  host.registration.incarnation = generate_incarnation(random_);
  host.registration.specs = {
      {groups.front().device, std::string(sample_spec_text(groups.front().device))}};
  host.registration.groups = std::move(groups);
  host.since = start;
  if (rack != "r2") host.secured_by = name;  // the others have no key
  hosts.push_back(std::move(host));
}

void SampleFleet::add_replicas() {
  const auto add = [&](const std::string& host, std::uint32_t number, const std::string& model,
                       Precision precision, const std::string& pool, int devices,
                       ReplicaState state) {
    ReplicaChanged changed;
    changed.pool = pool;
    Replica& replica = changed.replica;
    replica.id = {host, number};
    replica.model = model;
    replica.precision = precision;
    replica.state = state;
    for (int i = 0; i < devices; ++i) {
      replica.devices.push_back(static_cast<std::uint16_t>(number * 4 + static_cast<unsigned>(i)));
    }
    replica.kv_capacity_tokens = 400'000;
    replica.batch_max = 256;
    if (state == ReplicaState::ready) {
      replica.queued = static_cast<std::uint32_t>(random_.below(4));
      replica.running = 10 + static_cast<std::uint32_t>(random_.below(60));
      replica.kv_used_tokens = 100'000 + random_.below(290'000);
    }
    replicas.push_back(changed);
  };
  using enum ReplicaState;
  add("gpu-a", 0, "llama-3.1-70b", Precision::bf16, "hopper", 4, ready);
  Replica& told = replicas.back().replica;  // the others' agents do not tell what they hold
  told.weights_bytes = 35'300'000'000;
  told.kv_token_bytes = 20'480;
  told.tenants = {{"chat", 15, 120'000}, {"research", 9, 61'000}};
  add("gpu-b", 0, "llama-3.1-70b", Precision::bf16, "ampere", 4, ready);
  add("gpu-b", 1, "llama-3.1-8b", Precision::bf16, "ampere", 1, ready);
  add("gpu-b", 2, "llama-3.1-8b", Precision::bf16, "ampere", 1, loading);
  add("tpu-a", 0, "llama-3.1-70b", Precision::int8, "tpu", 8, ready);
  add("tpu-b", 0, "llama-3.1-8b", Precision::bf16, "tpu", 1, compiling);
  add("edge-1", 0, "llama-3.1-8b", Precision::bf16, "edge", 1, ready);
}

void SampleFleet::add_jobs() {
  const auto add = [&](WorkKind kind, const std::string& model, JobState state, int age_s,
                       const std::string& target, const std::string& pool) -> JobChanged& {
    JobChanged job;
    job.job.id = generate_job_id(random_);
    job.job.work.kind = kind;
    job.job.work.model = model;
    job.job.tenant = kind == WorkKind::serve ? "chat" : "research";
    job.job.priority = kind == WorkKind::serve ? 10 : 0;
    if (kind == WorkKind::serve) {
      job.job.work.input_tokens = 100 + static_cast<std::uint32_t>(random_.below(4'000));
      job.job.work.output_tokens = 10 + static_cast<std::uint32_t>(random_.below(600));
    } else {
      job.job.work.steps = 5'000;
      job.job.work.batch = 256;
      job.job.work.sequence = 512;
      job.job.work.devices = 4;
    }
    job.state = state;
    job.attempt = state == JobState::queued ? 0 : 1;
    job.submitted = start - std::chrono::seconds(age_s);
    // One that waits has done so from the start.
    const bool waits = state == JobState::queued;
    job.since = job.submitted + std::chrono::seconds(waits ? 0 : age_s / 4);
    job.target = target;
    job.pool = pool;
    jobs.push_back(job);
    return jobs.back();
  };
  using enum JobState;
  const auto run = [](JobChanged& job, double share, double remaining_s) {
    job.progress = share;
    job.remaining_s = remaining_s;
  };
  run(add(WorkKind::train, "bert-large", running, 900, "gpu-a/4-7", "hopper"), 0.62, 541);
  run(add(WorkKind::train, "resnet-50", running, 300, "tpu-b/0-7", "tpu"), 0.11, 2'400);
  // Requests tell no progress; only the time that they were expected to take is known.
  for (int i = 0; i < 14; ++i) {
    const bool first = i % 2 == 0;
    run(add(WorkKind::serve, first ? "llama-3.1-70b" : "llama-3.1-8b", running, 9 - i / 2,
            first ? "gpu-a/r0" : "gpu-b/r1", first ? "hopper" : "ampere"),
        0, 42.0 + 9 * i);
  }
  const Reason waits[] = {Reason::capacity, Reason::capacity, Reason::cooldown,
                          Reason::topology, Reason::capacity, Reason::power_cap};
  for (int i = 0; i < 6; ++i) {
    JobChanged& job = add(i < 4 ? WorkKind::serve : WorkKind::train,
                          i < 4 ? "llama-3.1-70b" : "llama-3.1-8b", queued, 60 - 9 * i, "", "");
    job.reason = waits[i];
  }
  JobChanged& too_long = add(WorkKind::serve, "llama-3.1-70b", JobState::failed, 200, "", "");
  too_long.reason = Reason::context;
  too_long.detail = "200,000 tokens; the longest replica takes 131,072";
  too_long.latency_s = 0.2;
  JobChanged& lost =
      add(WorkKind::train, "bert-large", JobState::failed, 800, "edge-1/0-1", "edge");
  lost.reason = Reason::retries;
  lost.detail = "host edge-1 lost";
  lost.attempt = 3;
  lost.latency_s = 423;
  for (int i = 0; i < 8; ++i) {
    JobChanged& job =
        add(WorkKind::serve, "llama-3.1-8b", finished, 100 + 7 * i, "gpu-b/r1", "ampere");
    job.latency_s = 1.1 + 0.7 * i;
    job.usage = {0.4, 140.0 + 11 * i, 0.0004};
    job.outcome.output_tokens = job.job.work.output_tokens;
    job.outcome.first_token_s = 0.08 + 0.01 * i;
  }
}

void SampleFleet::add_decisions() {
  for (int i = 0; i < 60; ++i) {
    Decision d;
    d.number = static_cast<std::uint64_t>(i) + 1;
    d.at = start - std::chrono::milliseconds(350 * (60 - i));
    d.job = i < 22 ? jobs[static_cast<std::size_t>(i)].job.id : generate_job_id(random_);
    d.attempt = 1;
    d.kind = WorkKind::serve;
    d.model = i % 2 == 0 ? "llama-3.1-70b" : "llama-3.1-8b";
    d.rule = i % 2 == 0 ? "chat-large" : "chat-small";
    d.preferred_pool = i % 2 == 0 ? "hopper" : "ampere";
    d.pool = d.preferred_pool;
    d.target = i % 2 == 0 ? "gpu-a/r0" : "gpu-b/r1";
    d.considered = 5;
    d.fleet_version = 1'200 + static_cast<std::uint64_t>(i);
    if (i % 5 == 4) {
      d.fallback_reason = i % 2 == 0 ? Reason::capacity : Reason::queue_slo;
      d.fallback_step = 1;
      d.pool = "tpu";
      d.target = "tpu-a/r0";
      d.change = i % 2 == 0 ? "bf16 -> int8" : "";
      d.rejections = {{d.preferred_pool, "h100-sxm", *d.fallback_reason, 2},
                      {"edge", "l4", Reason::memory, 4}};
    }
    if (i == 41) {
      d.action = Action::queue;
      d.fallback_reason = Reason::cooldown;
      d.pool = d.target = "";
    }
    if (i == 53) {
      d.action = Action::start_replica;
      d.job = {};
    }
    if (!d.target.empty()) {
      const auto candidate = [](const std::string& target, const std::string& pool,
                                const std::array<double, 4>& values, const Estimate& estimate) {
        Candidate scored{target, pool, 0, {}, estimate, ""};
        scored.parts = {{"queue", values[0], 0.35},
                        {"latency", values[1], 0.30},
                        {"cost", values[2], 0.20},
                        {"energy", values[3], 0.15}};
        for (const ScorePart& part : scored.parts) scored.score += part.value * part.weight;
        return scored;
      };
      const double queue = 0.6 + 0.4 * random_.uniform();
      d.top = {
          candidate(d.target, d.pool, {queue, 0.914, 0.437, 1}, {0.05, 3.2, 412, 0.0031}),
          candidate("gpu-b/r0", "ampere", {0.4, 0.703, 0.581, 0.615}, {0.6, 5.9, 377, 0.0024})};
    }
    decisions.push_back(std::move(d));
  }
}

void SampleFleet::add_events() {
  events = {{Severity::info, "tpu-a/r0", "llama-3.1-70b int8 is ready"},
            {Severity::warning, "gpu-a/3", "power cap reached: clock held at 1.62 GHz"},
            {Severity::info, "gpu-b/r2", "loading llama-3.1-8b bf16"},
            {Severity::warning, "edge-1", "no heartbeat for 3 s"},
            {Severity::critical, "edge-1", "host lost; 2 jobs go back to the queue"}};
}

void SampleFleet::add_summary() {
  summary.started = start - std::chrono::minutes(31);
  summary.accepted = 12'345;
  summary.finished = 12'279;
  summary.failed = 44;
  summary.refused = 3;
  summary.queued = 6;
  summary.running = 16;
  summary.input_tokens = 18'234'000;
  summary.output_tokens = 2'530'000;
  summary.fallbacks = {{Reason::capacity, 812}, {Reason::queue_slo, 240}, {Reason::unhealthy, 12}};
  summary.failures = {{Reason::context, 31}, {Reason::retries, 9}, {Reason::deadline, 4}};
  summary.queued_for = {
      {Reason::capacity, 3}, {Reason::cooldown, 1}, {Reason::topology, 1}, {Reason::power_cap, 1}};
  summary.charged = {9'100, 9.4e6, 21.3};
  summary.wasted = {190, 0.3e6, 0.9};
  summary.tokens_work = {12'268, 20'412'000, {8'200, 7.2e6, 16.9}};
  summary.steps_work = {11, 55'000, {900, 2.2e6, 4.4}};
  summary.fleet_energy_j = 14.2e6;
  summary.fleet_cost_usd = 48.7;
  summary.latency_s = {12'000, 2.31, 5.8, 14.2, 61};
  summary.first_token_s = {12'000, 0.094, 0.35, 1.2, 9};
  summary.retries = 57;
  summary.decisions = 13'501;
  summary.estimate_error = 0.08;
  summary.power_w = 8'640;
  summary.power_reserved_w = 510;
  summary.fallback_costs = {{Reason::capacity, 812, 1.94, 310e3, 1'220, 812},
                            {Reason::queue_slo, 240, -0.35, -88e3, 96, 240},
                            {Reason::unhealthy, 12, 0, 0, 0, 0}};
  add_classes();
  add_pools();
}

void SampleFleet::add_classes() {
  using enum ClassMetric;
  summary.classes = {
      {"batch-embed", energy_per_unit, 2, 0, {}},
      {"chat-large", first_token, 0.5, 6'010, {6'200, 0.094, 0.35, 1.2, 9}},
      {"chat-small", per_token, 0.05, 5'798, {5'800, 0.018, 0.024, 0.041, 0.12}},
      {"finetune", training_time, 0, 11, {11, 840, 1'900, 2'400, 2'400}},
      {"nightly", cost_per_unit, 2.5, 241, {268, 1.9, 2.61, 2.9, 3.4}},
  };
  // One burns fast, one slowly, one has missed nothing lately.
  ClassReport& large = summary.classes[1];
  large.short_window = {80, 25};
  large.long_window = {900, 140};
  large.first_bucket = 31;  // from 16 ms
  large.buckets = {3,   12, 60, 190, 420, 700, 1'010, 980, 800, 610, 430, 300, 170, 140,
                   100, 80, 60, 45,  30,  21,  14,    9,   6,   4,   2,   2,   1,   1};
  ClassReport& small = summary.classes[2];
  small.short_window = {120, 0};
  small.long_window = {1'300, 19};
  small.first_bucket = 28;
  small.buckets = {40, 900, 2'400, 1'700, 600, 120, 30, 8, 2};
  summary.classes[4].long_window = {30, 0};
}

void SampleFleet::add_pools() {
  const auto add = [&](const std::string& name, std::uint64_t devices, double power_w,
                       double reserved_w, double spend_usd_per_h) -> PoolReport& {
    PoolReport pool;
    pool.name = name;
    pool.devices = pool.usable = devices;
    pool.power_w = power_w;
    pool.power_reserved_w = reserved_w;
    pool.spend_usd_per_h = spend_usd_per_h;
    summary.spend_usd_per_h += spend_usd_per_h;
    summary.pools.push_back(pool);
    return summary.pools.back();
  };
  PoolReport& hopper = add("hopper", 8, 3'640, 310, 48.16);
  hopper.power_cap_w = 4'200;
  hopper.queued = 4;
  PoolReport& ampere = add("ampere", 8, 2'120, 0, 20.58);
  ampere.unusable = 1;
  ampere.usable = 7;
  PoolReport& tpu = add("tpu", 16, 2'880, 200, 14.4);
  tpu.power_cap_w = 3'000;
  tpu.ejected = 1;
  tpu.drained = 8;
  tpu.usable = 7;
  tpu.queued = 2;
  add("edge", 0, 0, 0, 0).lost = 4;
  summary.budget_usd_per_h = 90;
}

void SampleFleet::add_policy() {
  policy.name = "chat-first";
  policy.version = 3;
  policy.site_power_cap_w = 11'000;
  policy.pools = {{"hopper", 4'200, 6.88}, {"ampere", 0, 0}, {"tpu", 3'000, 0}, {"edge", 0, 0}};
  using std::chrono::seconds;
  policy.alert_rules = {
      {"host_lost", Severity::critical, "host", "the host is lost: it did not shut down cleanly",
       "", seconds(0), seconds(0), "its work is requeued"},
      {"throttling", Severity::warning, "host", "devices of the host are thermally throttled", "",
       seconds(3), seconds(10), "work there takes longer than estimated"},
      {"power_cap", Severity::warning, "pool, site", "sampled power above 98 % of the cap", "",
       seconds(3), seconds(3), "new work will wait for power"},
      {"hot", Severity::warning, "device", "headroom < 3C", "headroom > 6C", seconds(30),
       seconds(10), "close to thermal throttling"},
      {"idle_loaded", Severity::info, "device", "mem > 10% & util < 1% & running == 0",
       "util > 1% | mem < 10%", std::chrono::hours(12), seconds(10),
       "holds a model that nobody uses: idle power, and a device that others could use"},
      {"pool_degraded", Severity::critical, "pool", "healthy < 50%", "healthy > 60%", seconds(10),
       seconds(10), "most of its devices are lost, unusable or ejected"}};
}

void SampleFleet::add_conditions() {
  conditions = {{"gpu-a", 3, true, start - std::chrono::seconds(25), "", {"throttle=0.5 for 60s"}},
                {"gpu-b",
                 6,
                 false,
                 start - std::chrono::seconds(18),
                 "Xid 79: GPU has fallen off the bus",
                 {"xid=79 for 120s"}}};
}

void SampleFleet::add_alerts() {
  alerts = {{"throttling", "gpu-a", Severity::warning, true, start - std::chrono::seconds(22),
             "1 of 8 devices throttles thermally"},
            {"power_cap", "pool:tpu", Severity::warning, true, start - std::chrono::seconds(9),
             "2.96kW of 3.0kW", "ann@desk", start - std::chrono::seconds(6)},
            {"hot", "gpu-a/6", Severity::warning, true, start - std::chrono::seconds(12),
             "close to thermal throttling: headroom 2.1C"},
            {"host_lost", "edge-1", Severity::critical, true, start - std::chrono::seconds(4),
             "no heartbeat for 10 s"}};
  audits = {{"ann@desk", "inject throttle=0.5 for 60s", "device:gpu-a/3", true, "1 device"},
            {"ann@desk", "inject xid=79 for 120s", "rack:r1", true, "gpu-b/6"},
            {"demo", "power cap 9kW", "pool:hoper", false, "no such pool; did you mean hopper?"}};
}

Envelope SampleFleet::published(Message body, Instant at) {
  return {"router", ++published_, at, std::move(body)};
}

std::vector<Envelope> SampleFleet::state() {
  std::vector<Envelope> all;
  for (const auto& host : hosts) all.push_back(published(host));
  for (const auto& replica : replicas) all.push_back(published(replica));
  for (const auto& job : jobs) all.push_back(published(job));
  for (const auto& decision : decisions) all.push_back(published(decision));
  int ago_s = static_cast<int>(events.size()) * 7;
  for (const auto& event : events) {
    all.push_back(published(event, start - std::chrono::seconds(ago_s -= 7)));
  }
  all.push_back(published(policy));
  for (const auto& condition : conditions) all.push_back(published(condition));
  for (const auto& alert : alerts) all.push_back(published(alert, alert.since));
  for (const auto& audit : audits) {
    all.push_back(published(audit, start - std::chrono::seconds(ago_s += 8)));
  }
  all.push_back(published(summary));
  all.push_back(last_of_lost());
  return all;
}

std::vector<Envelope> SampleFleet::snapshot(std::uint32_t parts) {
  std::vector<SnapshotPart> bodies(parts);
  const std::vector<Envelope> all = state();
  for (std::size_t i = 0; i < all.size(); ++i) {
    bodies[i * parts / all.size()].messages.push_back(encode(all[i]));
  }
  std::vector<Envelope> envelopes;
  for (std::uint32_t part = 0; part < parts; ++part) {
    bodies[part].snapshot = 1;
    bodies[part].part = part;
    bodies[part].parts = parts;
    bodies[part].at_sequence = published_;
    envelopes.push_back({"router", part + 1, start, bodies[part]});
  }
  return envelopes;
}

std::unique_ptr<Dashboard> dashboard_of(SampleFleet& fleet, Size size, const std::string& view,
                                        bool ascii, int seconds, bool control) {
  DashboardOptions options;
  options.control = control;
  options.settings.start.view = view;
  options.ascii = ascii;
  options.connected_to = "tcp://127.0.0.1:7700";
  auto dashboard = std::make_unique<Dashboard>(options, size, SampleFleet::start);
  for (const Envelope& part : fleet.snapshot()) {
    dashboard->receive(SampleFleet::start, router_peer, part);
  }
  for (int second = 0; second < seconds; ++second) {
    const Instant now = SampleFleet::start + std::chrono::seconds(second);
    for (const Envelope& batch : fleet.samples(second)) {
      dashboard->receive(now, publish_peer, batch);
    }
    dashboard->tick(now);
  }
  (void)dashboard->take_effects();
  dashboard->draw(SampleFleet::start + std::chrono::seconds(std::max(0, seconds - 1)));
  return dashboard;
}

}  // namespace drover::tui
