// What the user has chosen, as far as it concerns several views; each view has the rest. Selections
// are ids (of a device, a job, a decision), never rows, so they stay valid when the table changes.
#pragma once

#include <array>
#include <optional>
#include <set>
#include <string>

#include "fleet/base/identity.h"
#include "fleet/base/time.h"
#include "tui/state/prompt.h"
#include "tui/state/view_id.h"
#include "tui/tables/fleet_filter.h"

namespace drover::tui {

/// By how much charts zoom out, in time and in bin width: the resolutions of the history.
inline constexpr std::array zoom_factors = {1, 10, 60};

/// Tagged devices or jobs at most: an action applies to all at once, and routers limit requests.
inline constexpr std::size_t tags_max = 256;

struct UiState {
  ViewId view = ViewId::fleet;
  ViewId before_help = ViewId::fleet;
  ViewId before_device = ViewId::devices;
  std::optional<Prompt> prompt;  // the line being typed
  PromptHistory typed;           // earlier lines
  FleetFilter fleet_filter;
  std::string finding;  // the text that n and N search for

  std::optional<DeviceId> device;  // selected; shared by the views fleet, devices and device
  std::set<DeviceId> tagged_devices;
  std::set<JobId> tagged_jobs;

  int zoom = 0;                       // of charts: index into zoom_factors
  Instant moved_at = Instant::min();  // when the user last moved a selection
  // The first visible row of the open job, decision, formula, device or power page.
  int details_top = 0;
  int details_seen = 1;  // number of its visible rows

  int zoom_factor() const { return zoom_factors[static_cast<std::size_t>(zoom)]; }
};

}  // namespace drover::tui
