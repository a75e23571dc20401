// Plans a host from the agent's settings, and checks these.
#include <array>
#include <cmath>

#include "agents/agent_state.h"
#include "agents/execution/replica.h"
#include "fleet/base/text.h"
#include "fleet/base/units.h"

namespace drover::agents {
namespace {

/// A slice without a given topology takes the squarest one: 8 is 2x4.
std::string squarest(int count) {
  int side = 1;
  for (int divisor = 1; divisor * divisor <= count; ++divisor) {
    if (count % divisor == 0) side = divisor;
  }
  return fmt::format("{}x{}", side, count / side);
}

/// As written in a list: "9", "0-3".
std::string range_text(std::size_t first, std::size_t last) {
  return first == last ? fmt::format("{}", first) : fmt::format("{}-{}", first, last);
}

/// The best native one of bf16, fp16, fp32.
Precision default_precision(const devices::DeviceSpec& device) {
  for (const Precision precision : {Precision::bf16, Precision::fp16}) {
    if (device.runs(precision)) return precision;
  }
  return Precision::fp32;
}

Result<HostPlan> plan_devices(const AgentSettings& settings, const devices::Catalogue& catalogue) {
  HostPlan plan;
  for (const GroupRequest& request : settings.groups) {
    const auto entry = catalogue.device(request.device);
    if (!entry.ok()) return entry.error();
    if (request.count == 0) return error("devices {}: no devices in this group", request.device);
    const devices::DeviceSpec& spec = (*entry)->spec;
    Group group;
    group.number = static_cast<std::uint16_t>(plan.groups.size());
    group.first = static_cast<std::uint16_t>(plan.devices.size());
    group.count = request.count;
    group.device = spec.id;
    group.topology = request.topology;
    if (group.topology.empty() && spec.device_class == DeviceClass::tpu) {
      group.topology = squarest(request.count);
    }
    plan.devices.insert(plan.devices.end(), request.count, {&spec, group.number});
    plan.groups.push_back(std::move(group));
    bool known = false;
    for (const SpecText& text : plan.specs) known = known || text.id == spec.id;
    if (!known) plan.specs.push_back({spec.id, (*entry)->text});
  }
  return plan;
}

Status plan_replica(const ReplicaRequest& request, const devices::Catalogue& catalogue,
                    std::vector<bool>& taken, HostPlan& plan) {
  const auto entry = catalogue.model(request.model);
  if (!entry.ok()) return entry.error();
  const std::string place =
      fmt::format("replica {}:{}", request.model, range_text(request.first, request.last));
  if (request.first > request.last || request.last >= plan.devices.size()) {
    return error("{}: the host has devices {}", place, range_text(0, plan.devices.size() - 1));
  }
  const Executor::Device& first = plan.devices[request.first];
  PlannedReplica replica;
  replica.model = &(*entry)->spec;
  replica.start.number = static_cast<std::uint32_t>(plan.replicas.size());
  replica.start.model = request.model;
  replica.start.precision = request.precision.value_or(default_precision(*first.spec));
  for (std::uint16_t device = request.first; device <= request.last; ++device) {
    if (plan.devices[device].group != first.group) {
      return error("{}: devices {} and {} are in different groups", place, request.first, device);
    }
    if (taken[device]) return error("{}: device {} holds another replica", place, device);
    taken[device] = true;
    replica.start.devices.push_back(device);
  }
  const devices::Placement placement{first.spec, static_cast<int>(replica.start.devices.size()),
                                     replica.start.precision};
  if (const auto refusal = refuse_serving(placement, *replica.model)) {
    return error("{}: {}: {}", place, to_text(refusal->reason), refusal->detail);
  }
  plan.replicas.push_back(std::move(replica));
  return {};
}

Result<HostPlan> try_plan(const AgentSettings& settings, const devices::Catalogue& catalogue) {
  auto plan = plan_devices(settings, catalogue);
  if (!plan.ok()) return plan;
  if (plan->devices.empty()) return error("devices: a host has at least one");
  std::vector<bool> taken(plan->devices.size(), false);
  for (const ReplicaRequest& request : settings.replicas) {
    if (Status status = plan_replica(request, catalogue, taken, *plan); !status.ok()) {
      return status.error();
    }
  }
  return plan;
}

}  // namespace

HostPlan plan_host(const AgentSettings& settings, const devices::Catalogue& catalogue) {
  auto plan = try_plan(settings, catalogue);
  DROVER_REQUIRE(plan.ok());
  return std::move(*plan);
}

Status Agent::check(const AgentSettings& settings, const devices::Catalogue& catalogue) {
  const std::array<std::pair<const char*, const std::string*>, 3> names{
      {{"host", &settings.host}, {"rack", &settings.rack}, {"site", &settings.site}}};
  for (const auto& [what, name] : names) {
    if (!is_name(*name)) {
      return error("{} `{}`: expected 1 to 64 letters, digits and ._:-", what, printable(*name));
    }
  }
  for (const auto& [key, value] : settings.labels) {
    if (!is_name(key) || !is_name(value)) {
      return error("label `{}={}`: expected 1 to 64 letters, digits and ._:- on both sides",
                   printable(key), printable(value));
    }
  }
  if (!std::isfinite(settings.ambient_c) || settings.ambient_c < ambient_min_c ||
      settings.ambient_c > ambient_max_c) {
    return error("ambient: found {} C, expected {}..{} C", settings.ambient_c, ambient_min_c,
                 ambient_max_c);
  }
  if (settings.sample_every.count() <= 0) return error("rate: expected more than 0 per second");
  const auto plan = try_plan(settings, catalogue);
  if (!plan.ok()) return plan.error();
  return {};
}

}  // namespace drover::agents
