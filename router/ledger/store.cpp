#include "router/ledger/store.h"

#include <sys/eventfd.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <cstring>

namespace drover::router {
namespace {

constexpr std::chrono::milliseconds full_wait{500};  // delay before a full disk is tried again

// Old rows deleted between two commits: about a millisecond of work. Under load more are deleted
// than added, so that the file does not grow.
constexpr std::size_t slice_rows_min = 250;
constexpr std::size_t slice_rows_max = 4'000;

/// The result of `act`, or the exception that ended it: memory may be short.
template <typename Act>
Status guarded(const std::string& path, Act act) {
  try {
    return act();
  } catch (const std::exception& problem) {
    return ledger_error(path, "writing: {}", problem.what());
  }
}

}  // namespace

LedgerStore::~LedgerStore() {
  {
    const MutexLock lock(mutex_);
    stopping_ = true;
  }
  wake_.notify_all();
  if (worker_.joinable()) worker_.join();
}

Status LedgerStore::start(const std::string& path) {
  DROVER_ASSIGN(path_, find_ledger(path));
  DROVER_TRY(lock_ledger(path_, lock_));
  DROVER_TRY(check_wal(path_));
  DROVER_TRY(open_tables());
  ready_.take(::eventfd(0, EFD_NONBLOCK | EFD_CLOEXEC));
  if (ready_.number() < 0)
    return ledger_error(path_, "cannot create an eventfd: {}", std::strerror(errno));
  try {
    worker_ = std::thread([this] { work(); });
  } catch (const std::exception& problem) {
    return ledger_error(path_, "cannot start the writer thread: {}", problem.what());
  }
  return {};
}

Status LedgerStore::open_tables() {
  const MutexLock lock(tables_mutex_);
  DROVER_TRY(tables_.open(path_));
  base_ = tables_.last_sequence();
  last_at_ = tables_.last_at();
  return {};
}

Status LedgerStore::read(const Visitor& visit) {
  const MutexLock lock(tables_mutex_);
  return tables_.read([&](std::int64_t sequence, const LedgerRow& row)
                          DROVER_REQUIRES(tables_mutex_) {
                            if (compactor_) compactor_->match(sequence, row);
                            return visit(row);
                          });
}

void LedgerStore::append(std::vector<Write> writes) {
  if (writes.empty()) return;
  MutexLock lock(mutex_);
  if (!failure_) return;  // after a failure nothing is written or acknowledged
  for (Write& write : writes) {
    DROVER_REQUIRE(write.sequence > appended_);
    appended_ = write.sequence;
    waiting_.push_back(std::move(write));
  }
  lock.unlock();
  wake_.notify_one();
}

std::uint64_t LedgerStore::committed() {
  std::uint64_t count = 0;
  // Clears the event; its absence is no error.
  [[maybe_unused]] const auto taken = ::read(ready_.number(), &count, sizeof count);
  return committed_.load();
}

Status LedgerStore::failure() const {
  const MutexLock lock(mutex_);
  return failure_;
}

Status LedgerStore::flush() {
  MutexLock lock(mutex_);
  written_.wait(mutex_, [&]() DROVER_REQUIRES(mutex_) {
    return (waiting_.empty() && !busy_) || !failure_ || full_;
  });
  if (failure_ && full_) {
    return ledger_error(path_, "{}, the last rows are lost",
                        log_ == WalState::full ? ledger_log_full : "the disk is full");
  }
  return failure_;
}

bool LedgerStore::wait_for_work() {
  if (full_) {
    wake_.wait_for(mutex_, full_wait, [&]() DROVER_REQUIRES(mutex_) { return stopping_; });
    return !stopping_;
  }
  wake_.wait(mutex_,
             [&]() DROVER_REQUIRES(mutex_) { return !waiting_.empty() || stopping_ || more_; });
  return !waiting_.empty() || !stopping_;
}

// Commits whatever was queued during the last commit: under load the groups grow on their own, and
// a single write waits for nobody. Waiting callers are notified before old rows are deleted.
void LedgerStore::work() {
  MutexLock lock(mutex_);
  while (wait_for_work()) {
    std::vector<Write> gathered;
    if (batch_.empty()) gathered.swap(waiting_);
    busy_ = true;
    lock.unlock();
    for (Write& write : gathered) {
      batch_.push_back({base_ + static_cast<std::int64_t>(write.sequence), std::move(write.row)});
    }
    // With nothing to commit, a sync delays nobody, and no other sync would follow soon.
    const auto sync = batch_.empty() ? LedgerTables::Sync::now : LedgerTables::Sync::later;
    const std::size_t rows_max = std::clamp(2 * batch_.size(), slice_rows_min, slice_rows_max);
    Status status = guarded(path_, [&] { return commit(); });
    note_disk(status);
    lock.lock();
    settle(status);
    if (!failure_) return;
    if (full_) continue;
    lock.unlock();
    status = guarded(path_, [&] { return compact(rows_max, sync); });
    if (!status) note_disk(status);
    lock.lock();
    if (!status) return settle(status);
  }
}

Status LedgerStore::commit() {
  const MutexLock lock(tables_mutex_);
  if (batch_.empty()) return {};
  DROVER_TRY(tables_.append(batch_));
  if (!compactor_) return {};
  for (const NumberedRow& row : batch_) compactor_->match(row.sequence, row.row);
  return {};
}

void LedgerStore::note_disk(const Status& written) {
  const MutexLock lock(tables_mutex_);
  log_ = tables_.log();
  full_ = !written && tables_.full();
}

void LedgerStore::settle(const Status& written) {
  busy_ = false;
  if (written) {
    if (!batch_.empty()) committed_ = static_cast<std::uint64_t>(batch_.back().sequence - base_);
    batch_.clear();
  } else if (!full_) {
    failure_ = written;
    waiting_.clear();
  }
  written_.notify_all();
  const std::uint64_t one = 1;
  [[maybe_unused]] const auto put = ::write(ready_.number(), &one, sizeof one);
}

Status LedgerStore::compact(std::size_t rows_max, LedgerTables::Sync sync) {
  if (!compactor_) return {};
  const MutexLock lock(tables_mutex_);
  more_ = false;
  if (!slice_) {
    if (!compactor_->due()) return {};
    DROVER_ASSIGN(const auto rows,
                  tables_.transitions(compactor_->next(), static_cast<int>(rows_max)));
    auto slice = compactor_->take(rows);
    if (!slice) return ledger_error(path_, "{}", slice.error().message);
    slice_ = *std::move(slice);
  }
  if (!slice_->dropped.empty() || !slice_->known.empty()) {
    const Status status = tables_.compact(*slice_, compactor_->known_kept(), sync);
    // Disk full: retried after the next commit.
    if (!status) return tables_.full() ? Status() : status;
  }
  slice_.reset();
  more_ = compactor_->due();
  return {};
}

Result<std::unique_ptr<LedgerStore>> LedgerStore::open(const std::string& path,
                                                       std::unique_ptr<LedgerCompactor> compactor,
                                                       const WalLimits& log_limits) {
  try {
    std::unique_ptr<LedgerStore> store(new LedgerStore(std::move(compactor), log_limits));
    DROVER_TRY(store->start(path));
    return store;
  } catch (const std::exception& problem) {
    return ledger_error(path, "{}", problem.what());
  }
}

}  // namespace drover::router
