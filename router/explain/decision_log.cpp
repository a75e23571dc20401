#include "router/explain/decision_log.h"

#include <algorithm>
#include <utility>

namespace drover::router {

const Decision& DecisionLog::add(Decision decision, const std::vector<RecordRow>& record) {
  decision.number = next_number_++;
  if (decision.action == Action::assign && fell_back(decision)) last_fallback_ = decision.job;
  decisions_.push_back(std::move(decision));
  keep(record);
  if (decisions_.size() > kept_) {
    decisions_.pop_front();
    spans_.pop_front();
  }
  return decisions_.back();
}

void DecisionLog::keep(const std::vector<RecordRow>& record) {
  const bool fits = record.size() <= record_rows_max;
  spans_.push_back({rows_written_, fits ? static_cast<std::uint32_t>(record.size()) : 0});
  if (!fits) return;
  for (const RecordRow& row : record) {
    const std::size_t place = rows_written_++ % record_rows_max;
    if (place == rows_.size()) {
      rows_.push_back(row);
    } else {
      rows_[place] = row;
    }
  }
}

std::vector<RecordRow> DecisionLog::record_of(std::uint64_t number) const {
  std::vector<RecordRow> record;
  if (find(number) == nullptr) return record;
  const RowSpan& span = spans_[number - decisions_.front().number];
  if (span.begin + record_rows_max < rows_written_) return record;
  for (std::uint64_t row = span.begin; row < span.begin + span.count; ++row) {
    record.push_back(rows_[row % record_rows_max]);
  }
  return record;
}

const Decision* DecisionLog::find(std::uint64_t number) const {
  if (decisions_.empty() || number < decisions_.front().number) return nullptr;
  const std::uint64_t offset = number - decisions_.front().number;
  return offset < decisions_.size() ? &decisions_[offset] : nullptr;
}

std::vector<const Decision*> DecisionLog::last(std::size_t count) const {
  std::vector<const Decision*> found;
  const std::size_t first = decisions_.size() - std::min(count, decisions_.size());
  for (std::size_t at = first; at < decisions_.size(); ++at) found.push_back(&decisions_[at]);
  return found;
}

}  // namespace drover::router
