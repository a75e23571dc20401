// Selects the columns of a table that fit; narrow screens keep the lowest ranks.
#pragma once

#include <algorithm>
#include <span>
#include <string_view>
#include <vector>

namespace drover::tui {

/// The indices of the columns that fit into `room` with a blank after each, in the table's order.
/// Column has title, width and rank. `left_out`: the title of a column to omit.
template <typename Column>
std::vector<int> fit_columns(std::span<const Column> table, int room,
                             std::string_view left_out = {}) {
  std::vector<int> by_rank;
  for (std::size_t i = 0; i < table.size(); ++i) by_rank.push_back(static_cast<int>(i));
  const auto column = [&](int number) -> const Column& {
    return table[static_cast<std::size_t>(number)];
  };
  std::stable_sort(by_rank.begin(), by_rank.end(),
                   [&](int a, int b) { return column(a).rank < column(b).rank; });
  std::vector<int> shown;
  for (const int number : by_rank) {
    if (column(number).title == left_out || column(number).width + 1 > room) continue;
    shown.push_back(number);
    room -= column(number).width + 1;
  }
  std::sort(shown.begin(), shown.end());
  return shown;
}

}  // namespace drover::tui
