// The last decisions, by number, for `why` and for snapshots; with every candidate of those that
// are not too long ago.
#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <vector>

#include "fleet/decision.h"
#include "router/decision/decide_candidates.h"

namespace drover::router {

/// Candidates kept over all decisions: 32 MiB.
inline constexpr std::size_t record_rows_max = 2'000'000;

class DecisionLog {
 public:
  explicit DecisionLog(std::size_t kept) : kept_(kept > 0 ? kept : 1) {}

  /// Numbers the decision (from 1) and keeps it; the reference holds until the next call. Of the
  /// `record` as many of the last rows are kept as there is room for.
  const Decision& add(Decision decision, const std::vector<RecordRow>& record = {});
  /// Null when it is no longer kept.
  const Decision* find(std::uint64_t number) const;
  /// All its candidates; empty when they are no longer kept.
  std::vector<RecordRow> record_of(std::uint64_t number) const;
  /// At most so many, oldest first.
  std::vector<const Decision*> last(std::size_t count) const;
  /// The job of the last decision that sent a job somewhere by a fallback; empty when there was
  /// none.
  const JobId& last_fallback() const { return last_fallback_; }

 private:
  struct Span {
    std::uint64_t begin = 0;  // rows written before it
    std::uint32_t count = 0;
  };
  void keep(const std::vector<RecordRow>& record);

  std::size_t kept_;
  std::uint64_t next_number_ = 1;
  JobId last_fallback_;
  std::deque<Decision> decisions_;
  std::deque<Span> spans_;       // as `decisions_`
  std::vector<RecordRow> rows_;  // row n of all that were written stands at n % record_rows_max
  std::uint64_t rows_written_ = 0;
};

}  // namespace drover::router
