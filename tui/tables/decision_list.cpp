#include "tui/tables/decision_list.h"

#include <algorithm>
#include <map>
#include <tuple>
#include <utility>

#include <fmt/format.h>

#include "tui/model/trend.h"
#include "tui/tables/fleet_filter.h"

namespace drover::tui {
namespace {

/// Decisions of one second that are equal in this are in one group.
auto key_of(const Decision& decision) {
  return std::tie(decision.kind, decision.model, decision.work_class, decision.rule,
                  decision.preferred_pool, decision.pool, decision.action,
                  decision.fallback_reason);
}

using DecisionKey = decltype(key_of(std::declval<const Decision&>()));

bool contains(std::span<const std::uint64_t> numbers, std::uint64_t wanted) {
  return std::ranges::find(numbers, wanted) != numbers.end();
}

bool contains_one_of(std::span<const std::uint64_t> numbers,
                     std::span<const std::uint64_t> wanted) {
  return std::ranges::any_of(wanted, [&](std::uint64_t it) { return contains(numbers, it); });
}

void add_line(std::vector<DecisionLine>& lines, std::vector<std::uint64_t> group,
              std::span<const std::uint64_t> opened) {
  const bool open = contains_one_of(group, opened);
  lines.push_back({group.front(), group, open, false});
  if (!open) return;
  for (const std::uint64_t number : group) lines.push_back({number, {}, false, true});
}

/// Adds the decisions of one second, newest first.
void add_second(std::vector<DecisionLine>& lines, std::span<const Decision* const> second,
                std::span<const std::uint64_t> opened) {
  std::map<DecisionKey, std::vector<std::uint64_t>> groups;
  for (const Decision* const decision : second) {
    groups[key_of(*decision)].push_back(decision->number);
  }
  for (const Decision* const decision : second) {
    std::vector<std::uint64_t>& group = groups[key_of(*decision)];
    if (group.size() < equal_decisions_least) {
      lines.push_back({decision->number, {}, false, false});
    } else if (group.front() == decision->number) {
      add_line(lines, group, opened);
    }
  }
}

}  // namespace

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

std::vector<DecisionLine> group_decisions(const Model& model,
                                          std::span<const std::uint64_t> numbers,
                                          Duration wall_second,
                                          std::span<const std::uint64_t> opened,
                                          std::size_t lines_max) {
  std::vector<DecisionLine> lines;
  std::vector<const Decision*> second;
  for (const std::uint64_t number : numbers) {
    const Decision* const decision = decision_of(model, number);
    if (decision == nullptr) continue;
    if (!second.empty() &&
        bin_number(second.front()->at, wall_second) != bin_number(decision->at, wall_second)) {
      add_second(lines, second, opened);
      second.clear();
      if (lines.size() >= lines_max) return lines;
    }
    second.push_back(decision);
  }
  add_second(lines, second, opened);
  return lines;
}

std::string target_of(const Model& model, const DecisionLine& line) {
  const Decision* const newest = decision_of(model, line.number);
  if (newest == nullptr) return {};
  const bool differ = std::ranges::any_of(line.group, [&](std::uint64_t number) {
    const Decision* const decision = decision_of(model, number);
    return decision != nullptr && decision->target != newest->target;
  });
  return differ ? newest->pool : newest->target;
}

std::string times_text(const DecisionLine& line) {
  return line.group.empty() ? "" : fmt::format("x{}", line.group.size());
}

int index_of_chosen(const DecisionList& list) {
  if (!list.chosen) return -1;
  const int group = index_where(
      list.lines, [&](const DecisionLine& line) { return contains(line.group, *list.chosen); });
  if (group >= 0 && (list.chose_group || !list.lines[static_cast<std::size_t>(group)].open)) {
    return group;
  }
  return index_where(list.lines, [&](const DecisionLine& line) {
    return line.group.empty() && line.number == *list.chosen;
  });
}

void choose_decision(DecisionList& list, int index) {
  const DecisionLine& line = list.lines[static_cast<std::size_t>(index)];
  list.chosen = line.number;
  list.chose_group = !line.group.empty();
  list.place.row = -1;
}

bool toggle_group(DecisionList& list) {
  const int index = index_of_chosen(list);
  if (index < 0) return false;
  const DecisionLine& line = list.lines[static_cast<std::size_t>(index)];
  if (line.group.empty()) return false;
  list.chosen = line.number;
  list.chose_group = true;
  if (line.open) {
    std::erase_if(list.opened, [&](std::uint64_t it) { return contains(line.group, it); });
  } else {
    list.opened.push_back(line.number);
    if (list.opened.size() > open_decision_groups_max) list.opened.erase(list.opened.begin());
  }
  return true;
}

bool close_group(DecisionList& list) {
  const bool open = list.chosen && index_where(list.lines, [&](const DecisionLine& line) {
                                     return line.open && contains(line.group, *list.chosen);
                                   }) >= 0;
  if (!open) return false;
  list.chose_group = true;
  return toggle_group(list);
}

}  // namespace drover::tui
