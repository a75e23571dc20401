// Rows of the fleet's tables.
#pragma once

#include <cstdint>

namespace drover::router {

using HostIndex = std::uint32_t;
using DeviceIndex = std::uint32_t;  // stable until the host's groups change or it is forgotten
using GroupIndex = std::uint32_t;
using ReplicaIndex = std::uint32_t;
inline constexpr std::uint32_t no_index = 0xffffffff;

/// Devices from `first` to before `last`.
struct DeviceRange {
  struct Position {
    DeviceIndex device;
    DeviceIndex operator*() const { return device; }
    Position& operator++() {
      ++device;
      return *this;
    }
    bool operator!=(const Position& other) const { return device != other.device; }
  };
  Position begin() const { return {first}; }
  Position end() const { return {last}; }
  DeviceIndex first = 0;
  DeviceIndex last = 0;
};

}  // namespace drover::router
