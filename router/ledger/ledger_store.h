// The ledger on disk: one SQLite file, WAL, synchronous=FULL, one connection on one thread
// (ledger_store_tables.h). One router per file is kept by a lock of our own (ledger_store_file.h),
// because SQLite's exclusive locking would shut readers out.
//
// The store's thread commits all that has gathered, at once and again, without a timer; between
// commits it lets a slice of old rows go. A full disk is waited for: what is not on disk is tried
// again and not acknowledged meanwhile. After any other failed commit nothing is acknowledged and
// the program stops: a restart reads what is on disk.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "fleet/base/result.h"
#include "fleet/outbox.h"
#include "router/ledger/ledger_compactor.h"
#include "router/ledger/ledger_log.h"

namespace drover::router {

class LedgerStore {
 public:
  /// Opens or makes the file, takes an exclusive lock ("another router uses it"; one per file,
  /// whatever the path), checks the schema version and its integrity. Without a compactor every row
  /// stays.
  static Result<std::unique_ptr<LedgerStore>> open(
      const std::string& path, std::unique_ptr<LedgerCompactor> compactor = nullptr,
      const LedgerLogLimits& log_limits = {});
  virtual ~LedgerStore() = default;

  /// The file itself, where all symbolic links of the path lead.
  virtual const std::string& path() const = 0;
  /// The newest row's time when the file was opened; nothing: the ledger is new.
  virtual std::optional<Instant> last_at() const = 0;

  /// All rows, oldest first: what jobs that have gone come to, they themselves as far as they are
  /// known, then the transitions. Ends with the visitor's error. With a compactor, once and before
  /// the first append.
  using Visitor = std::function<Status(const LedgerRow& row)>;
  virtual Status read(const Visitor& visit) = 0;
  Result<std::vector<LedgerRow>> rows();

  /// Queues writes; returns at once, however many wait. REQUIRES growing sequences.
  virtual void append(std::vector<Write> writes) = 0;
  /// The highest sequence on disk. `ready_descriptor()` can be read when it, or `full`, has
  /// changed.
  virtual std::uint64_t committed() = 0;
  virtual int ready_descriptor() const = 0;
  /// There is no room on the disk: nothing is acknowledged until there is.
  virtual bool full() const = 0;
  /// How long the log beside the file is. `full()` while that is too long for more.
  virtual LedgerLog log() const = 0;
  /// After a failed commit: why. Nothing more is written.
  virtual Status failure() const = 0;
  /// Waits until all appended writes are on disk; not for room on a full one, which is an error.
  virtual Status flush() = 0;
};

}  // namespace drover::router
