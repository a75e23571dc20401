#include "simulator/placement_validator.h"

#include <algorithm>

#include <fmt/format.h>

#include "devices/serving/performance.h"
#include "devices/training/training.h"
#include "fleet/base/overloaded.h"
#include "fleet/base/text.h"

namespace drover::simulator {
namespace {

template <typename List, typename Value>
bool holds(const List& list, const Value& value) {
  return std::find(list.begin(), list.end(), value) != list.end();
}

using Found = std::vector<std::string>;

void check_precision(const AssignedWork& given, Found& found) {
  const std::string_view precision = to_text(given.precision);
  if (!given.device->runs(given.precision)) {
    found.push_back(fmt::format("{} does not run {}", given.device->id, precision));
  }
  const auto& verified = given.work->precisions;
  if (!verified.empty() && !holds(verified, given.precision) && !given.degraded) {
    found.push_back(fmt::format("{} is none of the job's precisions", precision));
  }
}

void check_software(const AssignedWork& given, Found& found) {
  for (const std::string& op : given.work->ops) {
    if (holds(given.device->missing_ops, op)) {
      found.push_back(fmt::format("{} has no {}", given.device->id, op));
    }
  }
  const std::string& framework = given.work->framework;
  const auto& frameworks = given.device->frameworks;
  if (!framework.empty() && !frameworks.empty() && !holds(frameworks, framework)) {
    found.push_back(fmt::format("{} does not run on {}", framework, given.device->id));
  }
}

void check_shape(const AssignedWork& given, Found& found) {
  const auto& sizes = given.device->slice_sizes;
  const int slice = given.per_host > 0 ? given.per_host : given.devices;
  if (!sizes.empty() && !holds(sizes, slice)) {
    found.push_back(fmt::format("{} has no slices of {}", given.device->id, slice));
  }
}

void check_memory(const AssignedWork& given, Found& found) {
  const devices::Placement placement{given.device, given.devices, given.precision, 1,
                                     given.per_host};
  const Workload& work = *given.work;
  if (work.kind == WorkKind::train) {
    const MeasuredThroughput* tried =
        measured_throughput(work, given.device->id, given.devices, given.per_host > 0);
    if (tried != nullptr && tried->steps_per_s <= 0) {
      found.push_back(
          fmt::format("was tried on {} {} and does not run", given.devices, given.device->id));
    }
    const devices::TrainingShape shape{std::max(1U, work.batch), std::max(1U, work.sequence)};
    if (!devices::fits_training(placement, *given.model, shape)) {
      found.push_back(
          fmt::format("{:.1f} GiB on each of {} {}",
                      devices::training_bytes(placement, *given.model, shape) / (1 << 30),
                      given.devices, given.device->id));
    }
    return;
  }
  const std::uint64_t tokens = std::uint64_t{work.input_tokens} + work.output_tokens;
  const std::uint64_t capacity = devices::kv_capacity_tokens(placement, *given.model);
  if (tokens > capacity) {
    found.push_back(fmt::format("{} tokens beside the weights, {} {} hold {}", tokens,
                                given.devices, given.device->id, capacity));
  }
}

void check_context(const AssignedWork& given, Found& found) {
  const Workload& work = *given.work;
  const std::uint64_t tokens = work.kind == WorkKind::train
                                   ? work.sequence
                                   : std::uint64_t{work.input_tokens} + work.output_tokens;
  const std::uint64_t most = given.model->context_max;
  if (most > 0 && given.model->is_transformer() && tokens > most) {
    found.push_back(
        fmt::format("{} tokens exceed the context of {} ({})", tokens, given.model->id, most));
  }
}

}  // namespace

std::vector<std::string> placement_violations(const AssignedWork& given) {
  DROVER_REQUIRE(given.work != nullptr && given.model != nullptr && given.device != nullptr);
  Found found;
  for (const auto judge :
       {check_precision, check_software, check_shape, check_memory, check_context}) {
    judge(given, found);
  }
  return found;
}

PlacementValidator::PlacementValidator(const std::vector<agents::AgentSettings>& hosts,
                                       const devices::Catalogue& catalogue)
    : catalogue_(catalogue) {
  for (const agents::AgentSettings& host : hosts) {
    std::vector<DeviceSlot>& slots = slots_[host.host];
    for (std::size_t group = 0; group < host.groups.size(); ++group) {
      const auto entry = catalogue.device(host.groups[group].device);
      DROVER_REQUIRE(entry.ok());
      slots.insert(slots.end(), host.groups[group].count, DeviceSlot{&(*entry)->spec, group});
    }
  }
}

void PlacementValidator::published(const Envelope& envelope) {
  std::visit(Overloaded{[&](const ReplicaChanged& changed) {
                          replicas_[to_text(changed.replica.id)] = changed.replica;
                        },
                        [&](const Decision& decision) {
                          if (decision.action == Action::assign)
                            changes_[decision.job] = decision.change;
                        },
                        [](const auto&) {}},
             envelope.body);
}

void PlacementValidator::assigned(const std::string& host, const Assign& assign) {
  ++checked_;
  if (!assign.replica) return check(host, assign, {assign.devices, assign.precision});
  const auto replica = replicas_.find(to_text(ReplicaId{host, *assign.replica}));
  if (replica == replicas_.end()) {
    violations_.push_back(
        fmt::format("{} on {}/r{}: not published", to_text(assign.job.id), host, *assign.replica));
    return;
  }
  check(host, assign, {replica->second.devices, replica->second.precision});
}

void PlacementValidator::check(const std::string& host, const Assign& assign, const Where& where) {
  const std::vector<std::uint16_t>& on = where.devices;
  const auto& slots = slots_.at(host);
  const Job& job = assign.job;
  const auto violate = [&](const std::string& what) {
    violations_.push_back(
        fmt::format("{} on {}/{}: {}", to_text(job.id), host, joined(on, ","), what));
  };
  if (on.empty()) return violate("no devices");
  for (const std::uint16_t device : on) {
    if (device >= slots.size()) return violate("no such device");
    if (slots[device].group != slots[on.front()].group) return violate("devices of two groups");
  }
  // Each host has a part of a multi-host gang.
  std::size_t gang = on.size();
  if (assign.gang) gang = parts_[{job.id, assign.attempt}] += on.size();
  const bool wrong = assign.gang ? gang > job.work.devices : gang != job.work.devices;
  if (job.work.kind == WorkKind::train && wrong) {
    return violate(fmt::format("{} devices, it asks for {}", gang, job.work.devices));
  }
  const auto model = catalogue_.model(job.work.model);
  if (!model) return violate("no such model");
  const auto change = changes_.find(job.id);
  AssignedWork given;
  given.work = &job.work;
  given.model = &(*model)->spec;
  given.device = slots[on.front()].device;
  given.devices = static_cast<int>(assign.gang ? job.work.devices : on.size());
  given.per_host = assign.gang ? assign.gang->per_host : 0;
  given.precision = where.precision;
  given.degraded = change != changes_.end() && change->second.find("degraded") != std::string::npos;
  for (const std::string& what : placement_violations(given)) violate(what);
}

}  // namespace drover::simulator
