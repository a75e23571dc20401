// Faults that a person may inject into emulated devices, in words and as values.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "fleet/base/result.h"
#include "fleet/base/time.h"

namespace drover {

enum class FaultKind : std::uint8_t {
  throttle,   // the hardware slows its clock, as for a power brake
  hang,       // it looks busy and gets nothing done
  xid,        // the driver reports an NVIDIA Xid; GPUs only
  ecc,        // uncorrectable memory errors: what runs there fails, and new work must keep away
  lose,       // it falls off the bus; of a TPU slice all chips, of a host its agent
  slow_link,  // the fast interconnect of its group carries less
  inlet,      // the air that the host draws in is warmer
  fan,        // the host's fans move less air
  reclaim,    // its cloud takes a spot host back, after a notice
};
inline constexpr int fault_kind_count = 9;

/// A fault and how long it lasts, from when the agent hears of it; of a reclaim, how long the host
/// is away once the notice is over.
struct Fault {
  FaultKind kind = FaultKind::throttle;
  std::uint32_t code = 0;  // xid: its number
  double amount = 0;  // throttle: share of the nominal clock; slow_link: share of the bandwidth
                      // that is left; inlet: degrees more; fan: share of the air; reclaim: seconds
                      // of notice
  Duration lasts{};   // fleet time
  bool operator==(const Fault&) const = default;
};

/// Until it is over, from when the agent hears of it.
Duration whole_span(const Fault& fault);

std::string_view to_text(FaultKind kind);
/// As people write it: "throttle=0.5", "hang", "xid=79", "ecc", "lose", "slow-link=0.1",
/// "inlet=+10C", "fan=0.5", "reclaim=120". Without its duration.
std::string to_text(const Fault& fault);
/// The same, read: throttle, slow-link and fan take a share above 0 and below 1 (0.5, 0.1 and 0.5
/// when left out), inlet takes degrees from -30 to +60, xid a number from 1 to 999, reclaim a
/// notice from 1 s to a week of fleet time, in seconds where it has no unit (120 when left out).
Result<Fault> parse_fault(std::string_view text);

}  // namespace drover
