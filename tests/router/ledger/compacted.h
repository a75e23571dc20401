// A ledger's tables in memory, compacted slice by slice, and what must not change by it.
#pragma once

#include <cmath>
#include <map>
#include <memory>
#include <optional>
#include <vector>

#include <gtest/gtest.h>

#include "router/ledger/compaction.h"
#include "tests/router/router_fixture.h"

namespace drover::router {

class CompactedLedger {
 public:
  CompactedLedger(const std::vector<LedgerRow>& rows, Retention retention) : retention_(retention) {
    for (const LedgerRow& row : rows) {
      transitions_.emplace(static_cast<std::int64_t>(transitions_.size()) + 1, row);
    }
    open_again();
  }

  /// A new life: what the compaction held in memory is gone.
  void open_again() {
    compaction_ = std::make_unique<LedgerCompaction>(retention_);
    if (sums_) compaction_->match(0, *sums_);
    for (const LedgerRow& row : known_) compaction_->match(0, row);
    for (const auto& [sequence, row] : transitions_) compaction_->match(sequence, row);
  }

  /// One slice of at most so many rows; false when nothing was due.
  bool compact(std::size_t rows_max) {
    if (!compaction_->due()) return false;
    std::vector<NumberedRow> rows;
    for (auto row = transitions_.lower_bound(compaction_->next());
         row != transitions_.end() && rows.size() < rows_max; ++row) {
      rows.push_back({row->first, row->second});
    }
    const auto slice = compaction_->take(rows);
    EXPECT_TRUE(slice) << slice.error().message;
    if (!slice) return false;
    for (const std::int64_t sequence : slice->dropped) transitions_.erase(sequence);
    known_.insert(known_.end(), slice->known.begin(), slice->known.end());
    sums_ = slice->sums;
    if (known_.size() > retention_.ids) {
      known_.erase(known_.begin(), known_.end() - static_cast<std::ptrdiff_t>(retention_.ids));
    }
    return true;
  }

  /// As a reader gets them.
  std::vector<LedgerRow> rows() const {
    std::vector<LedgerRow> rows;
    if (sums_) rows.push_back(*sums_);
    rows.insert(rows.end(), known_.begin(), known_.end());
    for (const auto& [sequence, row] : transitions_) rows.push_back(row);
    return rows;
  }
  std::size_t transitions() const { return transitions_.size(); }
  std::size_t known() const { return known_.size(); }

 private:
  Retention retention_;
  std::map<std::int64_t, LedgerRow> transitions_;
  std::vector<LedgerRow> known_;
  std::optional<LedgerRow> sums_;
  std::unique_ptr<LedgerCompaction> compaction_;
};

/// What a router that starts on these rows says: its sums, its open jobs, and its answers to jobs
/// that are submitted again, as they were and changed.
struct Restarted {
  Summary summary;
  JobsReply open;
  std::vector<SubmitResult> answers;
  bool operator==(const Restarted&) const = default;
};

inline Restarted restart_on(const std::vector<LedgerRow>& rows, const std::vector<Job>& jobs) {
  RouterHarness stage;
  stage.disk = rows;
  const Status restored = stage.restart();
  EXPECT_TRUE(restored) << restored.error().message;
  Restarted restarted;
  restarted.summary = stage.router->summary(stage.now);
  stage.receive(9, JobsRequest{std::nullopt, 0});
  restarted.open = stage.told<JobsReply>(9).at(0);
  restarted.open.ended_kept = 0;  // what a compaction is for
  for (Job job : jobs) {
    for (const std::int8_t priority : {job.priority, static_cast<std::int8_t>(job.priority + 1)}) {
      job.priority = priority;
      stage.receive(9, Submit{{job}});
      stage.commit();
    }
  }
  for (const SubmitReply& reply : stage.told<SubmitReply>(9)) {
    restarted.answers.insert(restarted.answers.end(), reply.results.begin(), reply.results.end());
  }
  // Waste is the one sum whose order changes: what came back before another job's end.
  const double exact = restarted.summary.wasted.device_s;
  restarted.summary.wasted.device_s = std::round(exact * 1e6) / 1e6;
  restarted.summary.wasted.energy_j = std::round(restarted.summary.wasted.energy_j * 1e6) / 1e6;
  restarted.summary.wasted.cost_usd = std::round(restarted.summary.wasted.cost_usd * 1e6) / 1e6;
  return restarted;
}

inline void expect_same(const Restarted& found, const Restarted& expected) {
  EXPECT_EQ(found.summary, expected.summary);
  EXPECT_EQ(found.open, expected.open);
  ASSERT_EQ(found.answers.size(), expected.answers.size());
  for (std::size_t at = 0; at < found.answers.size(); ++at) {
    EXPECT_EQ(found.answers[at], expected.answers[at]) << to_text(found.answers[at].job);
  }
}

/// Compacts in slices of this many rows, over three lives, and compares now and then.
inline void expect_compaction_changes_nothing(const std::vector<LedgerRow>& rows,
                                              const std::vector<Job>& jobs, std::size_t slice) {
  const Restarted expected = restart_on(rows, jobs);
  Retention retention;
  retention.ended_jobs = 2;
  CompactedLedger ledger(rows, retention);
  const std::size_t life = rows.size() / slice / 3 + 1;
  std::size_t slices = 0;
  while (ledger.compact(slice)) {
    if (++slices % life == 0 && slices <= 2 * life) ledger.open_again();
    if (slices % (life / 2 + 1) == 1) expect_same(restart_on(ledger.rows(), jobs), expected);
    if (testing::Test::HasFailure()) return;
  }
  expect_same(restart_on(ledger.rows(), jobs), expected);
  EXPECT_GT(slices, 0u);
  EXPECT_LT(ledger.rows().size(), rows.size());
}

}  // namespace drover::router
