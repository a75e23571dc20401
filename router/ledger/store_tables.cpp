#include "router/ledger/store_tables.h"

#include <algorithm>

#include <sqlite3.h>

#include "fleet/recording/format/bytes.h"
#include "router/ledger/failpoints.h"
#include "router/ledger/store_file.h"

namespace drover::router {
namespace {

constexpr int schema_version = 3;
constexpr int application_id = 0x44524F56;  // "DROV"
constexpr int busy_wait_ms = 2'000;         // a reader may hold the file for a moment
constexpr std::size_t job_bytes = 16;
constexpr int checkpoint_pages = 1'000;  // log length from which it is copied into the file

void put_big_endian(std::uint64_t word, char* bytes) {
  for (int byte = 0; byte < 8; ++byte) bytes[byte] = static_cast<char>(word >> (56 - 8 * byte));
}

std::uint64_t big_endian(const unsigned char* bytes) {
  std::uint64_t word = 0;
  for (int byte = 0; byte < 8; ++byte) word = word << 8 | bytes[byte];
  return word;
}

/// A prepared statement, finalised with its scope.
class Statement {
 public:
  Statement(sqlite3* connection, const char* text) {
    sqlite3_prepare_v2(connection, text, -1, &statement_, nullptr);
  }
  ~Statement() { sqlite3_finalize(statement_); }
  Statement(const Statement&) = delete;
  Statement& operator=(const Statement&) = delete;
  sqlite3_stmt* get() const { return statement_; }
  bool step() { return statement_ != nullptr && sqlite3_step(statement_) == SQLITE_ROW; }
  /// Runs it and resets it for the next bind.
  bool run() {
    const bool done = statement_ != nullptr && sqlite3_step(statement_) == SQLITE_DONE;
    sqlite3_reset(statement_);
    return done;
  }

 private:
  sqlite3_stmt* statement_ = nullptr;
};

/// CRC-32 over all fields of the row. Rows without a sequence use 0.
std::uint32_t crc_of(std::int64_t sequence, const LedgerRow& row) {
  char fixed[8 + 8 + job_bytes + 8];
  put_big_endian(static_cast<std::uint64_t>(sequence), fixed);
  put_big_endian(static_cast<std::uint64_t>(row.at.time_since_epoch().count()), fixed + 8);
  put_big_endian(row.job.high, fixed + 16);
  put_big_endian(row.job.low, fixed + 24);
  put_big_endian(std::uint64_t{row.attempt} << 8 | static_cast<unsigned>(row.transition),
                 fixed + 32);
  return recording::crc32_of(row.payload, recording::crc32_of({fixed, sizeof fixed}));
}

/// The bytes must stay valid until the statement has run.
void bind_bytes(sqlite3_stmt* statement, int place, std::string_view bytes) {
  // Empty bytes are an empty blob, not NULL.
  if (bytes.empty()) {
    sqlite3_bind_zeroblob(statement, place, 0);
  } else {
    sqlite3_bind_blob64(statement, place, bytes.data(), bytes.size(), SQLITE_STATIC);
  }
}

struct JobBytes {
  explicit JobBytes(const JobId& job) {
    put_big_endian(job.high, bytes);
    put_big_endian(job.low, bytes + 8);
  }
  operator std::string_view() const { return {bytes, job_bytes}; }
  char bytes[job_bytes];
};

void read_bytes(sqlite3_stmt* row, int column, std::string& bytes) {
  const auto* found = static_cast<const char*>(sqlite3_column_blob(row, column));
  const auto size = static_cast<std::size_t>(sqlite3_column_bytes(row, column));
  bytes.assign(found == nullptr ? "" : found, found == nullptr ? 0 : size);
}

bool read_job(sqlite3_stmt* row, int column, JobId& job) {
  const auto* bytes = static_cast<const unsigned char*>(sqlite3_column_blob(row, column));
  if (bytes == nullptr || sqlite3_column_bytes(row, column) != job_bytes) return false;
  job = {big_endian(bytes), big_endian(bytes + 8)};
  return true;
}

}  // namespace

LedgerTables::~LedgerTables() {
  sqlite3_finalize(insert_);
  sqlite3_close(connection_);
}

Status LedgerTables::open(const std::string& path) {
  path_ = path;
  const int flags = SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE | SQLITE_OPEN_FULLMUTEX;
  if (sqlite3_open_v2(path_.c_str(), &connection_, flags, nullptr) != SQLITE_OK) {
    return sqlite_error("opening");
  }
  sqlite3_busy_timeout(connection_, busy_wait_ms);
  DROVER_TRY(execute("PRAGMA journal_mode=WAL"));
  DROVER_TRY(execute("PRAGMA synchronous=FULL"));
  DROVER_ASSIGN(page_bytes_, number("PRAGMA page_size"));
  sqlite3_wal_hook(connection_, &LedgerTables::see_log, this);
  DROVER_TRY(check_schema());
  DROVER_TRY(find_last());
  const char* text = "INSERT INTO transitions VALUES(?1, ?2, ?3, ?4, ?5, ?6, ?7)";
  if (sqlite3_prepare_v3(connection_, text, -1, SQLITE_PREPARE_PERSISTENT, &insert_, nullptr) !=
      SQLITE_OK) {
    return sqlite_error("preparing to write");
  }
  return {};
}

Status LedgerTables::check_schema() {
  DROVER_ASSIGN(const auto version, number("PRAGMA user_version"));
  DROVER_ASSIGN(const auto application, number("PRAGMA application_id"));
  DROVER_ASSIGN(const auto tables, number("SELECT count(*) FROM sqlite_master"));
  if (version == 0 && application == 0 && tables == 0) return make_tables();
  if (application != application_id) {
    return ledger_error(path_, "an SQLite file of another program; give a new file");
  }
  if (version != schema_version) {
    return ledger_error(path_, "schema version {}, expected {}; give a new file", version,
                        schema_version);
  }
  return check_integrity();
}

Status LedgerTables::check_integrity() {
  Statement check(connection_, "PRAGMA quick_check(1)");
  if (!check.step()) return sqlite_error("checking");
  const auto* found = reinterpret_cast<const char*>(sqlite3_column_text(check.get(), 0));
  if (found != nullptr && std::string_view(found) == "ok") return {};
  return ledger_error(path_, "damaged: {}", found == nullptr ? "no answer" : found);
}

Status LedgerTables::make_tables() {
  const std::string text = fmt::format(
      "BEGIN IMMEDIATE;"
      "CREATE TABLE transitions(sequence INTEGER PRIMARY KEY, at INTEGER NOT NULL, job BLOB NOT "
      "NULL, attempt INTEGER NOT NULL, transition INTEGER NOT NULL, payload BLOB NOT NULL, crc "
      "INTEGER NOT NULL);"
      "CREATE TABLE known(number INTEGER PRIMARY KEY, job BLOB NOT NULL, end INTEGER NOT NULL, "
      "content BLOB NOT NULL, crc INTEGER NOT NULL);"
      "CREATE TABLE sums(one INTEGER PRIMARY KEY, at INTEGER NOT NULL, sequence INTEGER NOT NULL, "
      "payload TEXT NOT NULL, crc INTEGER NOT NULL);"
      "PRAGMA application_id={}; PRAGMA user_version={}; COMMIT",
      application_id, schema_version);
  return execute(text.c_str());
}

Status LedgerTables::find_last() {
  for (const char* query :
       {"SELECT sequence, at FROM sums",
        "SELECT sequence, at FROM transitions ORDER BY sequence DESC LIMIT 1"}) {
    Statement statement(connection_, query);
    if (!statement.step()) continue;  // empty table
    last_sequence_ =
        std::max(last_sequence_, std::int64_t{sqlite3_column_int64(statement.get(), 0)});
    const Instant at(Duration(sqlite3_column_int64(statement.get(), 1)));
    last_at_ = std::max(last_at_.value_or(at), at);
  }
  return {};
}

Status LedgerTables::execute(const char* text) {
  if (sqlite3_exec(connection_, text, nullptr, nullptr, nullptr) == SQLITE_OK) return {};
  return sqlite_error("preparing");
}

Result<std::int64_t> LedgerTables::number(const char* query) {
  Statement statement(connection_, query);
  if (!statement.step()) return sqlite_error("reading");
  return std::int64_t{sqlite3_column_int64(statement.get(), 0)};
}

Error LedgerTables::sqlite_error(const char* doing) {
  full_ = connection_ != nullptr && sqlite3_errcode(connection_) == SQLITE_FULL;
  const char* why = connection_ == nullptr ? "out of memory" : sqlite3_errmsg(connection_);
  return ledger_error(path_, "{}: {}", doing, why);
}

/// Calls `visit` for each row of the statement until it returns an error.
template <typename Visit>
Status LedgerTables::each(sqlite3_stmt* statement, Visit visit) {
  if (statement == nullptr) return sqlite_error("reading");
  int answer = SQLITE_ROW;
  while ((answer = sqlite3_step(statement)) == SQLITE_ROW) {
    DROVER_TRY(visit());
  }
  return answer == SQLITE_DONE ? Status() : sqlite_error("reading");
}

Status LedgerTables::read(const Visitor& visit) {
  DROVER_TRY(read_sums(visit));
  DROVER_TRY(read_known(visit));
  Statement statement(
      connection_,
      "SELECT sequence, at, job, attempt, transition, payload, crc FROM transitions "
      "ORDER BY sequence");
  NumberedRow row;
  return each(statement.get(), [&] {
    const Status status = read_transition(statement.get(), row);
    return status ? visit(row.sequence, row.row) : status;
  });
}

Status LedgerTables::read_sums(const Visitor& visit) {
  Statement statement(connection_, "SELECT at, payload, crc FROM sums");
  NumberedRow read;
  read.row.transition = Transition::sums;
  return each(statement.get(), [&] {
    read.row.at = Instant(Duration(sqlite3_column_int64(statement.get(), 0)));
    read_bytes(statement.get(), 1, read.row.payload);
    const Status status = check_row(statement.get(), 2, read);
    return status ? visit(0, read.row) : status;
  });
}

Status LedgerTables::read_known(const Visitor& visit) {
  Statement statement(connection_, "SELECT job, end, content, crc FROM known ORDER BY number");
  NumberedRow read;
  read.row.transition = Transition::known;
  return each(statement.get(), [&] {
    read_job(statement.get(), 0, read.row.job);
    read.row.attempt = static_cast<std::uint32_t>(sqlite3_column_int64(statement.get(), 1));
    read_bytes(statement.get(), 2, read.row.payload);
    const Status status = check_row(statement.get(), 3, read);
    return status ? visit(0, read.row) : status;
  });
}

Status LedgerTables::check_row(sqlite3_stmt* found, int column, const NumberedRow& read) const {
  if (sqlite3_column_int64(found, column) == crc_of(read.sequence, read.row)) return {};
  return ledger_error(path_, "damaged: the row at {} has a wrong CRC", read.sequence);
}

// Columns: sequence, at, job, attempt, transition, payload, crc.
Status LedgerTables::read_transition(sqlite3_stmt* found, NumberedRow& read) const {
  read.sequence = sqlite3_column_int64(found, 0);
  read.row.at = Instant(Duration(sqlite3_column_int64(found, 1)));
  read.row.attempt = static_cast<std::uint32_t>(sqlite3_column_int64(found, 3));
  const std::int64_t transition = sqlite3_column_int64(found, 4);
  read.row.transition = static_cast<Transition>(transition);
  read_bytes(found, 5, read.row.payload);
  if (read_job(found, 2, read.row.job) && transition >= 0 &&
      transition <= static_cast<int>(Transition::audit)) {
    return check_row(found, 6, read);
  }
  return ledger_error(path_, "row {} is damaged (job of {} bytes, transition {})", read.sequence,
                      sqlite3_column_bytes(found, 2), transition);
}

Result<std::vector<NumberedRow>> LedgerTables::transitions(std::int64_t from, int count) {
  Statement statement(
      connection_,
      "SELECT sequence, at, job, attempt, transition, payload, crc FROM transitions "
      "WHERE sequence >= ?1 ORDER BY sequence LIMIT ?2");
  sqlite3_bind_int64(statement.get(), 1, from);
  sqlite3_bind_int(statement.get(), 2, count);
  std::vector<NumberedRow> rows;
  const Status status =
      each(statement.get(), [&] { return read_transition(statement.get(), rows.emplace_back()); });
  if (!status) return status.error();
  return rows;
}

WalState LedgerTables::log() const {
  if (log_bytes_ >= log_limits_.full_bytes) return WalState::full;
  return log_bytes_ >= log_limits_.large_bytes ? WalState::large : WalState::short_enough;
}

/// Called after each commit: copies the log into the file as SQLite does, and records the length
/// of the log.
int LedgerTables::see_log(void* tables, sqlite3* connection, const char* name, int pages) {
  auto& self = *static_cast<LedgerTables*>(tables);
  self.log_bytes_ = pages * self.page_bytes_;
  if (pages >= checkpoint_pages) sqlite3_wal_checkpoint(connection, name);
  return SQLITE_OK;
}

/// Restarts a large log if nobody reads it.
Status LedgerTables::restart_log() {
  if (log() == WalState::short_enough) return {};
  sqlite3_busy_timeout(connection_, 0);
  const int answer =
      sqlite3_wal_checkpoint_v2(connection_, nullptr, SQLITE_CHECKPOINT_TRUNCATE, nullptr, nullptr);
  const Status status = answer == SQLITE_OK ? Status() : sqlite_error("emptying the log");
  sqlite3_busy_timeout(connection_, busy_wait_ms);
  if (answer == SQLITE_OK) log_bytes_ = 0;
  // The log has space left, or will have once the reader has ended, as on a full disk.
  if (answer != SQLITE_BUSY && answer != SQLITE_LOCKED) return status;
  full_ = log() == WalState::full;
  return full_ ? status : Status();
}

Status LedgerTables::append(const std::vector<NumberedRow>& rows) {
  full_ = false;
  pass(LedgerFailpoint::before_writes);
  if (log() == WalState::full) {
    DROVER_TRY(restart_log());
  }
  Status status = execute("BEGIN IMMEDIATE");
  for (auto row = rows.begin(); row != rows.end() && status; ++row) status = insert(*row);
  if (status) {
    pass(LedgerFailpoint::before_commit);
    status = execute("COMMIT");
  }
  if (!status) return undo(status);
  pass(LedgerFailpoint::after_commit);
  last_sequence_ = rows.back().sequence;
  // The rows are on disk: a full log is reported with the next write.
  [[maybe_unused]] const Status room = restart_log();
  full_ = false;
  return {};
}

Status LedgerTables::insert(const NumberedRow& row) {
  const JobBytes job(row.row.job);
  sqlite3_bind_int64(insert_, 1, row.sequence);
  sqlite3_bind_int64(insert_, 2, row.row.at.time_since_epoch().count());
  bind_bytes(insert_, 3, job);
  sqlite3_bind_int64(insert_, 4, row.row.attempt);
  sqlite3_bind_int(insert_, 5, static_cast<int>(row.row.transition));
  bind_bytes(insert_, 6, row.row.payload);
  sqlite3_bind_int64(insert_, 7, crc_of(row.sequence, row.row));
  const int answer = sqlite3_step(insert_);
  sqlite3_reset(insert_);
  return answer == SQLITE_DONE ? Status() : sqlite_error("writing");
}

Status LedgerTables::undo(Status status) {
  // Most failures have ended the transaction already: then there is nothing to undo.
  sqlite3_exec(connection_, "ROLLBACK", nullptr, nullptr, nullptr);
  return status;
}

Status LedgerTables::compact(const CompactionSlice& slice, std::int64_t known_kept, Sync sync) {
  full_ = false;
  pass(LedgerFailpoint::before_compaction);
  Status status;
  if (sync == Sync::later) status = execute("PRAGMA synchronous=NORMAL");
  if (status) status = execute("BEGIN IMMEDIATE");
  if (status) status = write(slice, known_kept);
  if (status) {
    pass(LedgerFailpoint::before_compaction_commit);
    status = execute("COMMIT");
  }
  if (!status) status = undo(status);
  const Status synchronous = execute("PRAGMA synchronous=FULL");
  if (!status) return status;
  pass(LedgerFailpoint::after_compaction);
  return synchronous;
}

Status LedgerTables::write(const CompactionSlice& slice, std::int64_t known_kept) {
  DROVER_TRY(drop(slice.dropped));
  Statement known(connection_, "INSERT INTO known VALUES(NULL, ?1, ?2, ?3, ?4)");
  for (const LedgerRow& row : slice.known) {
    const JobBytes job(row.job);
    bind_bytes(known.get(), 1, job);
    sqlite3_bind_int64(known.get(), 2, row.attempt);
    bind_bytes(known.get(), 3, row.payload);
    sqlite3_bind_int64(known.get(), 4, crc_of(0, row));
    if (!known.run()) return sqlite_error("compacting");
  }
  Statement forget(connection_,
                   "DELETE FROM known WHERE number <= (SELECT max(number) FROM known) - ?1");
  sqlite3_bind_int64(forget.get(), 1, known_kept);
  if (!forget.run()) return sqlite_error("compacting");
  Statement sums(connection_, "INSERT OR REPLACE INTO sums VALUES(1, ?1, ?2, ?3, ?4)");
  sqlite3_bind_int64(sums.get(), 1, slice.sums.at.time_since_epoch().count());
  sqlite3_bind_int64(sums.get(), 2, last_sequence_);
  bind_bytes(sums.get(), 3, slice.sums.payload);
  sqlite3_bind_int64(sums.get(), 4, crc_of(0, slice.sums));
  return sums.run() ? Status() : sqlite_error("compacting");
}

// Most sequences are consecutive: jobs that ended together were accepted together.
Status LedgerTables::drop(const std::vector<std::int64_t>& sequences) {
  Statement statement(connection_, "DELETE FROM transitions WHERE sequence BETWEEN ?1 AND ?2");
  for (std::size_t first = 0, last = 0; first < sequences.size(); first = last + 1) {
    last = first;
    while (last + 1 < sequences.size() && sequences[last + 1] <= sequences[last] + 1) ++last;
    sqlite3_bind_int64(statement.get(), 1, sequences[first]);
    sqlite3_bind_int64(statement.get(), 2, sequences[last]);
    if (!statement.run()) return sqlite_error("compacting");
  }
  return {};
}

}  // namespace drover::router
