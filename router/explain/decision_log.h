// The last decisions by number, for `why` and for snapshots; recent ones with all their
// candidates.
#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <vector>

#include "fleet/decision.h"
#include "router/decision/candidates.h"

namespace drover::router {

/// Candidates kept over all decisions: 32 MiB.
inline constexpr std::size_t record_rows_max = 2'000'000;

class DecisionLog {
 public:
  explicit DecisionLog(std::size_t kept) : kept_(kept > 0 ? kept : 1) {}

  /// Numbers the decision (from 1) and stores it; the reference is valid until the next call. Keeps
  /// as many of the last rows of `record` as fit.
  const Decision& add(Decision decision, const std::vector<RecordRow>& record = {});
  /// The decision; null when it is no longer kept.
  const Decision* find(std::uint64_t number) const;
  /// Its candidates; empty when they are no longer kept.
  std::vector<RecordRow> record_of(std::uint64_t number) const;
  /// The last `count` decisions at most, oldest first.
  std::vector<const Decision*> last(std::size_t count) const;
  /// The job of the last decision that placed a job by a fallback; empty: none.
  const JobId& last_fallback() const { return last_fallback_; }

 private:
  struct RowSpan {
    std::uint64_t begin = 0;  // rows written before this span
    std::uint32_t count = 0;
  };
  void keep(const std::vector<RecordRow>& record);

  std::size_t kept_;
  std::uint64_t next_number_ = 1;
  JobId last_fallback_;
  std::deque<Decision> decisions_;
  std::deque<RowSpan> spans_;    // parallel to `decisions_`
  std::vector<RecordRow> rows_;  // ring buffer: row n is at n % record_rows_max
  std::uint64_t rows_written_ = 0;
};

}  // namespace drover::router
