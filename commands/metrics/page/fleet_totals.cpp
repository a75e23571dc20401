#include "commands/metrics/page/totals.h"

#include "fleet/base/version.h"

namespace drover::commands {

namespace {

/// One number of each pool. `zero_is_none`: a cap of 0 means that there is none.
template <auto member, bool zero_is_none = false>
void by_pool(const FleetMetrics& fleet, FamilyText& text) {
  if (!fleet.summary()) return;
  for (const PoolReport& pool : fleet.summary()->pools) {
    const auto value = static_cast<double>(pool.*member);
    if (zero_is_none && value == 0) continue;
    text.series({{"pool", pool.name}}, value);
  }
}

void write_pool_devices(const FleetMetrics& fleet, FamilyText& text) {
  if (!fleet.summary()) return;
  for (const PoolReport& pool : fleet.summary()->pools) {
    const std::pair<const char*, std::uint64_t> states[] = {
        {"all", pool.devices},     {"usable", pool.usable},   {"unusable", pool.unusable},
        {"drained", pool.drained}, {"ejected", pool.ejected}, {"suspect", pool.suspect},
        {"lost", pool.lost}};
    for (const auto& [state, count] : states) {
      text.series({{"pool", pool.name}, {"state", state}}, number(count));
    }
  }
}

/// Of the usage charged to jobs and wasted, and of the fleet as a whole.
template <auto of_usage, auto of_fleet>
void write_usage(const FleetMetrics& fleet, FamilyText& text) {
  if (!fleet.summary()) return;
  const Summary& summary = *fleet.summary();
  text.series({{"of", "charged"}}, summary.charged.*of_usage);
  text.series({{"of", "wasted"}}, summary.wasted.*of_usage);
  text.series({{"of", "fleet"}}, summary.*of_fleet);
}

void write_commits(const FleetMetrics& fleet, FamilyText& text) {
  if (fleet.process().ledger_commits) text.series(number(*fleet.process().ledger_commits));
}

void write_full(const FleetMetrics& fleet, FamilyText& text) {
  if (fleet.process().ledger_full) text.series(*fleet.process().ledger_full ? 1 : 0);
}

template <auto member>
void write_remote(const FleetMetrics& fleet, FamilyText& text) {
  if (fleet.process().remote) text.series(number((*fleet.process().remote).*member));
}
void write_dropped(const FleetMetrics& fleet, FamilyText& text) {
  if (fleet.process().dropped) text.series(number(*fleet.process().dropped));
}

void write_undecodable(const FleetMetrics& fleet, FamilyText& text) {
  if (!fleet.summary()) return;
  for (const SenderCount& one : fleet.summary()->undecodable_by_sender) {
    text.series({{"sender", one.sender}}, number(one.count));
  }
}

void write_hosts(const FleetMetrics& fleet, FamilyText& text) {
  const auto counts = fleet.devices().hosts_by_health();
  for (const Health health : {Health::ok, Health::suspect, Health::lost, Health::left}) {
    const auto found = counts.find(health);
    text.series({{"health", to_text(health)}}, found == counts.end() ? 0 : number(found->second));
  }
}

void write_conditions(const FleetMetrics& fleet, FamilyText& text) {
  for (const auto& entry : fleet.conditions()) {
    const DeviceId& id = entry.first;
    const DeviceChanged& changed = entry.second;
    const std::string device = to_text(id);
    const auto series = [&](std::string_view condition) {
      text.series({{"drover_id", device}, {"host", id.host}, {"condition", condition}}, 1);
    };
    if (!changed.usable) series("unusable");
    if (changed.drained) series("drained");
    if (!changed.injected.empty()) series("fault_injected");
  }
}

void write_replicas(const FleetMetrics& fleet, FamilyText& text) {
  for (const auto& [key, sums] : fleet.replicas()) {
    for (const auto& [state, count] : sums.by_state) {
      text.series({{"model", key.first}, {"pool", key.second}, {"state", to_text(state)}},
                  number(count));
    }
  }
}

template <auto member>
void write_replica_sums(const FleetMetrics& fleet, FamilyText& text) {
  for (const auto& [key, sums] : fleet.replicas()) {
    text.series({{"model", key.first}, {"pool", key.second}}, number(sums.*member));
  }
}

void write_site_cap(const FleetMetrics& fleet, FamilyText& text) {
  if (fleet.policy() && fleet.policy()->site_power_cap_w > 0) {
    text.series(fleet.policy()->site_power_cap_w);
  }
}

void write_budget(const FleetMetrics& fleet, FamilyText& text) {
  if (fleet.summary() && fleet.summary()->budget_usd_per_h > 0) {
    text.series(fleet.summary()->budget_usd_per_h);
  }
}

void write_policy(const FleetMetrics& fleet, FamilyText& text) {
  if (!fleet.policy()) return;
  const PolicyChanged& policy = *fleet.policy();
  text.series(
      {{"name", policy.name}, {"version", std::to_string(policy.version)}, {"hash", policy.hash}},
      1);
}

void write_alerts(const FleetMetrics& fleet, FamilyText& text) {
  for (const auto& [key, alert] : fleet.alerts()) {
    text.series({{"rule", alert.rule},
                 {"subject", alert.subject},
                 {"severity", to_text(alert.severity)},
                 {"acknowledged_by", alert.acknowledged_by}},
                1);
  }
}

void write_events(const FleetMetrics& fleet, FamilyText& text) {
  for (const auto& [severity, count] : fleet.events()) {
    text.series({{"severity", to_text(severity)}}, number(count));
  }
}

void write_build(const FleetMetrics&, FamilyText& text) {
  text.series({{"version", software_name}}, 1);
}

void write_started(const FleetMetrics& fleet, FamilyText& text) {
  if (fleet.summary()) text.series(to_seconds(fleet.summary()->started.time_since_epoch()));
}

void write_samples(const FleetMetrics& fleet, FamilyText& text) {
  text.series(number(fleet.samples()));
}

void write_batches(const FleetMetrics& fleet, FamilyText& text) {
  text.series(number(fleet.batches()));
}

constexpr TotalFamily fleet_families[] = {
    {{"drover_replicas", gauge, "", "model, pool, state", "Replicas of models."}, write_replicas},
    {{"drover_replica_requests_queued", gauge, "", "model, pool", "Requests queued at replicas."},
     write_replica_sums<&ReplicaSums::queued>},
    {{"drover_replica_requests_running", gauge, "", "model, pool", "Requests that replicas run."},
     write_replica_sums<&ReplicaSums::running>},
    {{"drover_kv_cache_used_tokens", gauge, "tokens", "model, pool",
      "Tokens in the KV caches of replicas."},
     write_replica_sums<&ReplicaSums::kv_used_tokens>},
    {{"drover_kv_cache_capacity_tokens", gauge, "tokens", "model, pool",
      "Tokens that fit into the KV caches of replicas."},
     write_replica_sums<&ReplicaSums::kv_capacity_tokens>},
    {{"drover_hosts", gauge, "", "health", "Hosts by health."}, write_hosts},
    {{"drover_device_condition", gauge, "", "drover_id, host, condition",
      "1 for each device that is unusable, drained or has an injected fault."},
     write_conditions},
    {{"drover_pool_devices", gauge, "", "pool, state", "Devices of a pool by state."},
     write_pool_devices},
    {{"drover_pool_queued_jobs", gauge, "", "pool", "Queued jobs that prefer the pool."},
     by_pool<&PoolReport::queued>},
    {{"drover_power_watts", gauge, "W", "", "Power of the site, as last sampled."},
     of_summary<&Summary::power_w>},
    {{"drover_power_reserved_watts", gauge, "W", "",
      "Power reserved for work that no sample shows yet."},
     of_summary<&Summary::power_reserved_w>},
    {{"drover_power_cap_watts", gauge, "W", "", "Power cap of the site in force."}, write_site_cap},
    {{"drover_pool_power_watts", gauge, "W", "pool", "Power of a pool, as last sampled."},
     by_pool<&PoolReport::power_w>},
    {{"drover_pool_power_reserved_watts", gauge, "W", "pool",
      "Power of a pool reserved for work that no sample shows yet."},
     by_pool<&PoolReport::power_reserved_w>},
    {{"drover_pool_power_cap_watts", gauge, "W", "pool", "Power cap of a pool in force."},
     by_pool<&PoolReport::power_cap_w, true>},
    {{"drover_spend_usd_per_hour", gauge, "$/h", "", "Cost of busy devices."},
     of_summary<&Summary::spend_usd_per_h>},
    {{"drover_budget_usd_per_hour", gauge, "$/h", "", "Budget of the policy."}, write_budget},
    {{"drover_pool_spend_usd_per_hour", gauge, "$/h", "pool", "Cost of a pool's busy devices."},
     by_pool<&PoolReport::spend_usd_per_h>},
    {{"drover_cost_usd_total", counter, "$", "of",
      "Cost charged to finished jobs, wasted on other attempts, and of the fleet with idle time."},
     write_usage<&Usage::cost_usd, &Summary::fleet_cost_usd>},
    {{"drover_energy_joules_total", counter, "J", "of",
      "Energy charged to finished jobs, wasted on other attempts, and of the fleet with idle "
      "time."},
     write_usage<&Usage::energy_j, &Summary::fleet_energy_j>},
    {{"drover_alert_firing", gauge, "", "rule, subject, severity, acknowledged_by",
      "1 for each raised alert."},
     write_alerts},
    {{"drover_events_total", counter, "", "severity", "Events since this process began."},
     write_events},
    {{"drover_samples_received_total", counter, "", "",
      "Samples of devices received since this process began."},
     write_samples},
    {{"drover_sample_batches_received_total", counter, "", "",
      "Batches of samples received since this process began."},
     write_batches},
    {{"drover_sample_gaps_total", counter, "", "",
      "Batches of samples that are missing according to their numbers."},
     of_summary<&Summary::sample_gaps>},
    {{"drover_undecodable_total", counter, "", "sender",
      "Messages that the router dropped: invalid, or not allowed from their sender. Without a "
      "sender: by earlier runs of the router."},
     write_undecodable},
    {{"drover_ledger_commits_total", counter, "", "",
      "Rows of the ledger that were written to the disk since the router started."},
     write_commits},
    {{"drover_ledger_full", gauge, "", "", "1 while the ledger's disk is full."}, write_full},
    {{"drover_ledger_start_time_seconds", gauge, "s", "",
      "Fleet time at which the ledger began, since 1970."},
     write_started},
    {{"drover_metrics_dropped_total", counter, "", "",
      "Published messages that this page has missed because its queue was full."},
     write_dropped},
    {{"drover_remote_write_sent_total", counter, "", "", "Samples stored by remote write."},
     write_remote<&RemoteCounts::sent>},
    {{"drover_remote_write_dropped_total", counter, "", "",
      "Samples that remote write has dropped: refused, or no room while the other side was away."},
     write_remote<&RemoteCounts::dropped>},
    {{"drover_remote_write_retries_total", counter, "", "", "Requests that remote write repeated."},
     write_remote<&RemoteCounts::retries>},
    {{"drover_policy_info", gauge, "", "name, version, hash",
      "Always 1; the labels name the policy in force."},
     write_policy},
    {{"drover_build_info", gauge, "", "version", "Always 1; the label names the program."},
     write_build},
};

}  // namespace

std::span<const TotalFamily> fleet_totals() { return fleet_families; }

}  // namespace drover::commands
