// This program packed for a host: the executable, its libraries except those of the C library, and
// what it requires of the host.
#pragma once

#include <string>

#include "agents/launch/order.h"
#include "fleet/base/result.h"

namespace drover::commands {

struct LaunchPayload {
  launch::Needs needs;
  std::string tar;  // drover, lib/.., whole
};

/// Without `packed` the tar stays empty: the requirements are enough to compare a host with them.
Result<LaunchPayload> build_launch_payload(bool packed);

}  // namespace drover::commands
