// Commands that show pages in the place of a view.
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
/// `argument`: a device, the first digits of a job, or nothing for the selection.
Status explain_named(DashboardState& state, std::string_view argument);
/// The first that begin so, of all jobs: those that are listed do not have to be the one that is
/// meant.
std::vector<std::string> known_job_words(const DashboardState& state, std::string_view prefix);
/// The first hosts that begin so.
std::vector<std::string> host_words(const DashboardState& state, std::string_view prefix);

}  // namespace drover::tui
