// The ledger's tables in one SQLite file; the only place that knows SQLite. One thread at a time.
//
//   transitions(sequence INTEGER PRIMARY KEY,   counts over all lives of the ledger
//               at INTEGER,                     fleet time, ns since 1970
//               job BLOB,                       16 bytes, big-endian
//               attempt INTEGER,
//               transition INTEGER,             fleet/outbox.h, in its order from 0
//               payload BLOB,                   an encoded envelope, see router/ledger/ledger.h
//               crc INTEGER)                    CRC-32 of the row; NULL: of a ledger of version 1
//   known(number INTEGER PRIMARY KEY,           jobs whose transitions have gone, by their ends
//         job BLOB, end INTEGER, content BLOB,  see `known` in router/ledger/ledger.h
//         crc INTEGER)
//   sums(one INTEGER PRIMARY KEY,               one row, once anything has gone: 1
//        at INTEGER, sequence INTEGER,          of the newest row then
//        payload TEXT, crc INTEGER)             what has gone comes to
//
// WAL with synchronous=FULL: a commit returns after the log is on disk, and other programs may read
// the file meanwhile. One connection, because two that write or checkpoint may corrupt a WAL file
// in the SQLite versions 3.7.0 to 3.51.2 (fixed in 3.51.3).
//
// Pages that compaction frees are used again for the next rows; the file does not shrink. What is
// kept is bounded, so the file is; giving pages back (auto_vacuum) would move pages on the way of
// every commit to save what the next minutes need again.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "fleet/base/result.h"
#include "fleet/outbox.h"
#include "router/ledger/ledger_compactor.h"
#include "router/ledger/ledger_log.h"

struct sqlite3;
struct sqlite3_stmt;

namespace drover::router {

class LedgerTables {
 public:
  ~LedgerTables();
  LedgerTables(const LedgerTables&) = delete;
  LedgerTables& operator=(const LedgerTables&) = delete;

  explicit LedgerTables(const LedgerLogLimits& log_limits = {}) : log_limits_(log_limits) {}
  /// Opens or makes the file, checks the schema's version and the file's integrity.
  Status open(const std::string& path);

  using Visitor = std::function<Status(std::int64_t sequence, const LedgerRow& row)>;
  /// All rows, as a reader wants them: sums, known jobs, then transitions, oldest first. Ends with
  /// the visitor's error.
  Status read(const Visitor& visit);
  /// Up to `count` transitions from this sequence on.
  Result<std::vector<NumberedRow>> transitions(std::int64_t from, int count);
  /// The highest sequence ever used; 0: none. The newest row's time when the file was opened.
  std::int64_t last_sequence() const { return last_sequence_; }
  std::optional<Instant> last_at() const { return last_at_; }

  /// One transaction, on disk when it answers.
  Status append(const std::vector<NumberedRow>& rows);
  /// One transaction; keeps the last `known_kept` known rows. Synced, or on disk with whatever is
  /// synced next, and until then undone whole by a power cut.
  enum class Sync : bool { now, later };
  Status compact(const CompactionSlice& slice, std::int64_t known_kept, Sync sync);
  /// The last `append` or `compact` failed for want of room.
  bool full() const { return full_; }
  LedgerLog log() const;

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
  Status make_log_room();
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
  LedgerLogLimits log_limits_;
};

}  // namespace drover::router
