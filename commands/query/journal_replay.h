// The decisions of a router that ended, made again: a fresh core is fed the journal of its inputs,
// and must say what the router said, bit for bit.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>

#include "devices/catalogue/catalogue.h"
#include "fleet/base/result.h"
#include "fleet/codec/journal.h"
#include "router/router.h"

namespace drover::commands {

class JournalReplay {
 public:
  struct Counts {
    std::uint64_t lives = 0;  // of the router
    std::uint64_t inputs = 0;
    std::uint64_t decisions = 0;
    std::uint64_t said = 0;  // turns at which the router said something, and this core the same
  };

  /// The catalogue must outlive it.
  explicit JournalReplay(const devices::Catalogue& catalogue) : catalogue_(catalogue) {}

  /// The next record. An error when it cannot follow, and when this core said at the turn before
  /// what the router did not say: another version of drover, another catalogue, a changed journal.
  Status feed(const JournalRecord& record);
  /// Before the router is asked: the rows of the ledger have all been fed, if any were.
  Status settle();
  /// What the core said at the turn that `feed` has just ended; empty after other records.
  const Outbox& outbox() const { return outbox_; }

  /// The core as it is now; nothing before the first start.
  router::Router* router() { return router_.get(); }
  /// The time of the last record.
  Instant now() const { return now_; }
  const Counts& counts() const { return counts_; }

 private:
  Status begin(const JournalStart& start);
  Status restore(const JournalRestore& rows);
  Status input(const JournalRecord& record);
  void turn(const JournalTick& tick);
  Status compare(const JournalSaid* said);

  const devices::Catalogue& catalogue_;
  std::unique_ptr<router::Router> router_;
  Outbox outbox_;
  bool restoring_ = false;              // rows of the ledger may follow
  std::optional<JournalSaid> unheard_;  // said by this core, and not yet compared
  Instant now_{};
  Counts counts_;
};

/// When the record happened; nothing of those that say no time.
std::optional<Instant> time_of(const JournalRecord& record);

}  // namespace drover::commands
