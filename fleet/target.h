// The target of an action: a device, a host, a rack, a pool, or the whole site.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "fleet/base/result.h"

namespace drover {

enum class TargetKind : std::uint8_t { device, host, rack, pool, site };

struct Target {
  TargetKind kind = TargetKind::site;
  std::string name;          // of the host, rack or pool; empty for the site
  std::uint16_t device = 0;  // index within the host
  bool operator==(const Target&) const = default;
};

/// "device:h100-1/3", "host:h100-1", "rack:rack-a", "pool:v5e", "site".
std::string to_text(const Target& target);
/// Parses that text. "h100-1/3" alone is a device, "all" is the site.
Result<Target> parse_target(std::string_view text);

}  // namespace drover
