// What the ledger store asks about its rows: which may be deleted, and what replaces them.
// Implemented by router/ledger/compaction.h; the store itself does not read payloads.
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "fleet/base/result.h"
#include "fleet/base/time.h"
#include "fleet/outbox.h"

namespace drover::router {

/// How long a ledger keeps ended jobs; see router/ledger/compaction.h.
struct Retention {
  Duration ended_for = std::chrono::hours(7 * 24);  // fleet time
  std::size_t ended_jobs = 100'000;
  std::size_t ids = 4'000'000;
  bool operator==(const Retention&) const = default;
};

struct NumberedRow {
  std::int64_t sequence = 0;
  LedgerRow row;
};

/// One step of compaction; the store applies it as a whole or not at all.
struct CompactionSlice {
  std::vector<std::int64_t> dropped;  // sequences of transitions to delete, ascending
  std::vector<LedgerRow> known;       // rows for the deleted jobs, in order of their ends
  LedgerRow sums;                     // totals of everything deleted so far
};

class LedgerCompactor {
 public:
  virtual ~LedgerCompactor() = default;

  /// Takes every row of the ledger in order: existing rows when the file is opened, then new ones.
  virtual void match(std::int64_t sequence, const LedgerRow& row) = 0;
  /// Whether anything can be deleted: then the store reads on from `next()`.
  virtual bool due() const = 0;
  virtual std::int64_t next() const = 0;
  /// Takes the next rows from `next()` on, at most as many as are due.
  virtual Result<CompactionSlice> take(const std::vector<NumberedRow>& rows) = 0;
  /// The number of `known` rows to keep, the newest ones.
  virtual std::int64_t known_kept() const = 0;
};

}  // namespace drover::router
