#include "fleet/reason.h"

#include <array>

#include "fleet/base/enum_tables.h"

namespace drover {
namespace {

constexpr std::array<ReasonFacts, reason_count> table{{
    {Reason::memory, "memory", true, "The model or its KV cache does not fit in device memory."},
    {Reason::precision, "precision", true,
     "The job accepts no precision that device and policy allow."},
    {Reason::op_unsupported, "op_unsupported", true,
     "The device cannot run a special operation that the job needs."},
    {Reason::framework, "framework", true, "The device does not support the job's framework."},
    {Reason::topology, "topology", true,
     "No device group has enough devices in the required topology."},
    {Reason::tenancy, "tenancy", false, "The tenant already uses its share of the devices."},
    {Reason::context, "context", true,
     "The request is longer than the model's or the replica's context."},
    {Reason::policy, "policy", true,
     "The policy does not allow this work there, or the device is only watched."},
    {Reason::capacity, "capacity", false, "No suitable device or replica is free."},
    {Reason::queue_slo, "queue_slo", false, "The wait would exceed the rule's latency target."},
    {Reason::deadline, "deadline", false, "The job would miss its deadline there."},
    {Reason::unhealthy, "unhealthy", false, "The host or device is suspect, lost or failing."},
    {Reason::cooldown, "cooldown", false, "The host or device failed recently and is in cooldown."},
    {Reason::drain, "drain", false, "An operator or the router is draining the host or device."},
    {Reason::power_cap, "power_cap", false, "A power limit leaves no room for more work there."},
    {Reason::thermal, "thermal", false, "The device is too hot."},
    {Reason::budget, "budget", false,
     "A limit on cost, retries or the pool's share of jobs is reached for now."},
    {Reason::preempted, "preempted", false, "Work of higher priority took its devices."},
    {Reason::stale_telemetry, "stale_telemetry", false,
     "The last report from the host or device is too old to be trusted."},
    {Reason::invalid, "invalid", true, "The job contradicts itself or names something unknown."},
    {Reason::ended, "ended", true, "The run ended before the job did."},
    {Reason::cancelled, "cancelled", true, "The job was cancelled."},
    {Reason::retries, "retries", true, "Every attempt that the job was allowed has failed."},
    {Reason::data, "data", true, "The device is too far from the job's data."},
}};

static_assert(is_in_order(table, &ReasonFacts::reason));

}  // namespace

const ReasonFacts& facts(Reason reason) { return row_at(table, reason); }

std::string_view to_text(Reason reason) { return facts(reason).name; }

std::optional<Reason> parse_reason(std::string_view text) {
  for (const ReasonFacts& row : table) {
    if (row.name == text) return row.reason;
  }
  return std::nullopt;
}

bool is_permanent(Reason reason) { return facts(reason).permanent; }

}  // namespace drover
