// Where the user came from: Enter goes deeper, and Esc goes back to exactly that place.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "fleet/base/identity.h"
#include "fleet/base/time.h"
#include "tui/groups/user_list.h"
#include "tui/state/device_place.h"
#include "tui/state/view_id.h"
#include "tui/tables/log_entry.h"

namespace drover::tui {

struct UiState;

/// What was shown and selected at one place.
struct TrailStep {
  ViewId view = ViewId::fleet;
  std::string filter;
  std::string narrowed_to;
  std::optional<DeviceId> device;
  std::optional<JobId> job;
  std::optional<std::uint64_t> decision;
  std::optional<LogEntry> entry;
  std::optional<std::string> host;
  std::optional<std::string> node;  // of the tree of hosts
  std::optional<UserName> user;
  std::optional<std::string> pool;
  std::optional<std::string> map_group;
  bool decision_group = false, entry_group = false;  // what is selected stands for its group
  bool job_open = false, decision_open = false;
  DevicePlace place = DevicePlace::device;
  std::string topology_host{};
  bool explains = false;
  std::string explained_job{};
  int figure = -1;
  int details_top = 0;
  std::vector<std::string> names{};  // of the breadcrumb
  /// Where the playback cursor was, if going deeper moved it; `never`: it was live.
  std::optional<Instant> moment{};
};

/// Steps that are remembered; nobody goes deeper.
inline constexpr std::size_t trail_steps_max = 20;

TrailStep step_of(const UiState& ui);
void restore(UiState& ui, const TrailStep& step);

/// Adds conditions to the filter: "host == gpu-a". `name`: what is then shown, for the breadcrumb.
void narrow(UiState& ui, const std::vector<FilterCondition>& conditions, std::string_view name);
inline void narrow(UiState& ui, std::string_view field, std::string_view name) {
  narrow(ui, {{field, std::string(name)}}, name);
}

}  // namespace drover::tui
