// The lines of a list of decisions: single ones, and groups of equal ones that can be opened.
#pragma once

#include <cstddef>
#include <cstdint>
#include <limits>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "fleet/base/time.h"
#include "fleet/decision.h"
#include "tui/model/model.h"
#include "tui/tables/list_viewport.h"

namespace drover::tui {

class FleetFilter;

/// From this many equal decisions within one wall second on, nobody can read them one by one.
inline constexpr std::size_t equal_decisions_least = 3;

/// A decision, a group of equal ones, or one of an open group.
struct DecisionLine {
  std::uint64_t number = 0;          // of a group: of its newest decision
  std::vector<std::uint64_t> group;  // of a group: all numbers, newest first
  bool open = false;                 // of a group: its decisions follow
  bool member = false;
};

/// Open groups at most: the oldest is closed.
inline constexpr std::size_t open_decision_groups_max = 32;

struct DecisionList {
  std::optional<std::uint64_t> chosen;  // a number; none: the newest is always selected
  bool chose_group = false;             // the chosen decision stands for its group
  bool open = false;                    // the selected decision's details are shown
  std::vector<std::uint64_t> opened;    // a number of each open group
  std::vector<DecisionLine> lines;      // newest first
  ListViewport place;
};

/// The numbers of the decisions that match the filter, newest first.
std::vector<std::uint64_t> list_decisions(const Model& model, const FleetFilter& fleet_filter);
/// Null if it is no longer kept.
const Decision* decision_of(const Model& model, std::uint64_t number);

/// Decisions of one wall second, which lasts `wall_second` of fleet time, are in a group if
/// `equal_decisions_least` or more have the same kind, class, model, rule, pools, action and
/// reason. `numbers`: newest first. A group with a number in `opened` is open. Seconds
/// after `lines_max` lines are left out.
std::vector<DecisionLine> group_decisions(
    const Model& model, std::span<const std::uint64_t> numbers, Duration wall_second,
    std::span<const std::uint64_t> opened = {},
    std::size_t lines_max = std::numeric_limits<std::size_t>::max());

/// The target of a line's decisions, or the pool if their targets differ; empty: none.
std::string target_of(const Model& model, const DecisionLine& line);

/// "x37" of a group, else empty.
std::string times_text(const DecisionLine& line);

/// The line of the chosen decision; the line of its group if that is closed. -1: none.
int index_of_chosen(const DecisionList& list);
void choose_decision(DecisionList& list, int index);
/// Opens or closes the selected group; false if no group is selected.
bool toggle_group(DecisionList& list);
/// Closes the open group of the selection and selects it; false if there is none.
bool close_group(DecisionList& list);

}  // namespace drover::tui
