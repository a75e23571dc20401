// The ledger on disk: one SQLite file, WAL, synchronous=FULL, one connection on one thread
// (router/ledger/store_tables.h). A lock of our own (router/ledger/store_file.h) allows one router
// per file, because SQLite's exclusive locking would shut out readers.
//
// The store's thread commits all queued rows at once and repeats, without a timer; between commits
// it compacts a slice of old rows. When the disk is full it waits and retries, and acknowledges
// nothing meanwhile. After any other failed commit nothing is acknowledged and the program stops:
// a restart reads what is on disk.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "fleet/base/result.h"
#include "fleet/outbox.h"
#include "router/ledger/compactor.h"
#include "router/ledger/wal.h"

namespace drover::router {

class LedgerStore {
 public:
  /// Opens or creates the file, takes an exclusive lock ("another router uses it"; one per file,
  /// whatever the path), checks schema version and integrity. Without a compactor all rows are
  /// kept.
  static Result<std::unique_ptr<LedgerStore>> open(
      const std::string& path, std::unique_ptr<LedgerCompactor> compactor = nullptr,
      const WalLimits& log_limits = {});
  virtual ~LedgerStore() = default;

  /// The file itself, with symbolic links resolved.
  virtual const std::string& path() const = 0;
  /// Time of the newest row when the file was opened; nothing: the ledger is new.
  virtual std::optional<Instant> last_at() const = 0;

  /// Reads all rows, oldest first: totals of compacted jobs, their known ids, then the
  /// transitions. Stops with the visitor's error. With a compactor, call it once, before the first
  /// append.
  using Visitor = std::function<Status(const LedgerRow& row)>;
  virtual Status read(const Visitor& visit) = 0;
  Result<std::vector<LedgerRow>> rows();

  /// Queues writes and returns at once. REQUIRES increasing sequences.
  virtual void append(std::vector<Write> writes) = 0;
  /// The highest sequence on disk. `ready_descriptor()` becomes readable when this or `full` has
  /// changed.
  virtual std::uint64_t committed() = 0;
  virtual int ready_descriptor() const = 0;
  /// Whether the disk is full: nothing is acknowledged meanwhile.
  virtual bool full() const = 0;
  /// Length of the log beside the file. `full()` is true while it is too long.
  virtual WalState log() const = 0;
  /// The error of a failed commit; after it nothing is written.
  virtual Status failure() const = 0;
  /// Waits until all appended writes are on disk; on a full disk it returns an error instead.
  virtual Status flush() = 0;
};

}  // namespace drover::router
