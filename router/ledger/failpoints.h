// The stages of a write on its way to disk, and a way to kill the process at one of them.
//
// For tests: DROVER_FAIL_AT="ledger.before_commit:17" makes a router kill itself (SIGKILL: nothing
// is flushed or cleaned up) when it passes that stage for the 17th time. A stage is passed once
// per commit, not per row; without the variable it costs one comparison.
#pragma once

#include <cstdint>

#include "fleet/base/result.h"

namespace drover::router {

enum class LedgerFailpoint : std::uint8_t {
  before_writes,             // ledger.before_writes: rows are waiting, the transaction begins
  before_commit,             // ledger.before_commit: the rows are in the transaction
  after_commit,              // ledger.after_commit: on disk, not yet acknowledged
  after_acknowledgement,     // ledger.after_acknowledgement: replies were sent
  before_compaction,         // compaction.before_writes
  before_compaction_commit,  // compaction.before_commit
  after_compaction,          // compaction.after_commit
};

/// Parses the value of DROVER_FAIL_AT; null or empty: no failpoint. Call it once, before any stage
/// is passed. The error gives what was found and expected.
Status arm_failpoint(const char* text);

void pass(LedgerFailpoint stage);

}  // namespace drover::router
