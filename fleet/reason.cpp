#include "fleet/reason.h"

#include <array>

#include "fleet/base/result.h"

namespace drover {
namespace {

constexpr std::array<ReasonFacts, reason_count> table{{
    {Reason::memory, "memory", true, "The model or its cache does not fit in the memory there."},
    {Reason::precision, "precision", true,
     "No precision that the job accepts is supported and allowed there."},
    {Reason::op_unsupported, "op_unsupported", true,
     "The device cannot run a special operation that the job needs."},
    {Reason::framework, "framework", true, "The job's framework does not run there."},
    {Reason::topology, "topology", true,
     "No group there has enough devices in the shape that the job needs."},
    {Reason::tenancy, "tenancy", false, "The tenant already uses its share of the devices."},
    {Reason::context, "context", true,
     "The request is longer than the model's or the replica's context."},
    {Reason::policy, "policy", true, "The policy does not send such work there."},
    {Reason::capacity, "capacity", false, "Nothing suitable is free there."},
    {Reason::queue_slo, "queue_slo", false, "The wait there would break the rule's latency goal."},
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
    {Reason::data, "data", true, "The job's data is too far away from there."},
}};

constexpr bool in_order_of_enumerators() {
  for (std::size_t index = 0; index < table.size(); ++index) {
    if (static_cast<std::size_t>(table[index].reason) != index) return false;
  }
  return true;
}
static_assert(in_order_of_enumerators());

}  // namespace

const ReasonFacts& facts(Reason reason) {
  const auto index = static_cast<std::size_t>(reason);
  DROVER_REQUIRE(index < table.size());
  return table[index];
}

std::string_view to_text(Reason reason) { return facts(reason).name; }

std::optional<Reason> parse_reason(std::string_view text) {
  for (const ReasonFacts& row : table) {
    if (row.name == text) return row.reason;
  }
  return std::nullopt;
}

bool is_permanent(Reason reason) { return facts(reason).permanent; }

}  // namespace drover
