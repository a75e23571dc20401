// The ledger on disk: one SQLite file, WAL, synchronous=FULL, one connection on one thread, one
// append-only table of transitions. The only file that knows SQLite is ledger_store.cpp.
//
// The store's thread commits all that has gathered, at once and again, without a timer. After a
// failed commit nothing is acknowledged and the program stops: a restart reads what is on disk.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "fleet/outbox.h"
#include "fleet/result.h"

namespace drover::router {

class LedgerStore {
 public:
  /// Opens or makes the file, takes an exclusive lock ("another router uses it"; one per file,
  /// whatever the path), checks the schema version and its integrity.
  static Result<std::unique_ptr<LedgerStore>> open(const std::string& path);
  virtual ~LedgerStore() = default;

  /// The file itself, where all symbolic links of the path lead.
  virtual const std::string& path() const = 0;

  /// All rows, oldest first.
  virtual Result<std::vector<LedgerRow>> rows() = 0;
  /// Queues writes; returns at once. REQUIRES growing sequences.
  virtual void append(std::vector<Write> writes) = 0;
  /// The highest sequence on disk. `ready_descriptor()` can be read when it has grown.
  virtual std::uint64_t committed() = 0;
  virtual int ready_descriptor() const = 0;
  /// After a failed commit: why. Nothing more is written.
  virtual Status failure() const = 0;
  /// Waits until all appended writes are on disk.
  virtual Status flush() = 0;
};

}  // namespace drover::router
