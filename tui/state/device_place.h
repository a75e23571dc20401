// Pages that stand in the place of the device view: it leads back to where they were opened.
#pragma once

#include <cstdint>

namespace drover::tui {

enum class DevicePlace : std::uint8_t {
  device,      // the device view itself
  comparison,  // tagged devices
  changes,     // since the marked moment
  topology,    // how the devices of a host are connected
};
inline constexpr int device_place_count = 4;

}  // namespace drover::tui
