// Faults that a user can inject into emulated devices, as values and as text.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "fleet/base/result.h"
#include "fleet/base/time.h"

namespace drover {

enum class FaultKind : std::uint8_t {
  throttle,   // the hardware lowers the clock, as for a power brake
  hang,       // the device appears busy and makes no progress
  xid,        // the driver reports an NVIDIA Xid; GPUs only
  ecc,        // uncorrectable memory errors: running work fails, no new work may start
  lose,       // the device falls off the bus; a TPU slice loses all chips, a host its agent
  slow_link,  // the fast interconnect of the device's group has less bandwidth
  inlet,      // the host's inlet air is warmer
  fan,        // the host's fans move less air
  reclaim,    // the cloud reclaims a spot host after a notice
};
inline constexpr int fault_kind_count = 9;

/// A fault and its duration, which begins when the agent receives it. For a reclaim, the duration
/// is the time for which the host is away after the notice.
struct Fault {
  FaultKind kind = FaultKind::throttle;
  std::uint32_t code = 0;  // xid: its number
  // throttle: share of the nominal clock. slow_link: share of the bandwidth that is left. inlet:
  // degrees added. fan: share of the air flow. reclaim: seconds of notice.
  double amount = 0;
  Duration duration{};  // fleet time
  bool operator==(const Fault&) const = default;
};

/// The time from when the agent receives the fault until it ends, the notice of a reclaim included.
Duration total_duration(const Fault& fault);

std::string_view to_text(FaultKind kind);
/// "throttle=0.5", "hang", "xid=79", "ecc", "lose", "slow-link=0.1", "inlet=+10C", "fan=0.5",
/// "reclaim=120". Without the duration.
std::string to_text(const Fault& fault);
/// Parses that text. throttle, slow-link and fan take a share above 0 and below 1 (0.5, 0.1 and 0.5
/// by default), inlet takes degrees from -30 to +60, xid a number from 1 to 999, reclaim a notice
/// from 1 s to a week of fleet time, in seconds when it has no unit (120 by default).
Result<Fault> parse_fault(std::string_view text);

}  // namespace drover
