// The list of decisions, newest first.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "tui/model/model.h"
#include "tui/tables/list_place.h"
#include "tui/tables/narrowing.h"

namespace drover::tui {

struct DecisionList {
  std::optional<std::uint64_t> chosen;  // by number; none: the newest is followed
  bool open = false;                    // the chosen one's details are shown
  std::vector<std::uint64_t> numbers;   // shown, newest first
  ListPlace place;
};

/// The numbers of those that the filter leaves, newest first.
std::vector<std::uint64_t> list_decisions(const Model& model, const Narrowing& narrowing);
/// Null where it is no longer kept.
const Decision* decision_of(const Model& model, std::uint64_t number);
/// Where the chosen one stands; -1: nowhere.
int index_of_chosen(const DecisionList& list);

}  // namespace drover::tui
