// What the ledger's store asks about its rows: which may go, and what stays instead of them. The
// answers are router/ledger/ledger_compaction.h's; the store knows no payload.
#pragma once

#include <cstdint>
#include <vector>

#include "fleet/base/result.h"
#include "fleet/outbox.h"

namespace drover::router {

struct NumberedRow {
  std::int64_t sequence = 0;
  LedgerRow row;
};

/// One step of compaction; the store takes it whole or not at all.
struct CompactionSlice {
  std::vector<std::int64_t> dropped;  // sequences of transitions that go, growing
  std::vector<LedgerRow> known;       // what is kept of the jobs that go, in order of their ends
  LedgerRow sums;                     // of everything that has gone up to here
};

class LedgerCompactor {
 public:
  virtual ~LedgerCompactor() = default;

  /// Every row of the ledger, in order: what is there when the file is opened, then what is
  /// written.
  virtual void see(std::int64_t sequence, const LedgerRow& row) = 0;
  /// Whether there is anything to let go: then the store reads on from `next()`.
  virtual bool due() const = 0;
  virtual std::int64_t next() const = 0;
  /// The next rows from `next()` on; no more are taken than are due.
  virtual Result<CompactionSlice> take(const std::vector<NumberedRow>& rows) = 0;
  /// So many `known` rows are kept, the last ones.
  virtual std::int64_t known_kept() const = 0;
};

}  // namespace drover::router
