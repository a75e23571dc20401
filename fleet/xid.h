// NVIDIA's Xids that fleets see most: what the driver says, and what becomes of the device.
//
// Numbers and meanings: NVIDIA, "Analyzing Xid Errors with the Xid Catalog"
// (docs.nvidia.com/deploy/xid-errors/analyzing-xid-catalog.html) and "Xid Errors", in our words.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>

#include "fleet/fault.h"

namespace drover {

enum class XidEffect : std::uint8_t {
  none,        // reported, the work goes on
  work_fails,  // the processes on the device end, new ones may start
  reset,       // unusable until it is reset
  off_bus,     // unusable and not to be seen until it is reset
};

struct XidFacts {
  std::uint32_t number;
  XidEffect effect;
  std::string_view meaning;
};

/// Those we know, in the order of their numbers.
std::span<const XidFacts> known_xids();
/// Of one that we do not know nothing follows.
XidEffect effect_of_xid(std::uint32_t number);
/// Nothing of it lasts: the device goes on, or new work may start on it at once.
bool over_at_once(std::uint32_t number);
inline bool over_at_once(const Fault& fault) {
  return fault.kind == FaultKind::xid && over_at_once(fault.code);
}
/// "Xid 79: GPU has fallen off the bus".
std::string xid_text(std::uint32_t number);

}  // namespace drover
