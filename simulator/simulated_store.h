// The ledger's disk in a simulated fleet: commits take time, and a crash loses uncommitted writes.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "fleet/base/random_stream.h"
#include "fleet/base/time.h"
#include "fleet/outbox.h"

namespace drover::simulator {

class SimulatedStore {
 public:
  SimulatedStore(RandomStream random, Duration commit_min, Duration commit_max);

  /// Starts a commit if none runs; returns when the running commit ends.
  std::optional<Instant> append(Instant now, std::vector<Write> writes);
  /// Ends the running commit. Returns the highest sequence on disk, and when the next commit, of
  /// all writes gathered meanwhile, ends.
  struct Done {
    std::uint64_t sequence = 0;
    std::optional<Instant> next;
  };
  Done finish_commit(Instant now);
  /// The process dies: the running commit and all gathered writes are lost.
  void crash();

  const std::vector<LedgerRow>& rows() const { return rows_; }

 private:
  Instant draw_end(Instant now);

  RandomStream random_;
  Duration commit_min_;
  Duration commit_max_;
  std::vector<LedgerRow> rows_;
  std::vector<Write> committing_;
  std::vector<Write> gathered_;
};

}  // namespace drover::simulator
