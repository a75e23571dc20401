// What a model says at one moment, kept small: columns of a few metrics, the states of hosts and
// devices, raised alerts and the router's sums. Two of them can be compared long after both models
// have gone.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "fleet/base/time.h"
#include "fleet/messages.h"
#include "fleet/sample/sample.h"
#include "tui/model/model.h"

namespace drover::tui {

/// A metric of devices whose changes are compared.
struct ComparedReading {
  Metric metric;
  std::string_view name;
  double least;  // a smaller change is none
};
inline constexpr std::array<ComparedReading, 4> compared_readings = {{
    {Metric::utilization, "utilization", 0.005},
    {Metric::power, "power", 1},
    {Metric::temperature, "temperature", 0.5},
    {Metric::memory_used, "memory used", 1024.0 * 1024},
}};

/// The state of a device, a bit each.
enum DeviceBit : std::uint8_t {
  device_sampled = 1,  // its last sample is current: only then its readings are known
  device_throttled = 2,
  device_unusable = 4,
  device_drained = 8,
  device_faulty = 16,
};

struct MomentHost {
  std::string name;
  Health health = Health::ok;
  std::uint32_t first = 0, count = 0;  // its rows, in the order of the devices' indexes
  std::uint32_t end() const { return first + count; }
};

struct MomentAlert {
  AlertKey key;
  Severity severity = Severity::warning;
};

struct MomentSnapshot {
  Instant at{};
  std::vector<MomentHost> hosts;  // in the order of their names
  // A row for each device.
  std::vector<std::uint16_t> index;
  std::vector<std::uint8_t> bits;                                     // of DeviceBit
  std::array<std::vector<float>, compared_readings.size()> readings;  // NaN: not known
  std::vector<MomentAlert> alerts;  // raised ones, in the order of their keys
  std::optional<Summary> sums;      // of the router; none: not yet known

  /// Its memory without the texts, bytes.
  std::size_t bytes() const;
};

MomentSnapshot moment_of(const Model& model, Instant at);

}  // namespace drover::tui
