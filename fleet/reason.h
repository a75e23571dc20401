// Why a candidate was rejected, a fallback was used, or a job was refused or failed. The policy
// language has exactly these reasons (docs/protocol.md lists them). With a permanent reason, a
// retry in the same place cannot succeed; with a transient one it can.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

namespace drover {

enum class Reason : std::uint8_t {
  // permanent for this job on this place, except tenancy
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
  // why a job ended, unrelated to a placement
  invalid,
  ended,
  cancelled,
  retries,
  // permanent; the newest reason has the last number
  data,
};
inline constexpr int reason_count = 24;

struct ReasonFacts {
  Reason reason;
  std::string_view name;
  bool permanent;
  std::string_view meaning;  // one sentence for users
};

const ReasonFacts& facts(Reason reason);
std::string_view to_text(Reason reason);
std::optional<Reason> parse_reason(std::string_view text);
bool is_permanent(Reason reason);

}  // namespace drover
