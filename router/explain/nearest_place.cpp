// Changes of a candidate: what its devices, its host or its replica lack.
#include <algorithm>
#include <cmath>
#include <set>
#include <utility>
#include <vector>

#include "devices/serving/performance.h"
#include "devices/training/training.h"
#include "fleet/base/text.h"
#include "fleet/base/units.h"
#include "router/explain/nearest_change.h"

namespace drover::router {
namespace {

/// Bytes that each device of the group lacks.
double group_lacks_bytes(const RejectedCandidate& rejected) {
  const PlacementQuery& query = rejected.query;
  const devices::ModelSpec& model = *query.request.model;
  const devices::DeviceSpec& spec = *rejected.kind.spec;
  const double share = 1 - query.rule.memory_headroom;
  const double available = (spec.memory.bytes - spec.memory.reserved_bytes) * share;
  const Precision precision = rejected.kind.precision.value_or(Precision::bf16);
  if (query.purpose == Purpose::gang) {
    const Workload& work = query.request.job->work;
    const devices::Placement on{&spec, rejected.kind.devices, precision, 1, rejected.kind.per_host};
    const devices::TrainingShape shape{std::max(1U, work.batch), std::max(1U, work.sequence)};
    return (devices::training_bytes(on, model, shape) - available) / share;
  }
  const int devices = std::max(1, rejected.kind.group_devices);
  const devices::Placement on{&spec, devices, precision};
  const auto need = static_cast<double>(std::max<std::uint64_t>(1, query.need_tokens));
  const double tokens_bytes = need * devices::kv_bytes_per_token(on, model) / devices / share;
  return devices::weights_bytes(on, model) + tokens_bytes - available / share;
}

/// The groups of the row, or its replica's devices.
std::vector<DeviceIndex> devices_of(const RejectedCandidate& rejected) {
  std::vector<DeviceIndex> devices;
  each_device(rejected.query.fleet_state, rejected.rows, rejected.row,
              [&](DeviceIndex device) { devices.push_back(device); });
  return devices;
}

/// A request that waits for a new replica is placed once it is loaded.
bool loads(const RejectedCandidate& rejected) { return rejected.query.purpose == Purpose::replica; }

std::optional<FreeingPlan> freeing_of(const RejectedCandidate& rejected) {
  const PlacementQuery& query = rejected.query;
  const MultiHostGang* spread = rejected.rows.multi_host_gang_of(rejected.row);
  if (spread == nullptr) {
    return cheapest_freeing_plan(query, rejected.kept, rejected.rows.group[rejected.row],
                                 rejected.kind.devices);
  }
  FreeingPlan all;
  for (const MultiHostGang::Part& part : spread->parts) {
    const auto found = cheapest_freeing_plan(query, rejected.kept, part.group, part.devices);
    if (!found) return std::nullopt;
    all.add(*found);
  }
  return all;
}

}  // namespace

std::optional<Change> add_memory(const RejectedCandidate& rejected) {
  const PlacementQuery& query = rejected.query;
  const ReplicaIndex replica = rejected.rows.replica[rejected.row];
  const auto words = [](double bytes) {
    return fmt::format("+{:.1f} GB of memory per device", bytes / 1e9);
  };
  constexpr double step_bytes = 1e8;
  if (rejected.rows.multi_host_gang_of(rejected.row) != nullptr) return std::nullopt;
  if (replica != no_index) {
    const double tokens = static_cast<double>(query.need_tokens) / (1 - query.rule.memory_headroom);
    const devices::Placement on{rejected.kind.spec, rejected.kind.devices,
                                *rejected.kind.precision};
    const double token_bytes =
        devices::kv_bytes_per_token(on, *query.request.model) / rejected.kind.devices;
    const double bytes =
        rounded_up((tokens - rejected.rows.tokens_max[rejected.row]) * token_bytes, step_bytes);
    return change_of(bytes, words(bytes), [replica, tokens](WhatIf& what_if) {
      what_if.fleet.add_memory(replica, tokens + 1);
    });
  }
  const double bytes = rounded_up(group_lacks_bytes(rejected), step_bytes);
  if (bytes <= 0) return std::nullopt;  // it failed there when its owner tried it
  return change_of(
      bytes, words(bytes), [bytes, group = rejected.rows.group[rejected.row]](WhatIf& what_if) {
        devices::DeviceSpec& larger =
            what_if.specs.emplace_back(*what_if.fleet.fleet_state().groups()[group].spec);
        larger.memory.bytes += bytes;
        what_if.fleet.add_memory(group, larger, bytes);
      });
}

std::optional<Change> refresh_samples(const RejectedCandidate& rejected) {
  const FleetState& fleet_state = rejected.query.fleet_state;
  std::vector<DeviceIndex> devices = devices_of(rejected);
  std::set<std::string> hosts;
  for (const DeviceIndex device : devices) {
    hosts.insert(fleet_state.host_name(fleet_state.devices().host[device]));
  }
  const std::string words = fmt::format("a current sample of {}", joined(hosts, ", "));
  return change_of(0, words, [devices = std::move(devices)](WhatIf& what_if) {
    for (const DeviceIndex device : devices) what_if.fleet.refresh_sample(what_if.now, device);
  });
}

std::optional<Change> cool_down(const RejectedCandidate& rejected) {
  return change_of(0, "a cooler device", [devices = devices_of(rejected)](WhatIf& what_if) {
    for (const DeviceIndex device : devices) what_if.fleet.clear(device, condition_hot);
  });
}

std::optional<Change> try_again(const RejectedCandidate& rejected) {
  const std::string target = target_text(rejected.query.fleet_state, rejected.rows, rejected.row);
  if (rejected.query.request.avoid.contains(target)) {
    Change change = change_of(0, "once its back-off is over",
                              [target](WhatIf& what_if) { what_if.request.avoid.erase(target); });
    change.by_itself = true;
    return change;
  }
  if (rejected.rows.multi_host_gang_of(rejected.row) != nullptr) return std::nullopt;
  Change change = change_of(
      0, "once its ejection is over",
      [replica = rejected.rows.replica[rejected.row], group = rejected.rows.group[rejected.row]](
          WhatIf& what_if) { what_if.fleet.clear_ejection(replica, group); });
  change.by_itself = true;
  return change;
}

/// Changes of a replica's own state.
std::optional<Change> resume_replica(const RejectedCandidate& rejected) {
  const FleetState& fleet_state = rejected.query.fleet_state;
  const ReplicaIndex replica = rejected.rows.replica[rejected.row];
  if (replica == no_index) return std::nullopt;
  const ReplicaEntry& entry = fleet_state.replicas()[replica];
  const bool leaves = entry.retiring || entry.facts.state == ReplicaState::draining;
  if (leaves || fleet_state.hosts()[entry.host].draining) return std::nullopt;
  std::set<DeviceIndex> drained;
  fleet_state.each_device(entry, [&](DeviceIndex device) {
    if ((fleet_state.devices().condition[device] & condition_drained) != 0) drained.insert(device);
  });
  return change_of(0, resume_text(fleet_state, drained),
                   [drained](WhatIf& what_if) { resume(drained, what_if); });
}

std::optional<Change> repair_replica(const RejectedCandidate& rejected) {
  const FleetState& fleet_state = rejected.query.fleet_state;
  const ReplicaIndex replica = rejected.rows.replica[rejected.row];
  if (replica == no_index) return std::nullopt;
  const ReplicaEntry& entry = fleet_state.replicas()[replica];
  std::set<DeviceIndex> unusable;
  fleet_state.each_device(entry, [&](DeviceIndex device) {
    if ((fleet_state.devices().condition[device] & condition_unusable) != 0)
      unusable.insert(device);
  });
  std::set<HostIndex> silent;
  if (fleet_state.hosts()[entry.host].health != Health::ok) silent.insert(entry.host);
  return change_of(0, repair_text(fleet_state, unusable, silent),
                   [unusable, silent](WhatIf& what_if) { repair(unusable, silent, what_if); });
}

// Changes that add capacity: freed devices, time, ended requests.

std::optional<Change> freeing_change(const RejectedCandidate& rejected) {
  auto found = freeing_of(rejected);
  if (!found) return std::nullopt;
  const double warmup_s = loads(rejected) ? rejected.rows.warmup_s[rejected.row] : 0;
  found->wait_s = duration_rounded_up(found->wait_s);
  Change change;
  change.reason = found->reason();
  change.by_itself = found->by_itself(rejected.query);
  change.amount = found->wait_s + warmup_s;
  change.words = found->text(rejected.query);
  if (change.words.empty() && !loads(rejected)) return std::nullopt;
  change.make = [freeing = std::move(*found), kept = rejected.kept](WhatIf& what_if) {
    freeing.make(kept, what_if);
  };
  return change;
}

std::optional<Change> waiting_change(const RejectedCandidate& rejected) {
  const double wait_s = rejected.rows.start_s[rejected.row];
  if (!std::isfinite(wait_s) || wait_s <= 0) return std::nullopt;
  Change change;
  change.amount = duration_rounded_up(wait_s);
  change.words = duration_text(change.amount);
  change.by_itself = true;
  change.make = [passes_s = change.amount](WhatIf& what_if) { what_if.pass(passes_s); };
  return change;
}

std::optional<Change> relieving_change(const RejectedCandidate& rejected) {
  const PlacementQuery& query = rejected.query;
  const CandidateTable& rows = rejected.rows;
  const std::size_t row = rejected.row;
  const ReplicaIndex replica = rows.replica[row];
  const ReplicaEntry& entry = query.fleet_state.replicas()[replica];
  const ReplicaState state = entry.facts.state;
  Change change;
  change.by_itself = true;
  if (state == ReplicaState::loading || state == ReplicaState::compiling) {
    const devices::Placement on{rejected.kind.spec, rejected.kind.devices, entry.facts.precision};
    const auto tokens = static_cast<double>(devices::kv_capacity_tokens(on, *query.request.model));
    change.amount = duration_rounded_up(to_seconds(entry.facts.ready_at - query.now));
    change.words = change.amount > 0 ? duration_text(change.amount) + ", until its model is loaded"
                                     : "when its model is loaded (overdue)";
    change.make = [replica, tokens, passes_s = change.amount](WhatIf& what_if) {
      what_if.pass(passes_s);
      what_if.fleet.make_ready(replica, tokens);
    };
    return change;
  }
  const double requests = std::max(0.0, rows.load[row] + 1 - rows.bound[row]);
  const auto need = static_cast<double>(query.need_tokens);
  const double capacity_tokens = rows.tokens_max[row] * (1 - query.rule.memory_headroom);
  const double tokens = std::max(0.0, rows.tokens[row] + need - capacity_tokens);
  if (requests > rows.load[row] || tokens > rows.tokens[row]) return std::nullopt;
  if (requests > 0) {
    change.words = counted(static_cast<std::uint64_t>(std::ceil(requests)), "fewer request");
  }
  if (tokens > 0) {
    add_part(change.words, " and ",
             counted(static_cast<std::uint64_t>(std::ceil(tokens)), "fewer token"));
    change.words += " in its KV cache";
  }
  if (change.words.empty()) return std::nullopt;
  change.make = [replica, requests, tokens](WhatIf& what_if) {
    what_if.fleet.reduce_load(replica, std::ceil(requests), std::ceil(tokens));
  };
  return change;
}

}  // namespace drover::router
