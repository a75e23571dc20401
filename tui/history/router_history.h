// The last half hour of a device as the router kept it, as the answer to a question about the time
// before memory.
#pragma once

#include "fleet/messages.h"
#include "tui/history/server_history.h"

namespace drover::tui {

/// A bin of the question that is shorter than those of the reply has the value of the one around
/// it.
HistoryAnswer answer_from(const HistoryQuestion& question, const HistoryReply& reply);

}  // namespace drover::tui
