// This very program as something to send to a host: itself, the libraries that it has loaded
// beyond the C library's own, and what it needs there.
#pragma once

#include <string>

#include "agents/launch/order.h"
#include "fleet/base/result.h"

namespace drover::commands {

struct Cargo {
  launch::Needs needs;
  std::string tar;  // drover, lib/.., whole
};

/// Without `packed` only what a host is compared with; the tar stays empty.
Result<Cargo> pack_cargo(bool packed);

}  // namespace drover::commands
