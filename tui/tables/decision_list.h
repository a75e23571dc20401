// The list of decisions, newest first.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "tui/model/model.h"
#include "tui/tables/fleet_filter.h"
#include "tui/tables/list_viewport.h"

namespace drover::tui {

struct DecisionList {
  std::optional<std::uint64_t> chosen;  // a number; none: the newest is always selected
  bool open = false;                    // the selected decision's details are shown
  std::vector<std::uint64_t> numbers;   // shown, newest first
  ListViewport place;
};

/// The numbers of the decisions that match the filter, newest first.
std::vector<std::uint64_t> list_decisions(const Model& model, const FleetFilter& fleet_filter);
/// Null if it is no longer kept.
const Decision* decision_of(const Model& model, std::uint64_t number);
/// The index of the selected decision in the list; -1 if it is not there.
int index_of_chosen(const DecisionList& list);

}  // namespace drover::tui
