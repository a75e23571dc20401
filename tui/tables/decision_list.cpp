#include "tui/tables/decision_list.h"

#include <algorithm>

namespace drover::tui {

std::vector<std::uint64_t> list_decisions(const Model& model, const FleetFilter& fleet_filter) {
  std::vector<std::uint64_t> numbers;
  const auto& decisions = model.decisions();
  for (auto decision = decisions.rbegin(); decision != decisions.rend(); ++decision) {
    if (fleet_filter.shows(model, *decision)) numbers.push_back(decision->number);
  }
  return numbers;
}

const Decision* decision_of(const Model& model, std::uint64_t number) {
  const auto& decisions = model.decisions();
  const auto at = std::lower_bound(
      decisions.begin(), decisions.end(), number,
      [](const Decision& decision, std::uint64_t wanted) { return decision.number < wanted; });
  return at == decisions.end() || at->number != number ? nullptr : &*at;
}

int index_of_chosen(const DecisionList& list) {
  return index_where(list.numbers, [&](std::uint64_t number) { return number == list.chosen; });
}

}  // namespace drover::tui
