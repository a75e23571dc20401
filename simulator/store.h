// The ledger's disk in a simulated fleet: commits take time, and a crash loses what was not
// committed.
#pragma once

#include <cstdint>
#include <deque>
#include <optional>
#include <vector>

#include "fleet/base/dice.h"
#include "fleet/base/time.h"
#include "fleet/outbox.h"

namespace drover::simulator {

class Store {
 public:
  Store(Dice dice, Duration commit_min, Duration commit_max);

  /// Starts a commit when none runs; answers when the running commit ends.
  std::optional<Instant> append(Instant now, std::vector<Write> writes);
  /// The running commit has ended: the highest sequence on disk now, and when the next commit, of
  /// all that gathered meanwhile, ends.
  struct Done {
    std::uint64_t sequence = 0;
    std::optional<Instant> next;
  };
  Done finish_commit(Instant now);
  /// The process dies: the running commit and all that waits are lost.
  void crash();

  const std::vector<LedgerRow>& rows() const { return rows_; }

 private:
  Instant draw_end(Instant now);

  Dice dice_;
  Duration commit_min_;
  Duration commit_max_;
  std::vector<LedgerRow> rows_;
  std::vector<Write> committing_;
  std::vector<Write> gathered_;
};

}  // namespace drover::simulator
