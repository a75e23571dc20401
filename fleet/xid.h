// The NVIDIA Xids that are most frequent in fleets: their meaning and their effect on the device.
//
// Source: NVIDIA, "Analyzing Xid Errors with the Xid Catalog"
// (docs.nvidia.com/deploy/xid-errors/analyzing-xid-catalog.html) and "Xid Errors", paraphrased.
#pragma once

#include <cstdint>
#include <string>

#include "fleet/fault.h"

namespace drover {

enum class XidEffect : std::uint8_t {
  none,        // reported only; work continues
  work_fails,  // the processes on the device end; new ones may start
  reset,       // the device is unusable until it is reset
  off_bus,     // the device is unusable and invisible until it is reset
};

/// The effect of an Xid; `none` for an unknown one.
XidEffect effect_of_xid(std::uint32_t number);
/// Whether the device can run new work right after the Xid.
bool clears_immediately(std::uint32_t number);
inline bool clears_immediately(const Fault& fault) {
  return fault.kind == FaultKind::xid && clears_immediately(fault.code);
}
/// "Xid 79: GPU has fallen off the bus".
std::string xid_text(std::uint32_t number);

}  // namespace drover
