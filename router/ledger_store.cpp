// One SQLite file, one table, append-only:
//
//   transitions(sequence INTEGER PRIMARY KEY,   counts over all lives of the ledger
//               at INTEGER,                     fleet time, ns since 1970
//               job BLOB,                       16 bytes, big-endian
//               attempt INTEGER,
//               transition INTEGER,             fleet/outbox.h, in its order from 0
//               payload BLOB)                   an encoded envelope, see router/ledger.h
//
// WAL with synchronous=FULL: a commit returns after the log is on disk, and other programs may read
// the file meanwhile. One router per file is kept by a lock of our own (ledger_store_file.h),
// because SQLite's exclusive locking would shut readers out; and one connection, because two that
// write or checkpoint may corrupt a WAL file in the SQLite versions 3.7.0 to 3.51.2 (fixed
// in 3.51.3).
#include "router/ledger_store.h"

#include <sys/eventfd.h>
#include <unistd.h>

#include <atomic>
#include <cerrno>
#include <condition_variable>
#include <cstring>
#include <mutex>
#include <string_view>
#include <thread>
#include <utility>

#include <sqlite3.h>

#include "router/ledger_stages.h"
#include "router/ledger_store_file.h"

namespace drover::router {
namespace {

constexpr int schema_version = 1;
constexpr int application_id = 0x44524F56;      // "DROV"
constexpr int busy_wait_ms = 2'000;             // a reader that holds the file for a moment
constexpr std::size_t waiting_max = 1'000'000;  // appended and not yet on disk; then append waits
constexpr std::size_t job_bytes = 16;

void put_big_endian(std::uint64_t word, char* bytes) {
  for (int byte = 0; byte < 8; ++byte) bytes[byte] = static_cast<char>(word >> (56 - 8 * byte));
}

std::uint64_t big_endian(const unsigned char* bytes) {
  std::uint64_t word = 0;
  for (int byte = 0; byte < 8; ++byte) word = word << 8 | bytes[byte];
  return word;
}

/// A prepared statement that ends with its scope.
class Statement {
 public:
  Statement(sqlite3* connection, const char* text) {
    sqlite3_prepare_v2(connection, text, -1, &statement_, nullptr);
  }
  ~Statement() { sqlite3_finalize(statement_); }
  Statement(const Statement&) = delete;
  Statement& operator=(const Statement&) = delete;
  sqlite3_stmt* get() const { return statement_; }
  bool ok() const { return statement_ != nullptr; }
  bool step() { return statement_ != nullptr && sqlite3_step(statement_) == SQLITE_ROW; }

 private:
  sqlite3_stmt* statement_ = nullptr;
};

class SqliteStore final : public LedgerStore {
 public:
  explicit SqliteStore(std::string path) : path_(std::move(path)) {}
  ~SqliteStore() override;

  Status start();

  const std::string& path() const override { return path_; }
  Result<std::vector<LedgerRow>> rows() override;
  void append(std::vector<Write> writes) override;
  std::uint64_t committed() override;
  int ready_descriptor() const override { return ready_.number(); }
  Status failure() const override;
  Status flush() override;

 private:
  Status connect();
  Status check_schema();
  Status make_schema();
  Status execute(const char* text);
  Result<std::int64_t> number(const char* query);
  Error sqlite_error(const char* doing) const;
  void work();
  Status commit(const std::vector<Write>& writes);
  Status insert(const Write& write);
  void tell();

  std::string path_;
  Descriptor lock_;
  Descriptor ready_;
  sqlite3* connection_ = nullptr;
  sqlite3_stmt* insert_ = nullptr;
  std::int64_t base_ = 0;  // sequence of the last row of earlier lives

  std::mutex connection_mutex_;  // rows() is called from another thread than commits
  mutable std::mutex mutex_;
  std::condition_variable wake_;     // the worker: something to write, or stop
  std::condition_variable written_;  // others: something was written, or failed
  std::vector<Write> waiting_;
  bool busy_ = false;
  bool stopping_ = false;
  Status failure_;
  std::uint64_t appended_ = 0;
  std::atomic<std::uint64_t> committed_{0};
  std::thread worker_;
};

SqliteStore::~SqliteStore() {
  {
    const std::lock_guard guard(mutex_);
    stopping_ = true;
  }
  wake_.notify_all();
  if (worker_.joinable()) worker_.join();
  sqlite3_finalize(insert_);
  sqlite3_close(connection_);
}

Status SqliteStore::start() {
  auto file = find_ledger(path_);
  if (!file) return file.error();
  path_ = *std::move(file);
  if (auto status = lock_ledger(path_, lock_); !status) return status;
  if (auto status = connect(); !status) return status;
  if (auto status = check_schema(); !status) return status;
  const auto last = number("SELECT ifnull(max(sequence), 0) FROM transitions");
  if (!last) return last.error();
  base_ = *last;
  const char* text = "INSERT INTO transitions VALUES(?1, ?2, ?3, ?4, ?5, ?6)";
  if (sqlite3_prepare_v3(connection_, text, -1, SQLITE_PREPARE_PERSISTENT, &insert_, nullptr) !=
      SQLITE_OK) {
    return sqlite_error("preparing to write");
  }
  ready_.take(::eventfd(0, EFD_NONBLOCK | EFD_CLOEXEC));
  if (ready_.number() < 0) return error("ledger {}: no event: {}", path_, std::strerror(errno));
  try {
    worker_ = std::thread([this] { work(); });
  } catch (const std::exception& problem) {
    return error("ledger {}: no thread: {}", path_, problem.what());
  }
  return {};
}

Status SqliteStore::connect() {
  const int flags = SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE | SQLITE_OPEN_FULLMUTEX;
  if (sqlite3_open_v2(path_.c_str(), &connection_, flags, nullptr) != SQLITE_OK) {
    return sqlite_error("opening");
  }
  sqlite3_busy_timeout(connection_, busy_wait_ms);
  if (auto status = execute("PRAGMA journal_mode=WAL"); !status) return status;
  return execute("PRAGMA synchronous=FULL");
}

Status SqliteStore::check_schema() {
  const auto version = number("PRAGMA user_version");
  if (!version) return version.error();
  const auto application = number("PRAGMA application_id");
  if (!application) return application.error();
  const auto tables = number("SELECT count(*) FROM sqlite_master");
  if (!tables) return tables.error();
  if (*version == 0 && *application == 0 && *tables == 0) return make_schema();
  if (*application != application_id) {
    return error("ledger {}: an SQLite file of another program; give a new file", path_);
  }
  if (*version != schema_version) {
    return error("ledger {}: schema version {}, expected {}", path_, *version, schema_version);
  }
  Statement check(connection_, "PRAGMA quick_check(1)");
  if (!check.step()) return sqlite_error("checking");
  const auto* found = reinterpret_cast<const char*>(sqlite3_column_text(check.get(), 0));
  if (found == nullptr || std::string_view(found) != "ok") {
    return error("ledger {}: damaged: {}", path_, found == nullptr ? "no answer" : found);
  }
  return {};
}

Status SqliteStore::make_schema() {
  const std::string text = fmt::format(
      "BEGIN IMMEDIATE;"
      "CREATE TABLE transitions(sequence INTEGER PRIMARY KEY, at INTEGER NOT NULL, job BLOB NOT "
      "NULL, attempt INTEGER NOT NULL, transition INTEGER NOT NULL, payload BLOB NOT NULL);"
      "PRAGMA application_id={}; PRAGMA user_version={}; COMMIT",
      application_id, schema_version);
  return execute(text.c_str());
}

Status SqliteStore::execute(const char* text) {
  if (sqlite3_exec(connection_, text, nullptr, nullptr, nullptr) == SQLITE_OK) return {};
  return sqlite_error("preparing");
}

Result<std::int64_t> SqliteStore::number(const char* query) {
  Statement statement(connection_, query);
  if (!statement.step()) return sqlite_error("reading");
  return std::int64_t{sqlite3_column_int64(statement.get(), 0)};
}

Error SqliteStore::sqlite_error(const char* doing) const {
  const char* why = connection_ == nullptr ? "out of memory" : sqlite3_errmsg(connection_);
  return error("ledger {}: {}: {}", path_, doing, why);
}

Result<std::vector<LedgerRow>> SqliteStore::rows() {
  const std::lock_guard guard(connection_mutex_);
  Statement statement(connection_,
                      "SELECT sequence, at, job, attempt, transition, payload FROM transitions "
                      "ORDER BY sequence");
  if (!statement.ok()) return sqlite_error("reading");
  std::vector<LedgerRow> rows;
  int answer = SQLITE_ROW;
  while ((answer = sqlite3_step(statement.get())) == SQLITE_ROW) {
    sqlite3_stmt* row = statement.get();
    const std::int64_t sequence = sqlite3_column_int64(row, 0);
    const auto* job = static_cast<const unsigned char*>(sqlite3_column_blob(row, 2));
    const std::int64_t transition = sqlite3_column_int64(row, 4);
    const bool sound = job != nullptr && sqlite3_column_bytes(row, 2) == job_bytes &&
                       transition >= 0 && transition <= static_cast<int>(Transition::audit);
    if (!sound) {
      return error("ledger {}: row {} is damaged (job of {} bytes, transition {})", path_, sequence,
                   sqlite3_column_bytes(row, 2), transition);
    }
    LedgerRow& read = rows.emplace_back();
    read.at = Instant(Duration(sqlite3_column_int64(row, 1)));
    read.job = {big_endian(job), big_endian(job + 8)};
    read.attempt = static_cast<std::uint32_t>(sqlite3_column_int64(row, 3));
    read.transition = static_cast<Transition>(transition);
    const auto* payload = static_cast<const char*>(sqlite3_column_blob(row, 5));
    if (payload != nullptr) {
      read.payload.assign(payload, static_cast<std::size_t>(sqlite3_column_bytes(row, 5)));
    }
  }
  if (answer != SQLITE_DONE) return sqlite_error("reading");
  return rows;
}

void SqliteStore::append(std::vector<Write> writes) {
  if (writes.empty()) return;
  std::unique_lock lock(mutex_);
  written_.wait(lock, [&] { return waiting_.size() < waiting_max || !failure_; });
  if (!failure_) return;  // nothing is written after a failure, and nothing acknowledged
  for (Write& write : writes) {
    DROVER_REQUIRE(write.sequence > appended_);
    appended_ = write.sequence;
    waiting_.push_back(std::move(write));
  }
  lock.unlock();
  wake_.notify_one();
}

std::uint64_t SqliteStore::committed() {
  std::uint64_t count = 0;
  // Empties the event; that there was none is no error.
  [[maybe_unused]] const auto taken = ::read(ready_.number(), &count, sizeof count);
  return committed_.load();
}

Status SqliteStore::failure() const {
  const std::lock_guard guard(mutex_);
  return failure_;
}

Status SqliteStore::flush() {
  std::unique_lock lock(mutex_);
  written_.wait(lock, [&] { return (waiting_.empty() && !busy_) || !failure_; });
  return failure_;
}

void SqliteStore::tell() {
  const std::uint64_t one = 1;
  [[maybe_unused]] const auto put = ::write(ready_.number(), &one, sizeof one);
}

// Commits whatever has gathered while the last commit ran: under load the groups grow by
// themselves, and a lone write waits for nobody.
void SqliteStore::work() {
  std::unique_lock lock(mutex_);
  for (;;) {
    wake_.wait(lock, [&] { return !waiting_.empty() || stopping_; });
    if (waiting_.empty()) return;
    const std::vector<Write> group = std::exchange(waiting_, {});
    busy_ = true;
    lock.unlock();
    Status status;
    try {
      status = commit(group);
    } catch (const std::exception& problem) {
      status = error("ledger {}: writing: {}", path_, problem.what());
    }
    lock.lock();
    busy_ = false;
    if (!status) {
      failure_ = status;
      waiting_.clear();
    } else {
      committed_ = group.back().sequence;
    }
    written_.notify_all();
    tell();
    if (!failure_) return;
  }
}

Status SqliteStore::commit(const std::vector<Write>& writes) {
  const std::lock_guard guard(connection_mutex_);
  pass(LedgerStage::before_writes);
  if (auto status = execute("BEGIN IMMEDIATE"); !status) return status;
  for (const Write& write : writes) {
    if (auto status = insert(write); !status) {
      [[maybe_unused]] const auto undone = execute("ROLLBACK");
      return status;
    }
  }
  pass(LedgerStage::before_commit);
  const Status status = execute("COMMIT");
  if (status) pass(LedgerStage::after_commit);
  return status;
}

Status SqliteStore::insert(const Write& write) {
  char job[job_bytes];
  put_big_endian(write.row.job.high, job);
  put_big_endian(write.row.job.low, job + 8);
  const auto sequence = base_ + static_cast<std::int64_t>(write.sequence);
  sqlite3_bind_int64(insert_, 1, sequence);
  sqlite3_bind_int64(insert_, 2, write.row.at.time_since_epoch().count());
  sqlite3_bind_blob(insert_, 3, job, job_bytes, SQLITE_STATIC);
  sqlite3_bind_int64(insert_, 4, write.row.attempt);
  sqlite3_bind_int(insert_, 5, static_cast<int>(write.row.transition));
  sqlite3_bind_blob64(insert_, 6, write.row.payload.data(), write.row.payload.size(),
                      SQLITE_STATIC);
  // An empty payload is an empty blob, not NULL.
  if (write.row.payload.empty()) sqlite3_bind_zeroblob(insert_, 6, 0);
  const int answer = sqlite3_step(insert_);
  sqlite3_reset(insert_);
  if (answer != SQLITE_DONE) return sqlite_error("writing");
  return {};
}

}  // namespace

Result<std::unique_ptr<LedgerStore>> LedgerStore::open(const std::string& path) {
  try {
    auto store = std::make_unique<SqliteStore>(path);
    if (auto status = store->start(); !status) return status.error();
    return std::unique_ptr<LedgerStore>(std::move(store));
  } catch (const std::exception& problem) {
    return error("ledger {}: {}", path, problem.what());
  }
}

}  // namespace drover::router
