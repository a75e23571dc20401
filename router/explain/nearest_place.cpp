// Changes of a place: what its devices, its host or its replica lack.
#include <algorithm>
#include <set>
#include <utility>
#include <vector>

#include "devices/serving/performance.h"
#include "devices/training/training.h"
#include "fleet/base/text.h"
#include "router/explain/nearest_changes.h"

namespace drover::router {
namespace {

/// Bytes that each device of the group lacks.
double group_lacks_bytes(const Missed& missed) {
  const Question& question = missed.question;
  const devices::ModelSpec& model = *question.ask.model;
  const devices::DeviceSpec& spec = *missed.kind.spec;
  const double share = 1 - question.rule.memory_headroom;
  const double room = (spec.memory_bytes - spec.reserved_bytes) * share;
  const Precision precision = missed.kind.precision.value_or(Precision::bf16);
  if (question.purpose == Purpose::gang) {
    const Workload& work = question.ask.job->work;
    const devices::Placement on{&spec, missed.kind.devices, precision, 1, missed.kind.per_host};
    const devices::TrainingShape shape{std::max(1U, work.batch), std::max(1U, work.sequence)};
    return (devices::training_bytes(on, model, shape) - room) / share;
  }
  const int devices = std::max(1, missed.kind.group_devices);
  const devices::Placement on{&spec, devices, precision};
  const auto need = static_cast<double>(std::max<std::uint64_t>(1, question.need_tokens));
  const double tokens_bytes = need * devices::kv_bytes_per_token(on, model) / devices / share;
  return devices::weights_bytes(on, model) + tokens_bytes - room / share;
}

/// The groups of the row, or its replica's devices.
std::vector<DeviceIndex> devices_of(const Missed& missed) {
  const Roster& roster = missed.question.roster;
  std::vector<DeviceIndex> devices;
  const ReplicaIndex replica = missed.rows.replica[missed.row];
  if (replica != nowhere) {
    roster.each_device(roster.replicas()[replica],
                       [&](DeviceIndex device) { devices.push_back(device); });
    return devices;
  }
  const auto add = [&](GroupIndex index) {
    const GroupEntry& group = roster.groups()[index];
    for (DeviceIndex device = group.first; device < group.first + group.group.count; ++device) {
      devices.push_back(device);
    }
  };
  const Spread* spread = missed.rows.spread_of(missed.row);
  if (spread == nullptr) add(missed.rows.group[missed.row]);
  if (spread == nullptr) return devices;
  for (const Spread::Part& part : spread->parts) add(part.group);
  return devices;
}

}  // namespace

Found add_memory(const Missed& missed) {
  const Question& question = missed.question;
  const ReplicaIndex replica = missed.rows.replica[missed.row];
  const auto words = [](double bytes) {
    return fmt::format("+{:.1f} GB of memory per device", bytes / 1e9);
  };
  constexpr double step_bytes = 1e8;
  if (missed.rows.spread_of(missed.row) != nullptr) return std::nullopt;
  if (replica != nowhere) {
    const double tokens =
        static_cast<double>(question.need_tokens) / (1 - question.rule.memory_headroom);
    const devices::Placement on{missed.kind.spec, missed.kind.devices, *missed.kind.precision};
    const double token_bytes =
        devices::kv_bytes_per_token(on, *question.ask.model) / missed.kind.devices;
    const double bytes =
        rounded_up((tokens - missed.rows.tokens_max[missed.row]) * token_bytes, step_bytes);
    return change_of(bytes, words(bytes),
                     [replica, tokens](Trial& trial) { trial.fleet.enlarge(replica, tokens + 1); });
  }
  const double bytes = rounded_up(group_lacks_bytes(missed), step_bytes);
  if (bytes <= 0) return std::nullopt;  // it did not run there when its owner tried
  return change_of(bytes, words(bytes),
                   [bytes, group = missed.rows.group[missed.row]](Trial& trial) {
                     devices::DeviceSpec& larger =
                         trial.specs.emplace_back(*trial.fleet.roster().groups()[group].spec);
                     larger.memory_bytes += bytes;
                     trial.fleet.enlarge(group, larger, bytes);
                   });
}

Found hear_of_it(const Missed& missed) {
  const Roster& roster = missed.question.roster;
  std::vector<DeviceIndex> devices = devices_of(missed);
  std::set<std::string> hosts;
  for (const DeviceIndex device : devices) {
    hosts.insert(roster.hosts()[roster.devices().host[device]].hello.host);
  }
  const std::string words = fmt::format("a sample of {}", fmt::join(hosts, ", "));
  return change_of(0, words, [devices = std::move(devices)](Trial& trial) {
    for (const DeviceIndex device : devices) trial.fleet.hear(trial.now, device);
  });
}

Found cool_down(const Missed& missed) {
  return change_of(0, "a cooler device", [devices = devices_of(missed)](Trial& trial) {
    for (const DeviceIndex device : devices) trial.fleet.clear(device, condition_hot);
  });
}

Found try_again(const Missed& missed) {
  const std::string target = target_text(missed.question.roster, missed.rows, missed.row);
  if (missed.question.ask.avoid.contains(target)) {
    Change change = change_of(0, "the end of its back-off there",
                              [target](Trial& trial) { trial.ask.avoid.erase(target); });
    change.by_itself = true;
    return change;
  }
  if (missed.rows.spread_of(missed.row) != nullptr) return std::nullopt;
  Change change =
      change_of(0, "the place tried again",
                [replica = missed.rows.replica[missed.row], group = missed.rows.group[missed.row]](
                    Trial& trial) { trial.fleet.trust(replica, group); });
  change.by_itself = true;
  return change;
}

/// A replica's own state.
Found resume_replica(const Missed& missed) {
  const Roster& roster = missed.question.roster;
  const ReplicaIndex replica = missed.rows.replica[missed.row];
  if (replica == nowhere) return std::nullopt;
  const ReplicaEntry& entry = roster.replicas()[replica];
  const bool leaves = entry.retiring || entry.facts.state == ReplicaState::draining;
  if (leaves || roster.hosts()[entry.host].draining) return std::nullopt;
  std::set<DeviceIndex> drained;
  roster.each_device(entry, [&](DeviceIndex device) {
    if ((roster.devices().condition[device] & condition_drained) != 0) drained.insert(device);
  });
  return change_of(0, resume_words(roster, drained),
                   [drained](Trial& trial) { resume(drained, trial); });
}

Found mend_replica(const Missed& missed) {
  const Roster& roster = missed.question.roster;
  const ReplicaIndex replica = missed.rows.replica[missed.row];
  if (replica == nowhere) return std::nullopt;
  const ReplicaEntry& entry = roster.replicas()[replica];
  std::set<DeviceIndex> unusable;
  roster.each_device(entry, [&](DeviceIndex device) {
    if ((roster.devices().condition[device] & condition_unusable) != 0) unusable.insert(device);
  });
  std::set<HostIndex> silent;
  if (roster.hosts()[entry.host].health != Health::ok) silent.insert(entry.host);
  return change_of(0, mend_words(roster, unusable, silent),
                   [unusable, silent](Trial& trial) { mend(unusable, silent, trial); });
}

}  // namespace drover::router
