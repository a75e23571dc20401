// The ledger on disk: one SQLite file, WAL, synchronous=FULL, one connection on one thread
// (router/ledger/store_tables.h). A lock of our own (router/ledger/store_file.h) allows one router
// per file, because SQLite's exclusive locking would shut out readers.
//
// The store's thread commits all queued rows at once and repeats, without a timer; between commits
// it compacts a slice of old rows. When the disk is full it waits and retries, and acknowledges
// nothing meanwhile. After any other failed commit nothing is acknowledged and the program stops:
// a restart reads what is on disk.
#pragma once

#include <atomic>
#include <condition_variable>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "fleet/base/mutex.h"
#include "fleet/base/result.h"
#include "fleet/outbox.h"
#include "router/ledger/compactor.h"
#include "router/ledger/store_file.h"
#include "router/ledger/store_tables.h"

namespace drover::router {

class LedgerStore {
 public:
  /// Opens or creates the file, takes an exclusive lock ("another router uses it"; one per file,
  /// whatever the path), checks schema version and integrity. Without a compactor all rows are
  /// kept.
  static Result<std::unique_ptr<LedgerStore>> open(
      const std::string& path, std::unique_ptr<LedgerCompactor> compactor = nullptr,
      const WalLimits& log_limits = {});
  ~LedgerStore();

  /// The file itself, with symbolic links resolved.
  const std::string& path() const { return path_; }
  /// Time of the newest row when the file was opened; nothing: the ledger is new.
  std::optional<Instant> last_at() const { return last_at_; }

  /// Reads all rows, oldest first: totals of compacted jobs, their known ids, then the
  /// transitions. Stops with the visitor's error. With a compactor, call it once, before the first
  /// append.
  using Visitor = std::function<Status(const LedgerRow& row)>;
  Status read(const Visitor& visit);

  /// Queues writes and returns at once. REQUIRES increasing sequences.
  void append(std::vector<Write> writes);
  /// The highest sequence on disk. `ready_descriptor()` becomes readable when this or `full` has
  /// changed.
  std::uint64_t committed();
  int ready_descriptor() const { return ready_.number(); }
  /// Whether the disk is full: nothing is acknowledged meanwhile.
  bool full() const { return full_; }
  /// Length of the log beside the file. `full()` is true while it is too long.
  WalState log() const { return log_; }
  /// The error of a failed commit; after it nothing is written.
  Status failure() const;
  /// Waits until all appended writes are on disk; on a full disk it returns an error instead.
  Status flush();

 private:
  LedgerStore(std::unique_ptr<LedgerCompactor> compactor, const WalLimits& log_limits)
      : tables_(log_limits), compactor_(std::move(compactor)) {}
  Status start(const std::string& path);
  Status open_tables();
  bool wait_for_work() DROVER_REQUIRES(mutex_);
  void work();
  Status commit();
  void note_disk(const Status& written);
  void settle(const Status& written) DROVER_REQUIRES(mutex_);
  Status compact(std::size_t rows_max, LedgerTables::Sync sync);

  std::string path_;
  FileDescriptor lock_;
  FileDescriptor ready_;
  std::int64_t base_ = 0;  // sequence of the last row before this start
  std::optional<Instant> last_at_;

  Mutex tables_mutex_;  // read() runs on another thread
  LedgerTables tables_ DROVER_GUARDED_BY(tables_mutex_);
  const std::unique_ptr<LedgerCompactor> compactor_ DROVER_POINTEE_GUARDED_BY(tables_mutex_);

  // Used by the worker thread only.
  std::vector<NumberedRow> batch_;        // being committed, or waiting for disk space
  std::optional<CompactionSlice> slice_;  // as above
  bool more_ = false;                     // more rows are due for deletion

  mutable Mutex mutex_;
  std::condition_variable_any wake_;     // wakes the worker: something to write, or stop
  std::condition_variable_any written_;  // wakes others: something was written, or failed
  std::vector<Write> waiting_ DROVER_GUARDED_BY(mutex_);
  bool busy_ DROVER_GUARDED_BY(mutex_) = false;
  bool stopping_ DROVER_GUARDED_BY(mutex_) = false;
  Status failure_ DROVER_GUARDED_BY(mutex_);
  std::uint64_t appended_ DROVER_GUARDED_BY(mutex_) = 0;
  std::atomic<std::uint64_t> committed_{0};
  std::atomic<bool> full_{false};
  std::atomic<WalState> log_{WalState::short_enough};
  std::thread worker_;
};

}  // namespace drover::router
