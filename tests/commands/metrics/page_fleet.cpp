#include "tests/commands/metrics/page_fleet.h"

#include "devices/catalogue/catalogue.h"

namespace drover::commands {

HostChanged page_host(const std::string& name, const std::string& device, std::uint16_t count,
                      const std::string& topology) {
  HostChanged host;
  host.registration.host = name;
  host.registration.rack = "rack-1";
  host.registration.site = "local";
  host.registration.specs = {{device, devices::Catalogue::embedded().device(device).value()->text}};
  host.registration.groups = {{0, 0, count, device, topology, 0}};
  host.pools = {"fast"};
  host.sample_gaps = 2;
  return host;
}

Sample page_sample(std::uint16_t device) {
  Sample sample;
  sample.device = device;
  sample[Metric::utilization] = 0.975;
  sample[Metric::tensor_activity] = 0.5;
  sample[Metric::memory_activity] = 0.25;
  sample[Metric::memory_used] = 8 * 1024.0 * 1024 * 1024;
  sample[Metric::memory_total] = 24 * 1024.0 * 1024 * 1024;
  sample[Metric::power] = 65.3 + device;
  sample[Metric::power_cap] = 72;
  sample[Metric::temperature] = 61.5;
  sample[Metric::clock] = 2040;
  sample[Metric::throttle] = 0;
  sample[Metric::energy] = 1234.567;
  sample[Metric::queue] = 3;
  sample[Metric::running] = 1;
  sample[Metric::power_violation] = 1.5;
  sample[Metric::thermal_violation] = 0;
  sample[Metric::board_limit_violation] = 0;
  return sample;
}

void send_samples(PageFleet& fleet, const std::string& host, std::uint16_t count, double at_s) {
  std::vector<Sample> rows;
  for (std::uint16_t device = 0; device < count; ++device) rows.push_back(page_sample(device));
  fleet.send(pack(host, rows, SampleSteps::of_drivers), at_s, host);
}

namespace {

JobChanged job(std::uint64_t number, WorkKind kind, const std::string& work_class) {
  JobChanged changed;
  changed.job.id = {0x1111, number};
  changed.job.work.kind = kind;
  changed.job.tenant = "team-a";
  changed.work_class = work_class;
  changed.submitted = page_time(-30);
  return changed;
}

void send_jobs(PageFleet& fleet) {
  fleet.send(job(1, WorkKind::serve, "chat"));
  JobChanged waits = job(2, WorkKind::serve, "chat");
  waits.submitted = page_time(-12.5);
  fleet.send(waits);
  JobChanged ends = job(3, WorkKind::serve, "chat");
  fleet.send(ends);
  ends.state = JobState::finished;
  ends.latency_s = 1.5;
  ends.outcome.run_s = 1.25;
  ends.outcome.first_token_s = 0.125;
  fleet.send(ends);
  fleet.send(ends);  // told twice, counted once
  JobChanged gang = job(4, WorkKind::train, "");
  gang.state = JobState::running;
  gang.progress = 0.25;
  gang.pool = "fast";
  gang.target = "h-1/0-1";
  fleet.send(gang);
}

Summary totals() {
  Summary summary;
  summary.started = page_time(-3600);
  summary.accepted = 10;
  summary.finished = 6;
  summary.failed = 1;
  summary.queued = 2;
  summary.running = 1;
  summary.input_tokens = 123'456;
  summary.fallbacks[Reason::capacity] = 2;
  summary.failures[Reason::memory] = 1;
  summary.queued_for[Reason::capacity] = 2;
  summary.charged = {120.5, 3600, 0.25};
  summary.fleet_energy_j = 7200.5;
  summary.fleet_cost_usd = 1.5;
  summary.decisions = 12;
  summary.power_w = 198.6;
  summary.spend_usd_per_h = 2.4;
  summary.undecodable_by_sender = {{"h-1", 1}, {"", 2}};
  summary.classes = {{"chat", ClassMetric::first_token, 0.5, 4, {6, 0.2, 0.4, 0.6, 0.7}}};
  summary.classes.front().short_window = {4, 1};
  summary.classes.front().long_window = {8, 2};
  PoolReport pool;
  pool.name = "fast";
  pool.devices = 3;
  pool.usable = 2;
  pool.drained = 1;
  pool.power_w = 198.6;
  pool.power_cap_w = 500;
  summary.pools = {pool};
  return summary;
}

}  // namespace

void fill(PageFleet& fleet) {
  PolicyChanged policy;
  policy.name = "say \"fast\"";
  policy.version = 3;
  policy.hash = "0123456789abcdef";
  policy.site_power_cap_w = 1000;
  policy.stale_after_s = 5;
  fleet.send(policy);
  fleet.send(page_host("h-1", "l4", 2));
  fleet.send(page_host("v5e-1", "tpu-v5e", 1, "1x1"));
  send_samples(fleet, "h-1", 2);
  send_samples(fleet, "v5e-1", 1);
  send_jobs(fleet);
  Decision decision;
  decision.kind = WorkKind::serve;
  decision.preferred_pool = "fast";
  decision.pool = "slow";
  decision.fallback_reason = Reason::capacity;
  decision.rejections = {{"fast", "l4", Reason::capacity, 2}};
  fleet.send(decision);
  DeviceChanged drained;
  drained.host = "h-1";
  drained.device = 1;
  drained.drained = true;
  fleet.send(drained);
  ReplicaChanged replica;
  replica.replica.id = {"h-1", 0};
  replica.replica.model = "llama-3.1-8b";
  replica.replica.state = ReplicaState::ready;
  replica.replica.running = 1;
  replica.replica.kv_used_tokens = 500;
  replica.replica.kv_capacity_tokens = 20'000;
  replica.pool = "fast";
  fleet.send(replica);
  Alert alert;
  alert.rule = "throttling";
  alert.subject = "h-1/0";
  fleet.send(alert);
  fleet.send(Event{Severity::warning, "h-1/1", "drained"});
  fleet.send(totals());
  fleet.metrics.set_process({42, false, 0});
}

}  // namespace drover::commands
