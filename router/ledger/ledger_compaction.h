// Jobs that ended long ago, made small. Their transitions go; what stays of each is one `known`
// row, by which a repeated submission is recognised, and of all together one `sums` row: what they
// counted and were charged. A ledger replayed before and after gives the same sums and answers.
//
//   kept in full    jobs that are open; the last `ended_jobs` that ended, unless longer ago than
//                   `ended_for` of fleet time; caps and audits; the newest counters of each device
//   kept as known   the id, the content's hash and the end of `ids` more jobs
//   forgotten       ids of jobs that ended before those: submitted again, they are new jobs
//
// The compaction follows the ledger from its oldest row, as far as rows are due, and holds in
// memory the rows of jobs that are open where it stands.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

#include "router/jobs/accounting.h"
#include "router/jobs/jobs.h"
#include "router/ledger/ledger.h"
#include "router/ledger/ledger_compactor.h"
#include "router/ledger/retention.h"

namespace drover::router {

class LedgerCompaction final : public LedgerCompactor {
 public:
  explicit LedgerCompaction(const Retention& retention);

  void see(std::int64_t sequence, const LedgerRow& row) override;
  bool due() const override;
  std::int64_t next() const override { return next_; }
  Result<CompactionSlice> take(const std::vector<NumberedRow>& rows) override;
  std::int64_t known_kept() const override { return static_cast<std::int64_t>(retention_.ids); }

 private:
  /// More stands in full than is to be kept, by this share of it.
  bool over(double share) const;
  void see_counters(std::int64_t sequence, const LedgerRow& row);
  Status pass(const NumberedRow& row, CompactionSlice& slice);
  Status end(const JobId& job, CompactionSlice& slice);

  Retention retention_;
  JobBook book_{1, 0};
  Accounting accounting_{Instant{}};
  ledger::Reader reader_{book_, accounting_};

  std::int64_t next_ = 0;
  Instant next_at_{};  // of the row there, as far as known
  Instant newest_at_{};
  std::uint64_t ended_ = 0;  // jobs that stand in full
  bool under_way_ = false;   // from more than the slack until nothing is over
  // Rows of jobs that are open where the compaction stands. Looked up only, never walked.
  std::unordered_map<JobId, std::vector<NumberedRow>> open_;

  struct Counters {
    std::int64_t sequence = 0;
    std::vector<std::uint16_t> devices;  // growing
  };
  std::map<std::string, std::vector<Counters>> counters_;  // by host; "": the sums
  std::vector<std::pair<std::string, Counters>> counters_without_sums_;
  std::map<std::string, std::int64_t> shown_;  // rows that say what was shown, by host; "": sums
  std::vector<std::int64_t> superseded_;
  std::vector<std::int64_t> refused_;  // rows of earlier versions that only count
};

}  // namespace drover::router
