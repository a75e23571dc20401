// The lines of the users view: who uses the fleet, by tenant and user, and their order.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "tui/canvas/draw_region.h"
#include "tui/tables/fleet_filter.h"
#include "tui/tables/list_viewport.h"
#include "tui/usage/user_totals.h"

namespace drover::tui {

struct UserColumn {
  std::string_view title;
  int width;
  Align align;
  int rank;  // narrow screens keep the lowest ranks
  /// "N/A" if unknown, "-" if it does not apply.
  std::string (*text)(const UserTotals& user, Instant now);
  /// The sort key, most first; NaN comes last. Null: sorted by text.
  double (*key)(const UserTotals& user, Instant now);
};
std::span<const UserColumn> user_columns();
/// The number of the column POWER, by which users are sorted at first.
int user_power_column();

using UserName = std::pair<std::string, std::string>;  // tenant and user; empty: not known

struct UserList {
  std::optional<UserName> chosen;
  int sort_column = user_power_column();  // in user_columns()
  bool reversed = false;                  // least first, names from z to a
  Usage usage;                            // `users` in the order shown
  ListViewport place;

  // What the usage was counted from; no value: count again.
  std::optional<std::pair<std::uint64_t, std::uint64_t>> counted_of;  // structure, filter's result
  Instant counted_at = Instant::min();
};

/// Counts at most every `recount_every` while neither hosts nor what the filter shows changes, and
/// sorts.
void lay_out_users(UserList& list, const Model& model, const FleetFilter& fleet_filter, Instant now,
                   Duration recount_every);
/// The line of the selected user; -1 if there is none.
int index_of_chosen(const UserList& list);
void step_user_sort(UserList& list, int step);
void invert_users(UserList& list);

/// Whether none of its work has been placed, so that it uses nothing.
bool is_only_waiting(const UserTotals& user);
/// Which of its values are not known or not complete, and why: a sentence each.
std::vector<std::string> missing_texts(const UserTotals& user);

}  // namespace drover::tui
