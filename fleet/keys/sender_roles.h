// Who may send each kind of message: one table. The permissions of a key's role (fleet/keys/keys.h)
// and of a connection's role (router/health/connection_table.h) both follow from it.
// docs/connection-keys.md lists it.
#pragma once

#include <cstdint>

#include "fleet/messages.h"

namespace drover {

enum class SenderRole : std::uint8_t {
  nobody,         // only the router sends it
  anyone,         // every peer
  agent,          // an agent, on the control channel
  sampler,        // an agent, on the samples channel
  reader,         // a client or viewer that only reads
  submitter,      // a client that submits jobs
  administrator,  // a client that changes the fleet
};

SenderRole sender_role_of(const Message& message);

}  // namespace drover
