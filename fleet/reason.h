// Why a candidate was passed over, a fallback fired, or a job was refused or failed. The closed set
// of the policy language (docs/protocol.md lists it); each is permanent (trying the same place
// again cannot help) or transient.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

namespace drover {

enum class Reason : std::uint8_t {
  // permanent for this job on this place
  memory,
  precision,
  op_unsupported,
  framework,
  topology,
  tenancy,
  context,
  policy,
  // transient
  capacity,
  queue_slo,
  deadline,
  unhealthy,
  cooldown,
  drain,
  power_cap,
  thermal,
  budget,
  preempted,
  stale_telemetry,
  // ends of jobs that no place caused
  invalid,
  ended,
  cancelled,
  retries,
  // permanent as well; the newest reason has the last number
  data,
};
inline constexpr int reason_count = 24;

struct ReasonFacts {
  Reason reason;
  std::string_view name;
  bool permanent;
  std::string_view meaning;  // one sentence for people
};

const ReasonFacts& facts(Reason reason);
std::string_view to_text(Reason reason);
std::optional<Reason> parse_reason(std::string_view text);
bool is_permanent(Reason reason);

}  // namespace drover
