#include "router/ledger/compaction.h"

#include <algorithm>
#include <csignal>
#include <cstdlib>
#include <filesystem>
#include <map>
#include <set>

#include <fmt/format.h>

#include "fleet/base/random_stream.h"
#include "router/ledger/failpoints.h"
#include "router/ledger/store.h"
#include "tests/router/ledger/compacted.h"
#include "tests/router/ledger/stored_rows.h"

namespace drover::router {
namespace {

namespace files = std::filesystem;

std::vector<Job> jobs_up_to(std::uint64_t last) {
  std::vector<Job> jobs;
  for (std::uint64_t number = 1; number <= last; ++number) jobs.push_back(serve_job(number));
  return jobs;
}

/// A life with everything that a ledger can hold: ends of all kinds, attempts that came back, late
/// results, refusals and one that was accepted later, counters, a cap, and jobs that still wait.
class EventfulLife {
 public:
  EventfulLife() {
    stage_.add_host(1, "h1");
    stage_.add_host(2, "h2");
    stage_.receive(9, Submit{{serve_job(70, "no-such-model"), serve_job(71, "no-such-model")}});
    stage_.receive(9, SetPowerCap{"site", 900'000, std::chrono::hours(300)});
    for (std::uint64_t number = 1; number <= 60; ++number) {
      if (number % 10 == 0) stage_.live(3, {{1, "h1"}, {2, "h2"}});
      stage_.forget();
      stage_.receive(9, Submit{{number == 30 ? serve_job(70) : serve_job(number)}});
      stage_.tick();
      stage_.commit();
      for (const std::uint64_t host : {1, 2}) {
        for (const Assign& assign : stage_.told<Assign>(host)) answer(host, assign);
      }
      stage_.commit();
    }
  }

  const std::vector<LedgerRow>& rows() const { return stage_.disk; }
  std::vector<Job> jobs() const { return jobs_up_to(75); }

 private:
  void answer(std::uint64_t host, const Assign& assign) {
    const std::uint64_t number = assign.job.id.low;
    Failed failed;
    failed.job = assign.job.id;
    failed.attempt = assign.attempt;
    failed.reason = number % 5 == 0 ? Reason::cancelled : Reason::memory;
    failed.usage = {0.5, 2, 0.25};
    if (number % 17 == 0) return;  // is still there when the ledger is read
    if (number % 4 == 0)
      return stage_.receive(host, Refused{assign.job.id, assign.attempt, Reason::capacity, ""});
    if (number % 7 == 0 || number % 5 == 0) return stage_.receive(host, failed);
    stage_.receive(host, Accepted{assign.job.id, assign.attempt});
    stage_.receive(host, finished_of(assign));
    if (number % 3 == 0) stage_.receive(host, failed);  // late
  }

  RouterHarness stage_;
};

TEST(LedgerCompaction, ChangesNothingThatARouterReports) {
  const EventfulLife life;
  const Restarted plain = restart_on(life.rows(), life.jobs());
  ASSERT_GT(plain.summary.finished, 20u);
  ASSERT_GT(plain.summary.cancelled, 3u);
  ASSERT_EQ(plain.summary.refused, 2u);
  ASSERT_GT(plain.summary.retries, 2u);
  ASSERT_GT(plain.summary.stale_results, 0u);
  ASSERT_FALSE(plain.open.jobs.empty());
  for (const std::size_t slice : {1u, 5u, 1000u}) {
    SCOPED_TRACE(slice);
    expect_compaction_changes_nothing(life.rows(), life.jobs(), slice);
  }
}

TEST(LedgerCompaction, KeepsOpenJobsAndTheJobsThatEndedLast) {
  const EventfulLife life;
  Retention retention;
  retention.ended_jobs = 10;
  CompactedLedger ledger(life.rows(), retention);
  while (ledger.compact(16)) {
  }
  std::map<JobId, int> ends;
  std::set<JobId> all;
  for (const LedgerRow& row : ledger.rows()) {
    if (row.transition == Transition::finished || row.transition == Transition::failed) {
      ++ends[row.job];
    }
  }
  EXPECT_EQ(ends.size(), 10u);
  std::vector<JobId> in_order;
  for (const LedgerRow& row : life.rows()) {
    const bool end = row.transition == Transition::finished || row.transition == Transition::failed;
    if (end) in_order.push_back(row.job);
  }
  for (std::size_t at = in_order.size() - 10; at < in_order.size(); ++at) {
    EXPECT_EQ(ends[in_order[at]], 1) << to_text(in_order[at]);
  }
}

TEST(LedgerCompaction, DropsJobsByAgeToo) {
  const EventfulLife life;
  Retention retention;
  retention.ended_for = std::chrono::seconds(6);
  CompactedLedger ledger(life.rows(), retention);
  while (ledger.compact(16)) {
  }
  const Instant newest = life.rows().back().at;
  std::map<JobId, Instant> ended;
  for (const LedgerRow& row : ledger.rows()) {
    if (row.transition == Transition::finished || row.transition == Transition::failed) {
      ended[row.job] = row.at;
    }
  }
  EXPECT_FALSE(ended.empty());
  for (const auto& [job, at] : ended) EXPECT_GE(at, newest - retention.ended_for);
  EXPECT_GT(ledger.known(), 20u);
}

TEST(LedgerCompaction, ForgetsTheOldestIdsBeyondItsBound) {
  const EventfulLife life;
  Retention retention;
  retention.ended_jobs = 5;
  retention.ids = 12;
  CompactedLedger ledger(life.rows(), retention);
  while (ledger.compact(16)) {
  }
  EXPECT_EQ(ledger.known(), 12u);
  EXPECT_EQ(restart_on(ledger.rows(), {}).summary, restart_on(life.rows(), {}).summary);
}

std::map<std::string, HostChanged> host_counts_in(const std::vector<LedgerRow>& rows) {
  JobTable book{1, 0};
  Accounting accounting{Instant{}};
  ledger::Reader reader(book, accounting);
  for (const LedgerRow& row : rows) EXPECT_TRUE(reader.read(row));
  return reader.host_counts();
}

TEST(LedgerCompaction, KeepsOnlyTheNewestCounters) {
  RouterHarness stage;
  stage.receive(1, Join{Role::agent, "h1", "drover test"});
  stage.receive(1, stage.registration("h1"));
  for (std::uint64_t beat = 1; beat <= 3'000; ++beat) {
    stage.receive_samples("h1", 2 * beat,
                          RouterHarness::idle_samples(8, static_cast<double>(beat)));
    stage.now += std::chrono::seconds(10);
    stage.tick();
    stage.commit();
  }
  ASSERT_GT(stage.disk.size(), 4'000u);
  CompactedLedger ledger(stage.disk, {});
  while (ledger.compact(16)) {
  }
  EXPECT_LT(ledger.rows().size(), 10u);
  EXPECT_EQ(restart_on(ledger.rows(), {}).summary, restart_on(stage.disk, {}).summary);
  const auto counts = host_counts_in(ledger.rows());
  EXPECT_EQ(counts, host_counts_in(stage.disk));
  EXPECT_GT(counts.at("h1").sample_gaps, 2'900u);
}

TEST(LedgerCompaction, RefusesIncompleteSums) {
  Accounting accounting{Instant{}};
  const std::string whole = accounting.job_sums();
  EXPECT_TRUE(accounting.restore_job_sums(whole));
  for (const char* name :
       {"accepted", "charged", "latency_s", "started_ns", "tokens_work", "steps_work", "fallbacks",
        "fallback_costs", "failures", "preempted", "cancelled"}) {
    std::string less = whole;
    less.replace(less.find(fmt::format("\"{}\"", name)) + 1, 1, "X");
    const Status status = accounting.restore_job_sums(less);
    ASSERT_FALSE(status);
    EXPECT_NE(status.error().message.find(name), std::string::npos) << status.error().message;
  }
  EXPECT_FALSE(accounting.restore_job_sums(whole.substr(0, whole.size() / 2)));
}

// ---- Through the file ---------------------------------------------------------------------------

class CompactedFile : public testing::Test {
 protected:
  void SetUp() override {
    std::string pattern = (files::temp_directory_path() / "drover-ledger-XXXXXX").string();
    ASSERT_NE(::mkdtemp(pattern.data()), nullptr);
    folder = pattern;
    path = (folder / "ledger.sqlite").string();
  }
  void TearDown() override { files::remove_all(folder); }

  static Retention few() {
    Retention retention;
    retention.ended_jobs = 50;
    retention.ids = 100'000;
    return retention;
  }
  std::unique_ptr<LedgerStore> open() const {
    auto store = LedgerStore::open(path, std::make_unique<LedgerCompaction>(few()));
    EXPECT_TRUE(store) << store.error().message;
    return store ? std::move(*store) : nullptr;
  }
  std::vector<LedgerRow> rows() const {
    const auto store = LedgerStore::open(path);
    EXPECT_TRUE(store) << store.error().message;
    return store ? stored_rows(**store).value() : std::vector<LedgerRow>{};
  }

  /// Jobs from beginning to end, as many as `count`, in order.
  static std::vector<LedgerRow> whole_jobs(std::uint64_t first, std::uint64_t count) {
    std::vector<LedgerRow> rows;
    for (std::uint64_t number = first; number < first + count; ++number) {
      const Instant at = Instant{} + std::chrono::seconds(number);
      JobRecord record;
      record.job = serve_job(number);
      record.attempt = 1;
      record.lease.members = {Member("h1")};
      record.lease.replica = 0;
      Finished finished;
      finished.job = record.job.id;
      finished.attempt = 1;
      finished.usage = {1, 2, 0.5};
      rows.push_back(ledger::accepted(at, record.job));
      rows.push_back(ledger::leased(at, record));
      rows.push_back(ledger::running(at, record));
      rows.push_back(ledger::ended(Transition::finished, at, finished));
    }
    return rows;
  }
  static void append(LedgerStore& store, const std::vector<LedgerRow>& rows, std::uint64_t& write) {
    std::vector<Write> writes;
    for (const LedgerRow& row : rows) writes.push_back({++write, row});
    store.append(std::move(writes));
  }

  /// One life that writes these jobs, a hundred a commit, and dies where DROVER_FAIL_AT says, if it
  /// comes to that.
  void live(const std::string& fail_at_text, std::uint64_t first, std::uint64_t count) const {
    ASSERT_TRUE(arm_failpoint(fail_at_text.c_str()));
    auto store = open();
    ASSERT_TRUE(store->read([](const LedgerRow&) { return Status(); }));
    std::uint64_t write = 0;
    for (std::uint64_t number = first; number < first + count; number += 100) {
      append(*store, whole_jobs(number, 100), write);
      ASSERT_TRUE(store->flush());
    }
  }

  files::path folder;
  std::string path;
};

TEST_F(CompactedFile, DoesNotGrowWhenJobsComeAndGo) {
  auto store = open();
  ASSERT_TRUE(store->read([](const LedgerRow&) { return Status(); }));
  std::uint64_t write = 0;
  std::vector<std::uintmax_t> sizes;
  for (std::uint64_t round = 0; round < 8; ++round) {
    for (std::uint64_t part = 0; part < 10; ++part) {
      append(*store, whole_jobs(1 + round * 1000 + part * 100, 100), write);
      ASSERT_TRUE(store->flush());
    }
    sizes.push_back(files::file_size(path));
  }
  store.reset();
  const std::vector<LedgerRow> left = rows();
  EXPECT_LT(left.size(), 8'000u + 4 * 200) << "8,000 known jobs and at most some in full";
  const auto in_full = std::count_if(left.begin(), left.end(), [](const LedgerRow& row) {
    return row.transition == Transition::finished;
  });
  EXPECT_GE(in_full, 50);
  // 32 bytes a job for its id, hash and end; in full each takes 500 and more.
  EXPECT_LT(files::file_size(path), 8'000 * 100u);
  EXPECT_LT(sizes.back() - sizes[1], 6 * 1'000 * 100u);
  const Restarted restarted = restart_on(left, jobs_up_to(8'000));
  EXPECT_EQ(restarted.summary.finished, 8'000u);
  EXPECT_EQ(restarted.summary.charged, (Usage{8'000, 16'000, 4'000}));
  for (const SubmitResult& answer : restarted.answers) EXPECT_EQ(answer.state, JobState::finished);
}

TEST_F(CompactedFile, LosesNothingWhenItIsKilledAtAnyStage) {
  std::uint64_t written = 0;
  for (const char* stage :
       {"compaction.before_writes:3", "compaction.before_commit:1", "compaction.before_commit:4",
        "compaction.after_commit:2", "ledger.before_commit:5", "ledger.after_commit:5"}) {
    SCOPED_TRACE(stage);
    EXPECT_EXIT(
        {
          live(stage, written + 1, 1'000);
          std::_Exit(0);
        },
        testing::KilledBySignal(SIGKILL), "");
    // What came through is a beginning; the rest is written again, as a client would.
    std::uint64_t through = 0;
    const Restarted before = restart_on(rows(), {});
    through = before.summary.accepted;
    EXPECT_EQ(before.summary.finished, through);
    EXPECT_EQ(through % 100, 0u) << "half a commit";
    EXPECT_GE(through, written);
    ASSERT_NO_FATAL_FAILURE(live("", through + 1, written + 1'000 - through));
    written += 1'000;
    const Restarted after = restart_on(rows(), jobs_up_to(written));
    EXPECT_EQ(after.summary.accepted, written);
    EXPECT_EQ(after.summary.charged.device_s, static_cast<double>(written));
    for (std::size_t at = 0; at < after.answers.size(); ++at) {
      ASSERT_EQ(after.answers[at].status,
                at % 2 == 0 ? SubmitStatus::exists : SubmitStatus::conflict);
    }
  }
}

TEST_F(CompactedFile, TakesOverALedgerThatWasNeverCompacted) {
  {
    auto plain = LedgerStore::open(path);
    ASSERT_TRUE(plain);
    std::uint64_t write = 0;
    append(**plain, whole_jobs(1, 3'000), write);
    ASSERT_TRUE((*plain)->flush());
  }
  ASSERT_EQ(rows().size(), 12'000u);
  live("", 3'001, 2'000);
  const Restarted after = restart_on(rows(), jobs_up_to(5'000));
  EXPECT_EQ(after.summary.finished, 5'000u);
  EXPECT_LT(rows().size(), 12'000u);
}

}  // namespace
}  // namespace drover::router
