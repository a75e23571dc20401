// The stages that a write passes on its way to disk, and a way to die at one of them.
//
// For tests: DROVER_FAIL_AT="ledger.before_commit:17" lets a router kill itself (SIGKILL: nothing
// is flushed, nothing tidied up) when it passes that stage for the 17th time. Stages are passed
// once a commit, never once a row; without the variable each costs one comparison.
#pragma once

#include <cstdint>

#include "fleet/base/result.h"

namespace drover::router {

enum class LedgerStage : std::uint8_t {
  before_writes,             // ledger.before_writes: rows are waiting, the transaction begins
  before_commit,             // ledger.before_commit: the rows are in the transaction
  after_commit,              // ledger.after_commit: on disk, and nobody knows yet
  after_acknowledgement,     // ledger.after_acknowledgement: whoever waited for it has been told
  before_compaction,         // compaction.before_writes
  before_compaction_commit,  // compaction.before_commit
  after_compaction,          // compaction.after_commit
};

/// What DROVER_FAIL_AT says; null or empty: nothing dies. Called once, before any stage is passed.
/// The error names what was found and expected.
Status fail_at(const char* text);

void pass(LedgerStage stage);

}  // namespace drover::router
