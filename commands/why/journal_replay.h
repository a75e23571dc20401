// Reproduces the decisions of a router that has ended: a fresh core receives the inputs in the
// journal and must produce the router's output, bit for bit.
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
    std::uint64_t router_runs = 0;
    std::uint64_t inputs = 0;
    std::uint64_t decisions = 0;
    std::uint64_t reproduced_turns = 0;  // turns with output, the same as the router's
  };

  /// The catalogue must outlive the replay.
  explicit JournalReplay(const devices::Catalogue& catalogue) : catalogue_(catalogue) {}

  /// Applies the next record. An error if the record cannot follow, or if the core's output at the
  /// turn before differs from the router's: another version of drover, another catalogue, or a
  /// changed journal.
  Status feed(const JournalRecord& record);
  /// Call it before querying the router: it finishes the restore from the ledger's rows.
  Status settle();
  /// The core's output at the turn that `feed` has just ended; empty after other records.
  const Outbox& outbox() const { return outbox_; }

  /// The core; null before the first start.
  router::Router* router() { return router_.get(); }
  /// The time of the last record.
  Instant now() const { return now_; }
  const Counts& counts() const { return counts_; }

 private:
  Status begin(const JournalStart& start);
  Status restore(const JournalRestore& rows);
  Status input(const JournalRecord& record);
  void turn(const JournalTick& tick);
  Status compare(const JournalOutboxDigest* recorded);

  const devices::Catalogue& catalogue_;
  std::unique_ptr<router::Router> router_;
  Outbox outbox_;
  bool restoring_ = false;                         // rows of the ledger may follow
  std::optional<JournalOutboxDigest> uncompared_;  // of this core's last output
  Instant now_{};
  Counts counts_;
};

/// The time of the record; no value if it has none.
std::optional<Instant> time_of(const JournalRecord& record);

}  // namespace drover::commands
