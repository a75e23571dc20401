// What the pause of a replica is to the requests there.
#pragma once

#include "fleet/messages.h"

namespace drover {

/// While it reads a prompt the others stand still, and nobody is told whose prompt it is: so of no
/// request it is said that it does.
inline Pause pause_of_requests(const Replica& replica) {
  return replica.pause == Pause::prefill ? Pause::none : replica.pause;
}

}  // namespace drover
