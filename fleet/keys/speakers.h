// Who sends a message: one table, by kind. What the role of a key may send (fleet/keys/keys.h) and
// what the role of a connection may send (router/health/peers.h) both follow from it; docs/keys.md
// shows it.
#pragma once

#include <cstdint>

#include "fleet/messages.h"

namespace drover {

enum class Speaker : std::uint8_t {
  nobody,         // only the router sends it
  anyone,         // whoever connects
  agent,          // on the control door
  sampler,        // an agent, on the samples door
  asker,          // a client or a viewer: it changes nothing
  submitter,      // a client that brings work
  administrator,  // a client that changes the fleet
};

Speaker speaker_of(const Message& message);

}  // namespace drover
