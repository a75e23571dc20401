// The spec that a real board registers with.
#pragma once

#include <optional>
#include <string>

#include "agents/watch/reading.h"
#include "devices/catalogue/catalogue.h"

namespace drover::agents {

/// What a reading says of the model.
struct SpecFacts {
  std::string name;  // as the driver or exporter says
  DeviceClass device_class = DeviceClass::gpu;
  std::string vendor;
  std::optional<double> memory_bytes;
  std::optional<double> power_cap_default_w, power_cap_min_w;
  std::optional<double> slowdown_c;
  bool caps = false;  // its power cap may be set
  bool operator==(const SpecFacts&) const = default;
};
SpecFacts spec_facts_of(const BoardReading& reading, bool control);

/// The catalogue's spec of a board that it knows, with what the driver says in its place; else only
/// what the driver says. An unknown board's id is its name in small letters, such as
/// "nvidia-geforce-gt-710".
devices::DeviceSpec spec_of(const SpecFacts& facts, const devices::Catalogue& catalogue);

}  // namespace drover::agents
