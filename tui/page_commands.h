// Commands that show the pages in the place of the device view.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "tui/dashboard_state.h"

namespace drover::tui {

Status mark_moment(DashboardState& state, std::string_view argument);
Status show_changes(DashboardState& state, std::string_view argument);
/// `argument`: a host; empty: the selected one.
Status show_topology(DashboardState& state, std::string_view argument);
/// The first hosts, to complete a word.
std::vector<std::string> host_words(const DashboardState& state);

}  // namespace drover::tui
