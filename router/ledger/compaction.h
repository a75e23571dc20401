// Compaction of jobs that ended long ago. Their transitions are deleted; each leaves one `known`
// row, by which a repeated submission is recognised, and all together one `sums` row with their
// totals. A replay gives the same totals and replies before and after compaction.
//
//   kept in full    jobs that are open; the last `ended_jobs` that ended, unless longer ago than
//                   `ended_for` of fleet time; caps and audits; the newest counters of each device
//   kept as known   the id, the content's hash and the end of `ids` more jobs
//   forgotten       ids of jobs that ended before those: submitted again, they are new jobs
//
// Compaction follows the ledger from its oldest row as far as rows are due, and holds in memory
// the rows of jobs that are open at its position.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

#include "router/jobs/accounting.h"
#include "router/jobs/job_table.h"
#include "router/ledger/compactor.h"
#include "router/ledger/ledger.h"

namespace drover::router {

class LedgerCompaction final : public LedgerCompactor {
 public:
  explicit LedgerCompaction(const Retention& retention) : retention_(retention) {}

  void match(std::int64_t sequence, const LedgerRow& row) override;
  bool due() const override;
  std::int64_t next() const override { return next_; }
  Result<CompactionSlice> take(const std::vector<NumberedRow>& rows) override;
  std::int64_t known_kept() const override { return static_cast<std::int64_t>(retention_.ids); }

 private:
  /// Whether more jobs are kept in full than allowed, by this share.
  bool over(double share) const;
  void see_counters(std::int64_t sequence, const LedgerRow& row);
  Status pass(const NumberedRow& row, CompactionSlice& slice);
  Status end(const JobId& job, CompactionSlice& slice);

  Retention retention_;
  JobTable jobs_{1, 0};
  Accounting accounting_{Instant{}};
  ledger::Reader reader_{jobs_, accounting_};

  std::int64_t next_ = 0;
  Instant next_at_{};  // time of the row there, if known
  Instant newest_at_{};
  std::uint64_t ended_ = 0;  // jobs kept in full
  bool under_way_ = false;   // started above the slack; runs until within the limit
  // Rows of jobs that are open at this position. For lookup only, never iterated.
  std::unordered_map<JobId, std::vector<NumberedRow>> open_;

  struct Counters {
    std::int64_t sequence = 0;
    std::vector<std::uint16_t> devices;  // ascending
  };
  std::map<std::string, std::vector<Counters>> counters_;  // by host; "": the sums
  std::vector<std::pair<std::string, Counters>> counters_without_sums_;
  std::map<std::string, std::int64_t> shown_;  // rows with published totals, by host; "": sums
  std::vector<std::int64_t> superseded_;
};

}  // namespace drover::router
