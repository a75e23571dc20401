// The ledger's tables in one SQLite file; the only code that uses SQLite. One thread at a time.
//
//   transitions(sequence INTEGER PRIMARY KEY,   unique over all starts of the router
//               at INTEGER,                     fleet time, ns since 1970
//               job BLOB,                       16 bytes, big-endian
//               attempt INTEGER,
//               transition INTEGER,             fleet/outbox.h, in its order from 0
//               payload BLOB,                   an encoded envelope, see router/ledger/ledger.h
//               crc INTEGER)                    CRC-32 of the row
//   known(number INTEGER PRIMARY KEY,           compacted jobs, in order of their ends
//         job BLOB, end INTEGER, content BLOB,  see `known` in router/ledger/ledger.h
//         crc INTEGER)
//   sums(one INTEGER PRIMARY KEY,               one row after the first compaction: 1
//        at INTEGER, sequence INTEGER,          of the newest row then
//        payload TEXT, crc INTEGER)             totals of the compacted jobs
//
// WAL with synchronous=FULL: a commit returns after the log is on disk, and other programs may
// read the file meanwhile. One connection, because two that write or checkpoint may corrupt a WAL
// file in SQLite versions 3.7.0 to 3.51.2 (fixed in 3.51.3).
//
// Pages that compaction frees are reused for later rows; the file does not shrink. The kept data
// is bounded, so the file is too; returning pages (auto_vacuum) would move pages on every commit
// to free space that is soon needed again.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "fleet/base/result.h"
#include "fleet/outbox.h"
#include "router/ledger/compactor.h"

struct sqlite3;
struct sqlite3_stmt;

namespace drover::router {

/// Length of the write-ahead log beside the ledger. The log restarts once all of it is in the file
/// and nobody reads it: a program that holds a read transaction keeps it growing.
enum class WalState : std::uint8_t {
  short_enough,
  large,  // warn: find the reader
  full,   // no writes until the reader has ended
};

struct WalLimits {
  std::int64_t large_bytes = 64 << 20;
  std::int64_t full_bytes = 512 << 20;
};

inline constexpr std::string_view ledger_log_full =
    "another program holds a long read transaction on it, and its log has reached the size limit";

class LedgerTables {
 public:
  ~LedgerTables();
  LedgerTables(const LedgerTables&) = delete;
  LedgerTables& operator=(const LedgerTables&) = delete;

  explicit LedgerTables(const WalLimits& log_limits = {}) : log_limits_(log_limits) {}
  /// Opens or creates the file, checks the schema's version and the file's integrity.
  Status open(const std::string& path);

  using Visitor = std::function<Status(std::int64_t sequence, const LedgerRow& row)>;
  /// Reads all rows in replay order: sums, known jobs, then transitions, oldest first. Stops with
  /// the visitor's error.
  Status read(const Visitor& visit);
  /// Up to `count` transitions from this sequence on.
  Result<std::vector<NumberedRow>> transitions(std::int64_t from, int count);
  /// `last_sequence`: the highest sequence ever used; 0: none. `last_at`: time of the newest row
  /// when the file was opened.
  std::int64_t last_sequence() const { return last_sequence_; }
  std::optional<Instant> last_at() const { return last_at_; }

  /// One transaction, on disk when this returns.
  Status append(const std::vector<NumberedRow>& rows);
  /// One transaction; keeps the last `known_kept` known rows. With Sync::later it is durable with
  /// the next sync, and until then a power cut undoes it as a whole.
  enum class Sync : bool { now, later };
  Status compact(const CompactionSlice& slice, std::int64_t known_kept, Sync sync);
  /// Whether the last `append` or `compact` failed because the disk is full.
  bool full() const { return full_; }
  WalState log() const;

 private:
  Status check_schema();
  Status check_integrity();
  Status make_tables();
  Status find_last();
  Status execute(const char* text);
  Result<std::int64_t> number(const char* query);
  Error sqlite_error(const char* doing);
  Status undo(Status status);
  Status insert(const NumberedRow& row);
  Status restart_log();
  static int see_log(void* tables, sqlite3* connection, const char* name, int pages);
  Status write(const CompactionSlice& slice, std::int64_t known_kept);
  Status drop(const std::vector<std::int64_t>& sequences);
  Status read_sums(const Visitor& visit);
  Status read_known(const Visitor& visit);
  template <typename Visit>
  Status each(sqlite3_stmt* statement, Visit visit);
  Status read_transition(sqlite3_stmt* found, NumberedRow& read) const;
  Status check_row(sqlite3_stmt* found, int column, const NumberedRow& read) const;

  std::string path_;
  sqlite3* connection_ = nullptr;
  sqlite3_stmt* insert_ = nullptr;
  std::int64_t last_sequence_ = 0;
  std::optional<Instant> last_at_;
  bool full_ = false;
  std::int64_t log_bytes_ = 0;
  std::int64_t page_bytes_ = 0;
  WalLimits log_limits_;
};

}  // namespace drover::router
