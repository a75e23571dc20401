#include "router/decision_log.h"

#include <algorithm>
#include <utility>

namespace drover::router {

const Decision& DecisionLog::add(Decision decision) {
  decision.number = next_number_++;
  if (decision.action == Action::assign && decision.fallback_reason) last_fallback_ = decision.job;
  decisions_.push_back(std::move(decision));
  if (decisions_.size() > kept_) decisions_.pop_front();
  return decisions_.back();
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
